/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Averages of several runs, see pmc_stat.h. With n runs, their sum S and the sum Q of their
 * squares, the standard error of the mean is sqrt((n Q - S^2) / (n - 1)) / n.
 */
#include "lib/fraction.h"
#include "stats/read/pmc_stat.h"

#define ROOT_SHIFT 40 /* binary places of a root */

void pmc_stat_sum_add(struct pmc_stat_sum *sum, uint64_t value)
{
    sum->runs++;
    sum->sum += value;
    sum->squares += (unsigned __int128)value * value;
}

uint64_t pmc_stat_sum_mean(const struct pmc_stat_sum *sum)
{
    return fraction_round(sum->sum, 1, 1, sum->runs, 1);
}

/* The root of VALUE, rounded down. */
static uint64_t pmc_stat_sum_root(unsigned __int128 value)
{
    uint64_t result = 0;

    for (unsigned bit = 64; bit-- > 0;) {
        uint64_t next = result | UINT64_C(1) << bit;

        if ((unsigned __int128)next * next <= value)
            result = next;
    }
    return result;
}

/* The root of n Q - S^2, times 2^*shift. */
static uint64_t pmc_stat_sum_deviation(const struct pmc_stat_sum *sum, unsigned *shift)
{
    unsigned __int128 value = sum->squares * sum->runs - (unsigned __int128)sum->sum * sum->sum;

    for (*shift = 0; *shift < ROOT_SHIFT && value >> 126 == 0; ++*shift)
        value <<= 2;
    return pmc_stat_sum_root(value);
}

/* deviation * FACTOR / (sqrt(n - 1) * DIVISOR) */
static uint64_t pmc_stat_sum_error_of(const struct pmc_stat_sum *sum, uint64_t factor,
                                      uint64_t divisor)
{
    unsigned shift;
    uint64_t above, below;

    if (sum->runs < 2)
        return 0;
    above = pmc_stat_sum_deviation(sum, &shift);
    below = pmc_stat_sum_root((unsigned __int128)(sum->runs - 1) << 2 * ROOT_SHIFT);
    return fraction_round(above, factor, UINT64_C(1) << (ROOT_SHIFT - shift), below, divisor);
}

uint64_t pmc_stat_sum_error(const struct pmc_stat_sum *sum)
{
    return pmc_stat_sum_error_of(sum, 1, sum->runs);
}

uint64_t pmc_stat_sum_spread(const struct pmc_stat_sum *sum)
{
    return pmc_stat_sum_error_of(sum, PMC_STAT_WHOLE, sum->sum);
}

uint64_t pmc_stat_scale(uint64_t value, uint64_t enabled, uint64_t running)
{
    return fraction_round(value, enabled, 1, running, 1);
}
