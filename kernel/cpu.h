/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What each CPU keeps for itself. Written by its own CPU only, interrupts off, unless a field says
 * otherwise.
 *
 * cpu_here (<machine/cpu.h>) is this CPU's record as an lvalue: `cpu_here.ipl` is one memory
 * operand, so a thread may use a single field even where it could be moved to another CPU. Two
 * fields that belong together, or a pointer from cpu_current(), need interrupts or preemption off.
 */
#pragma once

#include <arch/cpu.h>
#include <stdbool.h>
#include <stdint.h>
#include "kernel/ipl.h"
#include "kernel/run_queue.h"
#include "kernel/spinlock.h"
#include "kernel/timer.h"

struct thread;
struct interrupt_line;
struct trap_jump;
struct cross_call;
struct pmc_cpu;

#define CPU_LEVEL(ipl, depth) ((uint64_t)(depth) << 32 | (ipl))

#define CPU_TRACE 24 /* addresses kept of a stack, for a panic's report */

/* The clock of a CPU, see clock.c; all in cycles. */
struct cpu_clock {
    uint64_t extended; /* a recent cycle count in 64 bits */
    uint64_t next_tick;
    uint64_t next_timer; /* UINT64_MAX if none is set; 0 if the straight way must not be taken */
    uint64_t armed;      /* the deadline that the event timer is set for */
    uint64_t timer_deadline;
};

struct cpu {
    struct cpu *self; /* first: machines find the CPU through it */
    struct thread *current;
    struct thread *idle;
    uint32_t id;
    union {
        struct {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
            uint32_t depth; /* not 0: in a handler */
            int32_t ipl;    /* priority level now in force */
#else
            int32_t ipl;
            uint32_t depth;
#endif
        };
        uint64_t level; /* both at once: CPU_LEVEL(ipl, depth) */
    };
    volatile uint32_t
        attention; /* not 0: something waits for interrupt_exit: a deferred line or a switch */
    volatile bool reschedule;
    volatile uint32_t stand; /* not 0: it is asked to a standstill; by any CPU */
    volatile bool running;   /* it has reached cpu_main; never goes back */
    uint8_t deferred_levels; /* bit L: deferred[L] is not empty */
    struct interrupt_line *deferred[IPL_COUNT];
    struct trap_jump *recovery; /* trap_try in progress */
    struct run_queue ready;     /* under ready.lock, by any CPU */

    struct pmc_cpu *pmc;          /* its performance counters while anybody counts, else NULL */
    const struct thread *leaving; /* whose stack it is on while counters are switched, else NULL */

    /* CPU time, see cpu_time.h */
    uint64_t time_interrupt, time_idle, time_user, time_started;
    uint64_t started; /* time_started by the clock, ns; 0 where that was not running yet */
    uint64_t nested;  /* cycles of interrupts inside the one that is being served */

    struct cpu_clock clock;
    struct timer_queue timers; /* under its lock, by any CPU */
    struct spinlock calls_lock;
    struct cross_call *volatile calls; /* functions that others want run here; under calls_lock */
    uint64_t cross_calls;              /* of them, run */
    uint64_t migrations;               /* threads that came from another CPU; under ready.lock */
    uint64_t switches, involuntary;    /* of threads, counted here */
    unsigned traced;                   /* panic: the stack of what ran when the CPU was stopped */
    uintptr_t trace[CPU_TRACE];
    volatile bool stopped;
};

/* How many CPUs run. Grows once, during start-up. */
unsigned cpu_count(void);
/* Whether lines and their counters are shared by several CPUs: cpu_possible() > 1. Known before
 * lines are attached. */
unsigned cpu_possible(void);
void cpu_set_possible(unsigned count);
/* Where a CPU other than the first enters the kernel, on its idle stack, interrupts off. */
_Noreturn void cpu_main(void);
/* Start-up: the others are started and have been seen running. */
void cpu_start_others(void);

typedef uint32_t cpu_set_t; /* bit N: CPU N */
#define CPU_SET_ALL UINT32_MAX
