/* SPDX-License-Identifier: BSD-2-Clause */
/* How many CPUs there are, and how they come to life. */
#include "kernel/cpu.h"
#include <arch/smp.h>
#include "kernel/clock.h"
#include "kernel/thread.h"

static unsigned possible = 1, running = 1;

unsigned cpu_possible(void)
{
    return possible;
}

void cpu_set_possible(unsigned count)
{
    possible = count;
}

unsigned cpu_count(void)
{
    return running;
}

_Noreturn void cpu_main(void)
{
    thread_boot_cpu();
    smp_timer_start();
    clock_start_cpu();
    thread_idle();
}

void cpu_start_others(void)
{
    if (possible > 1)
        running = smp_start();
}
