/* SPDX-License-Identifier: BSD-2-Clause */
/* Of what a program keeps in the CPU (arch/x86_64/user_state.c): compilers use SSE for everything.
 */
#pragma once

#include <stdbool.h>

struct user_state;

static inline bool user_state_is_used(const struct user_state *state)
{
    (void)state;
    return true;
}
