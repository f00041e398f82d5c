/* SPDX-License-Identifier: BSD-2-Clause */
/* The ways out of user mode and back, for the machine: what all of them have in common, and what
 * time it is then. Interrupts off. See kernel/thread/user.h. */
#pragma once

#include <arch/cpu.h>
#include "kernel/cpu/cpu.h"
#include "kernel/thread/thread.h"
#include "kernel/thread/user.h"
#include "kernel/time/cpu_clock.h"

/* First of all, once user mode has been left: whose it was. */
static inline struct thread *thread_user_left(void)
{
    struct cpu *cpu = cpu_current();
    struct thread *self = cpu->current;
    uint64_t now = cpu_own_time(cpu);

    CPU_TIME(cpu->time_user += now);
    CPU_TIME(self->user_cycles += now);
    return self;
}

/* Whether the running thread may go to user mode at once. */
static inline bool thread_user_may_go(void)
{
    return __builtin_expect(cpu_here.user_wait == 0, 1);
}

/* Does what there is to do before, with FRAME; other threads may run meanwhile. */
void thread_user_wait(struct trap_frame *frame);

/* The last before user mode. */
static inline void thread_user_go(void)
{
    struct cpu *cpu = cpu_current();
    uint64_t now = cpu_own_time(cpu);

    CPU_TIME(cpu->time_user -= now);
    CPU_TIME(cpu->current->user_cycles -= now);
}

static inline void thread_user_return(struct trap_frame *frame)
{
    if (!thread_user_may_go())
        thread_user_wait(frame);
    thread_user_go();
}
