/* SPDX-License-Identifier: BSD-2-Clause */
/* How many CPUs there are. */
#include "kernel/cpu/cpu.h"
#include <sys/evcnt.h>
#include "kernel/base/panic.h"

static unsigned possible = 1, running = 1;

unsigned cpu_possible(void)
{
    return possible;
}

void cpu_set_possible(unsigned count)
{
    /* Who is attached has cells for as many CPUs as are known then. */
    ASSERT(TAILQ_EMPTY(&allevents));
    possible = count;
}

unsigned cpu_count(void)
{
    return running;
}

void cpu_set_count(unsigned count)
{
    running = count;
}
