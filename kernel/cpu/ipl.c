/* SPDX-License-Identifier: BSD-2-Clause */
/* Priority levels; what has waited for a lower one is the dispatcher's business. */
#include "kernel/cpu/ipl.h"
#include <arch/cpu.h>
#include <arch/interrupt_flag.h>
#include "kernel/cpu/cpu.h"

int splraise(int level)
{
    int old =
        cpu_here.ipl; /* a thread that is moved between the two has level IPL_NONE on both CPUs */

    if (level > old)
        cpu_here.ipl = level;
    __asm__ volatile("" : : : "memory");
    return old;
}

void splx(int level)
{
    __asm__ volatile("" : : : "memory");
    cpu_here.ipl = level;
    if (cpu_here.attention && interrupts_enabled()) {
        interrupts_disable();
        interrupt_exit();
        interrupts_enable();
    }
}

void spl_restore(uintptr_t state)
{
    interrupts_restore(state);
    if (__builtin_expect(cpu_here.attention, 0) && interrupts_were_enabled(state))
        splx(cpu_here.ipl);
}
