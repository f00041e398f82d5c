/* SPDX-License-Identifier: BSD-2-Clause */
/* Log2 histograms: which bucket, and what can be read back. */
#include "stats/evcnt/histogram.h"

#include "tests/host/test.h"

#include <string.h>

TEST(histogram_buckets)
{
    CHECK_EQUAL(histogram_bucket_of(0), 0);
    CHECK_EQUAL(histogram_bucket_of(UINT64_MAX), 64);
    for (unsigned k = 1; k < HISTOGRAM_BUCKETS; k++) {
        uint64_t low = histogram_bucket_low(k);
        uint64_t high = histogram_bucket_high(k);

        CHECK_EQUAL(histogram_bucket_of(low), k);
        CHECK_EQUAL(histogram_bucket_of(high), k);
        CHECK_EQUAL(histogram_bucket_of(low - 1), k - 1);
        CHECK_EQUAL(histogram_bucket_high(k - 1) + 1, low);
    }
    CHECK_EQUAL(histogram_bucket_low(10), 512);
    CHECK_EQUAL(histogram_bucket_high(10), 1023);
    CHECK_EQUAL(histogram_bucket_high(64), UINT64_MAX);
}

TEST(histogram_reads)
{
    struct histogram h;
    unsigned first;
    unsigned end;

    memset(&h, 0, sizeof h);
    CHECK_EQUAL(histogram_total(&h), 0);
    CHECK_EQUAL(histogram_percentile(&h, 50), 0);
    histogram_range(&h, &first, &end);
    CHECK(first == 0 && end == 0);
    for (uint64_t value = 1; value <= 1000; value++)
        histogram_add(&h, value);
    CHECK_EQUAL(histogram_total(&h), 1000);
    CHECK_EQUAL(h.bucket[1], 1);
    CHECK_EQUAL(h.bucket[9], 256);
    CHECK_EQUAL(h.bucket[10], 1000 - 511);
    histogram_range(&h, &first, &end);
    CHECK(first == 1 && end == 11);
    CHECK_EQUAL(histogram_percentile(&h, 0), 1);
    CHECK_EQUAL(histogram_percentile(&h, 51), 511); /* 511 values are not above 511 */
    CHECK_EQUAL(histogram_percentile(&h, 52), 1023);
    CHECK_EQUAL(histogram_percentile(&h, 100), 1023);
    CHECK_EQUAL(histogram_percentile(&h, 200), 1023);
    memset(&h, 0, sizeof h);
    histogram_add(&h, 1);
    histogram_add(&h, 2);
    histogram_add(&h, 4);
    CHECK_EQUAL(histogram_percentile(&h, 33), 1);
    CHECK_EQUAL(histogram_percentile(&h, 34), 3); /* of three values, one is not 34 percent */
    CHECK_EQUAL(histogram_percentile(&h, 67), 7);
    histogram_add(&h, 0);
    histogram_range(&h, &first, &end);
    CHECK(first == 0 && end == 4);
    h.bucket[64] = UINT64_MAX / 2; /* shares of huge totals do not overflow */
    CHECK_EQUAL(histogram_percentile(&h, 99), UINT64_MAX);
}

TEST(histogram_shared_is_collected)
{
    static struct histogram shared;
    struct histogram copy;

    histogram_add_shared(&shared, 0);
    histogram_add_shared(&shared, 5);
    histogram_add_shared(&shared, 7);
    histogram_collect(&copy, &shared);
    CHECK_EQUAL(histogram_total(&copy), 3);
    CHECK_EQUAL(copy.bucket[3], 2);
}
