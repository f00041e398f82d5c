/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * So many interrupts of counters in a tick, and no more: with a short period the handler alone may
 * make the next overflow, and nothing else would ever run.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct pmu_rate {
    uint64_t burst_start, quiet_until; /* of clock_now() */
    unsigned burst;
};

/* An interrupt has come, and MOST are good in a tick: whether it is one too many, as are those of
 * the following tick. */
bool pmu_rate_exceeded(struct pmu_rate *rate, unsigned most);
/* Whether that tick has not passed. */
bool pmu_rate_is_quiet(const struct pmu_rate *rate);
