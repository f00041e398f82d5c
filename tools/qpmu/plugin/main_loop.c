/* SPDX-License-Identifier: BSD-2-Clause */
/* The main loop is in the process's first thread; see main_loop.h. */
#include "tools/qpmu/plugin/main_loop.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The files that tell the system call that it is in, or "running"; and its state. */
static int its_call = -1, its_state = -1;

static int file_of_it(const char *name, const char **path)
{
    static char full[64];

    snprintf(full, sizeof(full), "/proc/self/task/%ld/%s", (long)getpid(), name);
    if (path)
        *path = full;
    return open(full, O_RDONLY | O_CLOEXEC);
}

bool main_loop_open(const char **path)
{
    if (its_call < 0)
        its_call = file_of_it("syscall", path);
    if (its_call >= 0 && its_state < 0)
        its_state = file_of_it("stat", path);
    return its_call >= 0 && its_state >= 0;
}

static bool told(int file, char *text, size_t size)
{
    ssize_t length = file < 0 ? 0 : pread(file, text, size - 1, 0);

    text[length > 0 ? length : 0] = '\0';
    return length > 0;
}

/* Who has been woken, but is not on a CPU's queue yet, since that CPU is another than the waker's
 * and has not looked, is still said to be in the call that woke it. That can last milliseconds. */
static bool is_woken(void)
{
    char text[64], *name_end;

    if (!told(its_state, text, sizeof(text)))
        return false;
    name_end = strrchr(text, ')');
    return name_end && name_end[1] == ' ' && name_end[2] == 'R';
}

enum main_loop main_loop_look(void)
{
    char text[64], *end;
    long call;

    if (syscall(SYS_gettid) == getpid() || !told(its_call, text, sizeof(text)))
        return MAIN_LOOP_SLEEPS;
    call = strtol(text, &end, 10);
    if (end == text)
        return MAIN_LOOP_RUNS;
    if (call != SYS_ppoll)
        return MAIN_LOOP_WAITS;
    return is_woken() ? MAIN_LOOP_RUNS : MAIN_LOOP_SLEEPS;
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
