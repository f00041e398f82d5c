/* SPDX-License-Identifier: BSD-2-Clause */
/* What a program keeps in the CPU besides the registers of its frame: CP1, and the thread pointer.
 * See arch/mips/user_state.c. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define USER_STATE_FCSR 32

struct user_state {
    uint64_t registers[USER_STATE_FCSR + 1];
    uint64_t tls;
    bool used;
};

static inline bool user_state_is_used(const struct user_state *state)
{
    return state->used;
}

/* FCSR's causes that ended an instruction, from bit 0 on: inexact, underflow, overflow, division by
 * zero, invalid, unimplemented. They are no longer in STATE, which was saved: nothing may trap
 * again where it is loaded, nor does a program's handler see them, as under Linux. */
uint32_t user_state_take_causes(struct user_state *state);
