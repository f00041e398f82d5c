/* SPDX-License-Identifier: BSD-2-Clause */
#include "drivers/pmu_rate.h"
#include "kernel/time/clock.h"

bool pmu_rate_is_quiet(const struct pmu_rate *rate)
{
    return clock_now() < rate->quiet_until;
}

bool pmu_rate_exceeded(struct pmu_rate *rate, unsigned most)
{
    uint64_t now = clock_now();

    if (now < rate->quiet_until)
        return true;
    if (now - rate->burst_start >= CLOCK_TICK_NS) {
        rate->burst_start = now;
        rate->burst = 0;
    }
    if (++rate->burst >= most)
        rate->quiet_until = now + CLOCK_TICK_NS;
    return false;
}
