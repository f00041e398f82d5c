/* SPDX-License-Identifier: BSD-2-Clause */
/* The calls of <devstat.h> that compute with long double, for programs on a host. */
#include <devstat.h>

#include <stdarg.h>
#include <stdio.h>

#include "stats/read/devstat_compute.h"

long double devstat_compute_etime(const struct timeval *cur, const struct timeval *prev)
{
    long double now = (long double)cur->tv_sec + (long double)cur->tv_usec / 1000000;

    return prev == NULL ? now : now - devstat_compute_etime(prev, NULL);
}

/* By the caller's own ETIME; 0 where there was none, also of the busy percentage, which FreeBSD
 * divides by it all the same. */
static long double devstat_long_double_value_of(const struct devstat_value *value,
                                                devstat_metric metric, long double etime)
{
    long double above = (long double)value->count * (long double)value->times;
    long double below = (long double)value->over;

    if (metric == DSM_BUSY_PCT)
        return etime > 0 ? above / (1e9L * etime) : 0;
    if (value->rate)
        return etime > 0 ? above / (below * etime) : 0;
    return value->by != 0 ? above / (below * (long double)value->by) : 0;
}

/* One metric into DESTINATION, of the type that belongs to it. */
static int devstat_long_double_compute_one(const struct devstat *current,
                                           const struct devstat *previous, long double etime,
                                           devstat_metric metric, void *destination)
{
    struct devstat_value value;

    if (metric == DSM_SKIP)
        return 0;
    if (devstat_compute(current, previous, 1, metric, &value) != 0) {
        snprintf(devstat_errbuf, sizeof devstat_errbuf, "%s: metric %d does not exist",
                 "devstat_compute_statistics", (int)metric);
        return -1;
    }
    if (value.whole)
        *(u_int64_t *)destination = value.count;
    else
        *(long double *)destination = devstat_long_double_value_of(&value, metric, etime);
    return 0;
}

int devstat_compute_statistics(struct devstat *current, struct devstat *previous, long double etime,
                               ...)
{
    va_list args;
    int metric, result = 0;

    if (current == NULL) {
        snprintf(devstat_errbuf, sizeof devstat_errbuf, "%s: current stats structure is NULL",
                 "devstat_compute_statistics");
        return -1;
    }
    va_start(args, etime);
    while (result == 0 && (metric = va_arg(args, int)) != DSM_NONE)
        result = devstat_long_double_compute_one(current, previous, etime, (devstat_metric)metric,
                                                 va_arg(args, void *));
    va_end(args);
    return result;
}
