/* SPDX-License-Identifier: BSD-2-Clause */
/* One CPU: there is nobody else to start, to interrupt or to stop. */
#include <arch/smp.h>
#include "kernel/base/panic.h"

unsigned smp_find(void)
{
    return 1;
}

unsigned smp_start(void (*enter)(void))
{
    (void)enter;
    return 1;
}

void smp_send(unsigned cpu, enum smp_ipi what)
{
    panic("smp: interrupt %d to CPU %u on a machine with one", (int)what, cpu);
}

void smp_wait_standstill(void)
{
    panic("smp: waiting for another CPU on a machine with one");
}

void smp_stop_others(void)
{
}

void smp_timer_start(void)
{
}
