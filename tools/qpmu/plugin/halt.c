/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Halting in runs that are to repeat. With -icount and sleep=off QEMU moves its clock to the next
 * timer when all CPUs have halted. Its main loop does that as well as the CPUs' thread, and if it
 * is awake just when a CPU halts, it may not know yet how many instructions that CPU has executed:
 * the clock then goes too far by these. So a CPU that is about to halt waits until the main loop
 * sleeps in its poll, which Linux tells in /proc.
 */
#include "tools/qpmu/plugin/halt.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MOST_LOOKS 20000 /* a second or so: never for ever */
#define PAUSE_US   20

static bool waits;
static int state = -1; /* the system call that the main loop is in, or "running" */

void halt_argument(void)
{
    char path[64];

    waits = true;
    snprintf(path, sizeof(path), "/proc/self/task/%ld/syscall", (long)getpid());
    state = open(path, O_RDONLY | O_CLOEXEC);
    if (state < 0)
        fprintf(stderr, "qpmu: halt=wait: %s: %s; the CPU halts at once\n", path, strerror(errno));
}

bool halt_waits(void)
{
    return waits && state >= 0;
}

static bool main_loop_sleeps(void)
{
    char text[64];
    ssize_t length = pread(state, text, sizeof(text) - 1, 0);
    char *end;
    long call;

    if (length <= 0)
        return true; /* nothing can be known */
    text[length] = '\0';
    call = strtol(text, &end, 10);
    return end != text && call == SYS_ppoll;
}

void halt_begins(unsigned cpu, void *unused)
{
    (void)cpu;
    (void)unused;
    for (unsigned look = 0; look < MOST_LOOKS && !main_loop_sleeps(); look++)
        usleep(PAUSE_US);
}
