/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading log2 histograms: see histogram.h. Nothing here is on a path that counts. */
#include "stats/evcnt/histogram.h"

#define ROW(n) n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n

const unsigned char histogram_byte_bits[256] = {
    0,      1,      2,      2,      3,      3,      3,      3,      4,      4,      4,
    4,      4,      4,      4,      4,      ROW(5), ROW(6), ROW(6), ROW(7), ROW(7), ROW(7),
    ROW(7), ROW(8), ROW(8), ROW(8), ROW(8), ROW(8), ROW(8), ROW(8), ROW(8),
};

unsigned long histogram_bits_wide(uint64_t value)
{
    unsigned long bits = 16; /* most are below 2^32 */

    if (value >> 32 != 0) {
        bits = value >> 48 != 0 ? 48 : 32;
        value >>= bits - 16;
    }
    value >>= 16;
    if (value >> 8 != 0)
        return bits + 8 + histogram_byte_bits[value >> 8];
    return bits + histogram_byte_bits[value];
}

uint64_t histogram_bucket_low(unsigned bucket)
{
    return bucket == 0 ? 0 : UINT64_C(1) << (bucket - 1);
}

uint64_t histogram_bucket_high(unsigned bucket)
{
    return bucket == 0 ? 0 : UINT64_MAX >> (64 - bucket);
}

/* A bucket may be raised while it is read: volatile makes it one load, which is never torn. */
static uint64_t histogram_count_of(const struct histogram *h, unsigned bucket)
{
    return *(const volatile uint64_t *)&h->bucket[bucket];
}

void histogram_collect(struct histogram *out, const struct histogram *shared)
{
    for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++)
        out->bucket[i] = cell_sum(&shared->bucket[i]);
}

uint64_t histogram_total(const struct histogram *h)
{
    uint64_t total = 0;

    for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++)
        total += histogram_count_of(h, i);
    return total;
}

/* The smallest number of values that are PERCENT of TOTAL, rounded up; exact without overflow. */
static uint64_t histogram_share_of(uint64_t total, unsigned percent)
{
    uint64_t whole = total / 100 * percent;

    return whole + (total % 100 * percent + 99) / 100;
}

uint64_t histogram_percentile(const struct histogram *h, unsigned percent)
{
    struct histogram copy;
    uint64_t total = 0;
    uint64_t seen = 0;
    uint64_t wanted;
    unsigned last = 0;

    for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) { /* total and walk see the same counts */
        copy.bucket[i] = histogram_count_of(h, i);
        total += copy.bucket[i];
    }
    wanted = histogram_share_of(total, percent > 100 ? 100 : percent);
    for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
        if (copy.bucket[i] == 0)
            continue;
        last = i;
        seen += copy.bucket[i];
        if (seen >= wanted)
            break;
    }
    return histogram_bucket_high(last);
}

void histogram_range(const struct histogram *h, unsigned *first, unsigned *end)
{
    *first = 0;
    *end = 0;
    for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
        if (histogram_count_of(h, i) == 0)
            continue;
        if (*end == 0)
            *first = i;
        *end = i + 1;
    }
}
