/* SPDX-License-Identifier: BSD-2-Clause */
/* See system.h. */
#include "user/perfex/system.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syssgi.h>

static bool system_tells;

void system_tell(void)
{
    system_tells = true;
}

static int system_ask(const char *name, int command, void *argument)
{
    int result = syssgi(SGI_EVENTCTR, command, argument), error = errno;

    if (system_tells)
        fprintf(stderr, "syssgi(SGI_EVENTCTR, %s) = %d%s%s\n", name, result, result < 0 ? ", " : "",
                result < 0 ? strerror(error) : "");
    errno = error;
    return result;
}

int system_control(hwperf_eventctrl_t *control)
{
    return system_ask("HWPERF_GETSYSEVCTRL", HWPERF_GETSYSEVCTRL, control);
}

int system_counts(hwperf_cntr_t *counts)
{
    return system_ask("HWPERF_GETSYSCNTRS", HWPERF_GETSYSCNTRS, counts);
}

int system_begin(hwperf_profevctrarg_t *args)
{
    return system_ask("HWPERF_ENSYSCNTRS", HWPERF_ENSYSCNTRS, args);
}

int system_change(hwperf_profevctrarg_t *args)
{
    return system_ask("HWPERF_SETSYSEVCTRL", HWPERF_SETSYSEVCTRL, args);
}

int system_release(void)
{
    return system_ask("HWPERF_RELSYSCNTRS", HWPERF_RELSYSCNTRS, NULL);
}
