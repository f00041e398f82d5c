/* SPDX-License-Identifier: BSD-2-Clause */
/* See counters.h. */
#include "user/perfex/counters.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>

int perfex_open(pid_t pid)
{
    char path[32];

    snprintf(path, sizeof path, "/proc/%05d", (int)pid);
    return open(path, O_RDWR | O_CLOEXEC);
}

void perfex_want(hwperf_profevctrarg_t *args, int event, int modes)
{
    struct hwperf_ctrlreg *control = &args->hwp_evctrargs.hwp_evctrl[event].hwperf_creg;

    control->hwp_ev = (unsigned)event % HWPERF_CNTEVENTMAX & 2047;
    control->hwp_mode = (unsigned)modes & 15;
}

bool perfex_wants(const hwperf_eventctrl_t *control, int event)
{
    return control->hwp_evctrl[event].hwperf_spec != 0;
}

unsigned perfex_sharing(const hwperf_eventctrl_t *control, int event)
{
    int side = event / HWPERF_CNT1BASE * HWPERF_CNT1BASE;
    unsigned count = 0;

    for (int i = side; i < side + HWPERF_CNTEVENTMAX; i++)
        count += perfex_wants(control, i);
    return count;
}

unsigned perfex_most_sharing(const hwperf_eventctrl_t *control)
{
    unsigned first = perfex_sharing(control, 0), second = perfex_sharing(control, HWPERF_CNT1BASE);

    return first > second ? first : second;
}

bool perfex_has(int fd, int event)
{
    hwperf_profevctrarg_t one = {.hwp_ovflw_sig = 0};

    perfex_want(&one, event, HWPERF_CNTEN_U);
    return ioctl(fd, PIOCENEVCTRS, &one) >= 0;
}

int perfex_want_all(hwperf_profevctrarg_t *args, int fd, int modes)
{
    for (int i = 0; i < HWPERF_EVENTMAX; i++)
        if (perfex_has(fd, i))
            perfex_want(args, i, modes);
        else if (errno != EINVAL)
            return -1;
    return ioctl(fd, PIOCRELEVCTRS);
}
