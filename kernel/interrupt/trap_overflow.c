/* SPDX-License-Identifier: BSD-2-Clause */
/* A stack that overflows, on purpose; each of its calls shows in the report. */
#include "kernel/interrupt/trap.h"

static volatile int endless = 1;

static int overflow(volatile char *from)
{
    volatile char space[512];

    space[0] = from[0];
    return endless ? overflow(space) + space[0] : 0;
}

void trap_overflow_stack(void)
{
    char start = 0;

    overflow(&start);
}
