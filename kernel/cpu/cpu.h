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
#include "kernel/cpu/ipl.h"
#include "kernel/thread/run_queue.h"
#include "kernel/lock/spinlock.h"
#include "kernel/time/timer.h"

struct thread;
struct interrupt_line;
struct user_state;
struct cross_call;
struct pmc_cpu;
struct aspace;

#define CPU_TRACE 24 /* addresses kept of a stack, for a panic's report */

/* The clock of a CPU, see clock.c; all in cycles. */
struct cpu_clock {
    uint64_t extended; /* a recent cycle count in 64 bits */
    uint64_t next_tick;
    uint64_t
        next_timer; /* UINT64_MAX if none is set; 0 if the tick's short path must not be taken */
    uint64_t armed; /* the deadline that the event timer is set for */
    uint64_t timer_deadline;
    bool resting; /* the CPU is idle, and ticks come once a second */
};

struct cpu {
    struct cpu *self; /* first: machines find the CPU through it */
    struct thread *current;
    struct thread *idle;
    uint32_t id;
    union {
        struct {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
            uint32_t in_handler; /* 0 or 1 */
            int32_t ipl;         /* priority level now in force */
#else
            int32_t ipl;
            uint32_t in_handler;
#endif
        };
        uint64_t level; /* both at once; outside of handlers it is ipl */
    };
    union {
        struct {
            volatile uint32_t attention; /* not 0: something waits for interrupt_exit: a deferred
                                            line or a switch */
            volatile uint32_t user_look; /* not 0: the running thread is to look what there is for
                                            it before it goes to user mode, see user.h */
        };
        volatile uint64_t user_wait; /* both at once */
    };
    volatile bool reschedule;
    uint32_t preempt_off;    /* preempt_disable calls outstanding: its current thread's */
    volatile uint32_t stand; /* not 0: it is asked to a standstill; by any CPU */
    bool returning;          /* an interrupt is over, but has not returned to its thread yet */
    volatile bool running;   /* its idle thread has begun; never goes back */
    uint8_t deferred_levels; /* bit L: deferred[L] is not empty */
    struct interrupt_line *deferred[IPL_COUNT];
    struct aspace *aspace;  /* that is active; NULL: the kernel's, since boot */
    struct run_queue ready; /* under ready.lock, by any CPU */
    uint32_t evened;        /* the CPU that its last busy tick compared its load with */

    /* context_switch with what is to be done besides, or NULL; scheduler_switch_changed. */
    void (*switch_by)(struct thread *from, struct thread *to, uintptr_t state);
    struct user_state *user_state; /* of the program whose registers are in the CPU */
    bool user_unsaved;             /* they are the running thread's, and nowhere else */
    struct pmc_cpu *pmc;           /* its performance counters while anybody counts, else NULL */
    const struct thread *leaving;  /* whose stack it is on while counters are switched, else NULL */

    /* CPU time, see cpu_time.h */
    uint64_t time_interrupt, time_idle, time_user, time_started;
    uint64_t started; /* time_started by the clock, ns; 0 where that was not running yet */
    uint64_t nested;  /* cycles of all interrupts that came inside others; grows */

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

/* How many CPUs run. Grows once, during start-up, when the others have been seen running. */
static inline unsigned cpu_count(void)
{
    extern unsigned cpus_running; /* cpu.c writes */

    return cpus_running;
}

void cpu_set_count(unsigned count);
/* Whether lines and their counters are shared by several CPUs: cpu_possible() > 1. Known before
 * any counter or line is attached. */
unsigned cpu_possible(void);
void cpu_set_possible(unsigned count);

typedef uint32_t cpu_set_t; /* bit N: CPU N */
#define CPU_SET_ALL UINT32_MAX
