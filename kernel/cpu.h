/* SPDX-License-Identifier: BSD-2-Clause */
/* What each CPU keeps for itself. Written by its own CPU only, interrupts off, unless a field says
 * otherwise. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "kernel/ipl.h"
#include "kernel/run_queue.h"

struct thread;
struct interrupt_line;
struct trap_jump;

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define CPU_LEVEL(ipl, depth) ((uint64_t)(ipl) << 32 | (depth))
#else
#define CPU_LEVEL(ipl, depth) ((uint64_t)(depth) << 32 | (ipl))
#endif

struct cpu {
    struct cpu *self; /* first: machines find the CPU through it */
    struct thread *current;
    struct thread *idle;
    uint32_t id;
    union {
        struct {
            int32_t ipl;    /* priority level now in force */
            uint32_t depth; /* not 0: in a handler */
        };
        uint64_t level; /* both at once: CPU_LEVEL(ipl, depth) */
    };
    uint32_t preempt_off; /* preempt_disable calls outstanding */
    volatile uint32_t
        attention; /* not 0: something waits for interrupt_exit: a deferred line or a switch */
    volatile bool reschedule;
    uint8_t deferred_levels; /* bit L: deferred[L] is not empty */
    struct interrupt_line *deferred[IPL_COUNT];
    uint64_t switched_at;       /* cycles_now() at the last thread switch or tick */
    struct trap_jump *recovery; /* trap_try in progress */
    struct run_queue ready;
};
