/* SPDX-License-Identifier: BSD-2-Clause */
/* A Malta board has one CPU, as far as Quipu knows; see docs/PORTING.md. */
#include <arch/smp.h>

unsigned smp_find(void)
{
    return 1;
}

unsigned smp_start(void)
{
    return 1;
}

/* With one CPU nobody calls the others. */

void smp_send(unsigned cpu, enum smp_ipi what)
{
    (void)cpu;
    (void)what;
}

void smp_stop_others(void)
{
}

void smp_timer_start(void)
{
}
