/* SPDX-License-Identifier: BSD-2-Clause */
/* What programs that count themselves by r10k_counters(5) share. */
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/hwperfmacros.h>
#include <sys/hwperftypes.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "loop.h"

#define INSTRUCTIONS 15
#define CYCLES_0     0
#define CYCLES_1     16
#define GRADUATED    17
#define MISSES       24 /* branches mispredicted */

static int open_process(pid_t pid)
{
    char path[32];

    snprintf(path, sizeof path, "/proc/%05d", (int)pid);
    return open(path, O_RDWR);
}

static void want(hwperf_profevctrarg_t *a, int i, int mode)
{
    a->hwp_evctrargs.hwp_evctrl[i].hwperf_creg.hwp_ev = i % HWPERF_CNTEVENTMAX;
    a->hwp_evctrargs.hwp_evctrl[i].hwperf_creg.hwp_ie = 1;
    a->hwp_evctrargs.hwp_evctrl[i].hwperf_creg.hwp_mode = mode;
}

/* The call's error, or "positive", "0". */
static const char *said(int result)
{
    static char text[32];

    if (result > 0)
        return "positive";
    if (result == 0)
        return "0";
    switch (errno) {
    case EINVAL:
        return "EINVAL";
    case EPERM:
        return "EPERM";
    case EBUSY:
        return "EBUSY";
    case EFAULT:
        return "EFAULT";
    case ENOTTY:
        return "ENOTTY";
    case ESRCH:
        return "ESRCH";
    default:
        snprintf(text, sizeof text, "errno %d", errno);
        return text;
    }
}

/* What event I counts in N turns of a loop beyond what it counts in none. */
static unsigned long long count(int fd, int i)
{
    hwperf_cntr_t c;

    if (ioctl(fd, PIOCGETEVCTRS, &c) < 0)
        return ~0ull;
    return c.hwp_evctr[i];
}
