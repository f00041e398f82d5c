/* SPDX-License-Identifier: BSD-2-Clause */
/* How many CPUs there are. */
#include "kernel/cpu/cpu.h"
#include <sys/evcnt.h>
#include "kernel/base/panic.h"

static unsigned possible = 1;
unsigned cpus_running = 1;

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

void cpu_set_count(unsigned count)
{
    cpus_running = count;
}
