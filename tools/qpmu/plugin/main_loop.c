/* SPDX-License-Identifier: BSD-2-Clause */
/* The main loop is in the process's first thread; see main_loop.h. */
#include "tools/qpmu/plugin/main_loop.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int call_it_is_in = -1; /* the file that tells the system call, or "running" */

bool main_loop_open(const char **path)
{
    static char name[64];

    snprintf(name, sizeof(name), "/proc/self/task/%ld/syscall", (long)getpid());
    if (path)
        *path = name;
    if (call_it_is_in < 0)
        call_it_is_in = open(name, O_RDONLY | O_CLOEXEC);
    return call_it_is_in >= 0;
}

enum main_loop main_loop_look(void)
{
    char text[64], *end;
    ssize_t length = call_it_is_in < 0 ? 0 : pread(call_it_is_in, text, sizeof(text) - 1, 0);
    long call;

    if (length <= 0 || syscall(SYS_gettid) == getpid())
        return MAIN_LOOP_SLEEPS;
    text[length] = '\0';
    call = strtol(text, &end, 10);
    if (end == text)
        return MAIN_LOOP_RUNS;
    return call == SYS_ppoll ? MAIN_LOOP_SLEEPS : MAIN_LOOP_WAITS;
}

/* The clock of one thread, as pthread_getcpuclockid(3) makes it: that would need the thread's
 * pthread_t, which QEMU keeps to itself. */
uint64_t main_loop_time(void)
{
    clockid_t its_clock = (clockid_t)(~(unsigned)getpid() << 3 | 6);
    struct timespec time;

    if (clock_gettime(its_clock, &time) != 0)
        return 0;
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}
