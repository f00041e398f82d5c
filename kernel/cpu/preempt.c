/* SPDX-License-Identifier: BSD-2-Clause */
/* The count of preempt_disable: see preempt.h. */
#include "kernel/cpu/preempt.h"
#include <arch/cpu.h>
#include "kernel/base/panic.h"
#include "kernel/cpu/cpu.h"

/* A thread that is moved between reading and writing finds the count 0 on both CPUs. */
void preempt_disable(void)
{
    cpu_here.preempt_off++;
    __asm__ volatile("" : : : "memory");
}

void preempt_enable(void)
{
    __asm__ volatile("" : : : "memory");
    ASSERT(cpu_here.preempt_off > 0);
    if (--cpu_here.preempt_off == 0 && cpu_here.reschedule) {
        cpu_here.attention =
            1; /* if it cannot be now, splx or the end of an interrupt will do it */
        splx(cpu_here.ipl);
    }
}
