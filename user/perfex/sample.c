/* SPDX-License-Identifier: BSD-2-Clause */
/* See sample.h. */
#include "user/perfex/sample.h"

#include <time.h>
#include "user/perfex/counters.h"
#include "user/perfex/system.h"

double sample_clock(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Counts are of one moment with what is counted if the generation is the same before and after. */
bool sample_take(struct sample *sample)
{
    int counted;

    do {
        sample->generation = system_control(&sample->counts.control);
        if (sample->generation < 0)
            return false;
        counted = system_counts(&sample->counts.counted);
        if (counted < 0)
            return false;
        sample->seconds = sample_clock();
    } while (counted != sample->generation);
    return true;
}

bool sample_follows(const struct sample *later, const struct sample *earlier)
{
    return later->generation == earlier->generation && later->seconds > earlier->seconds;
}

double sample_rate(const struct sample *later, const struct sample *earlier, int event)
{
    unsigned long long count =
        later->counts.counted.hwp_evctr[event] - earlier->counts.counted.hwp_evctr[event];

    return (double)count * perfex_sharing(&later->counts.control, event) /
           (later->seconds - earlier->seconds);
}
