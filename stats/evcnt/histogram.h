/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Log2 histograms: how values (service times in nanoseconds, sizes in bytes) are spread, at the
 * price of one increment each.
 *
 * Bucket 0 counts the value 0, bucket k the values from 2^(k-1) to 2^k - 1. Every 64-bit value has
 * a bucket, so nothing is clamped and the total of the buckets is the exact number of values.
 *
 * A histogram has one writer at a time; but see histogram_add_shared. Readers may look
 * meanwhile: each bucket is read whole, and never goes back. Zeroed memory is an empty histogram.
 * There is no mean: who needs an exact sum keeps it beside the histogram.
 */
#ifndef STATS_HISTOGRAM_H
#define STATS_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

#include <machine/cell.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HISTOGRAM_BUCKETS 65

struct histogram {
    uint64_t bucket[HISTOGRAM_BUCKETS];
};

/* Number of bits of each number below 256 up to its highest 1. */
extern const unsigned char histogram_byte_bits[256];
/* The same of a number of at least 2^16. */
unsigned long histogram_bits_wide(uint64_t value);

/* Number of bits in VALUE up to its highest 1: 0 for 0, 64 for 2^63 and more. */
static __inline unsigned long histogram_bucket_of(uint64_t value)
{
#if defined(__mips__) && !defined(__mips_isa_rev)
    /* MIPS IV cannot count leading zeros: look up the highest eight bits that hold any. */
    if (__builtin_expect(value >> 16 != 0, 0))
        return histogram_bits_wide(value);
    if (__builtin_expect(value >> 8 == 0, 0))
        return histogram_byte_bits[value];
    return 8ul + histogram_byte_bits[value >> 8];
#else
    return value >> 63 ? 64 : 63 - (unsigned)__builtin_clzll(value << 1 | 1);
#endif
}

/* The same without a call, for functions that make no other: longer, and slower for large values.
 */
static __inline unsigned long histogram_bucket_inline(uint64_t value)
{
#if defined(__mips__) && !defined(__mips_isa_rev)
    unsigned long bits = 0;

    while (__builtin_expect(value >> 16 != 0, 0)) {
        value >>= 16;
        bits += 16;
    }
    if (value >> 8 != 0) {
        value >>= 8;
        bits += 8;
    }
    return bits + histogram_byte_bits[value];
#else
    return histogram_bucket_of(value);
#endif
}

static __inline void histogram_add(struct histogram *h, uint64_t value)
{
    h->bucket[histogram_bucket_of(value)]++;
}

/*
 * A shared histogram is raised by all CPUs at once. It lies in what each CPU has a copy of, as a
 * static variable does, or comes from cell_create, and is not read directly but through a copy, in
 * which no bucket is less than in an earlier one.
 */
static __inline void histogram_add_shared(struct histogram *h, uint64_t value)
{
    cell_incr(&h->bucket[histogram_bucket_of(value)]);
}

void histogram_collect(struct histogram *out, const struct histogram *shared);

/* The smallest and the largest value that a bucket counts. */
uint64_t histogram_bucket_low(unsigned bucket);
uint64_t histogram_bucket_high(unsigned bucket);

/* How many values were added. */
uint64_t histogram_total(const struct histogram *h);

/*
 * The largest value of the bucket in which the given percentile (0..100) falls: at least that share
 * of the values is not above it. 0 for an empty histogram.
 */
uint64_t histogram_percentile(const struct histogram *h, unsigned percent);

/* The first and one past the last bucket in use; both 0 when empty. */
void histogram_range(const struct histogram *h, unsigned *first, unsigned *end);

#ifdef __cplusplus
}
#endif

#endif
