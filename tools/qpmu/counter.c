/* SPDX-License-Identifier: BSD-2-Clause */
/* One counter's arithmetic. */
#include "tools/qpmu/counter.h"

static uint64_t mask(const struct qpmu_counter *counter)
{
    return (1ull << counter->width) - 1;
}

uint64_t qpmu_counter_value(const struct qpmu_counter *counter, uint64_t raw)
{
    if (!counter->running)
        return counter->value;
    return (counter->value + (raw - counter->start)) & mask(counter);
}

void qpmu_counter_fold(struct qpmu_counter *counter, uint64_t raw)
{
    counter->value = qpmu_counter_value(counter, raw);
    counter->start = raw;
}

uint64_t qpmu_counter_distance(const struct qpmu_counter *counter, uint64_t value)
{
    uint64_t distance = (counter->overflow_at - value) & mask(counter);

    return distance == 0 ? mask(counter) + 1 : distance;
}

uint64_t qpmu_counter_limit(const struct qpmu_counter *counter)
{
    if (!counter->running)
        return UINT64_MAX;
    return counter->start + qpmu_counter_distance(counter, counter->value);
}
