/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Halting in runs that are to repeat. With -icount and sleep=off QEMU moves its clock to the next
 * timer when all CPUs have halted. Its main loop does that as well as the CPUs' thread, and if it
 * is awake just when a CPU halts, it may not know yet how many instructions that CPU has executed:
 * the clock then goes too far by these. So a CPU that is about to halt waits until the main loop
 * sleeps in its poll.
 */
#include "tools/qpmu/plugin/halt.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tools/qpmu/plugin/main_loop.h"

#define MOST_LOOKS 20000 /* a second or so: never for ever */
#define PAUSE_US   20

static bool waits;

void halt_argument(void)
{
    const char *path;

    waits = main_loop_open(&path);
    if (!waits)
        fprintf(stderr, "qpmu: halt=wait: %s: %s; the CPU halts at once\n", path, strerror(errno));
}

bool halt_waits(void)
{
    return waits;
}

void halt_begins(unsigned cpu, void *unused)
{
    (void)cpu;
    (void)unused;
    for (unsigned look = 0; look < MOST_LOOKS && main_loop_look() != MAIN_LOOP_SLEEPS; look++)
        usleep(PAUSE_US);
}
