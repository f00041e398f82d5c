/* SPDX-License-Identifier: BSD-2-Clause */
/* Every metric of devstat(3), against sums worked by hand; in whole numbers and in long double. */
#include "stats/read/devstat_compute.h"

#include "lib/fraction.h"
#include "tests/host/test.h"

#include <string.h>

#define MS UINT64_C(1000000)

/* In two seconds: 12 reads of 98304 bytes in all, 4 writes of 32768, 2 frees of 4096, 2 others. */
static struct devstat before = {.block_size = 512,
                                .bytes_read = 1000,
                                .bytes_written = 2000,
                                .bytes_freed = 3000,
                                .num_reads = 10,
                                .num_writes = 20,
                                .num_frees = 30,
                                .num_other = 40,
                                .busy_ns = 500 * MS,
                                .duration_ns = {1 * MS, 2 * MS, 3 * MS, 4 * MS}};
static struct devstat after = {.block_size = 512,
                               .bytes_read = 1000 + 98304,
                               .bytes_written = 2000 + 32768,
                               .bytes_freed = 3000 + 4096,
                               .num_reads = 22,
                               .num_writes = 24,
                               .num_frees = 32,
                               .num_other = 42,
                               .busy_count = 3,
                               .busy_ns = 1120 * MS,
                               .duration_ns = {7 * MS, 482 * MS, 6 * MS, 5 * MS}};

/* metric, its value in thousandths, whether it is an integer */
static const struct {
    devstat_metric metric;
    uint64_t thousandths;
    bool whole;
} expected[] = {
    {DSM_TOTAL_BYTES, 135168000, true},
    {DSM_TOTAL_BYTES_READ, 98304000, true},
    {DSM_TOTAL_BYTES_WRITE, 32768000, true},
    {DSM_TOTAL_BYTES_FREE, 4096000, true},
    {DSM_TOTAL_TRANSFERS, 20000, true},
    {DSM_TOTAL_TRANSFERS_READ, 12000, true},
    {DSM_TOTAL_TRANSFERS_WRITE, 4000, true},
    {DSM_TOTAL_TRANSFERS_FREE, 2000, true},
    {DSM_TOTAL_TRANSFERS_OTHER, 2000, true},
    {DSM_TOTAL_BLOCKS, 264000, true},
    {DSM_TOTAL_BLOCKS_READ, 192000, true},
    {DSM_TOTAL_BLOCKS_WRITE, 64000, true},
    {DSM_TOTAL_BLOCKS_FREE, 8000, true},
    {DSM_KB_PER_TRANSFER, 6600, false},
    {DSM_KB_PER_TRANSFER_READ, 8000, false},
    {DSM_KB_PER_TRANSFER_WRITE, 8000, false},
    {DSM_KB_PER_TRANSFER_FREE, 2000, false},
    {DSM_TRANSFERS_PER_SECOND, 10000, false},
    {DSM_TRANSFERS_PER_SECOND_READ, 6000, false},
    {DSM_TRANSFERS_PER_SECOND_WRITE, 2000, false},
    {DSM_TRANSFERS_PER_SECOND_FREE, 1000, false},
    {DSM_TRANSFERS_PER_SECOND_OTHER, 1000, false},
    {DSM_MB_PER_SECOND, 64, false},
    {DSM_MB_PER_SECOND_READ, 47, false}, /* 0.046875 */
    {DSM_MB_PER_SECOND_WRITE, 16, false},
    {DSM_MB_PER_SECOND_FREE, 2, false},
    {DSM_BLOCKS_PER_SECOND, 132000, false},
    {DSM_BLOCKS_PER_SECOND_READ, 96000, false},
    {DSM_BLOCKS_PER_SECOND_WRITE, 32000, false},
    {DSM_BLOCKS_PER_SECOND_FREE, 4000, false},
    {DSM_MS_PER_TRANSACTION, 24500, false},
    {DSM_MS_PER_TRANSACTION_READ, 40000, false},
    {DSM_MS_PER_TRANSACTION_WRITE, 750, false},
    {DSM_MS_PER_TRANSACTION_FREE, 500, false},
    {DSM_MS_PER_TRANSACTION_OTHER, 3000, false},
    {DSM_BUSY_PCT, 31000, false},
    {DSM_QUEUE_LENGTH, 3000, true},
    {DSM_TOTAL_DURATION, 490, false},
    {DSM_TOTAL_DURATION_READ, 480, false},
    {DSM_TOTAL_DURATION_WRITE, 3, false},
    {DSM_TOTAL_DURATION_FREE, 1, false},
    {DSM_TOTAL_DURATION_OTHER, 6, false},
    {DSM_TOTAL_BUSY_TIME, 620, false},
};

TEST(devstat_metrics_in_whole_numbers)
{
    CHECK_EQUAL(sizeof expected / sizeof expected[0], DSM_MAX - 2); /* all but NONE and SKIP */
    for (unsigned at = 0; at < sizeof expected / sizeof expected[0]; at++) {
        struct devstat_value value;

        CHECK(devstat_compute(&after, &before, 2000 * MS, expected[at].metric, &value) == 0);
        CHECK_EQUAL(devstat_value_scaled(&value, 3), expected[at].thousandths);
        CHECK(value.whole == expected[at].whole);
    }
    CHECK(DSM_MS_PER_TRANSACTION_WRITE == 26 && DSM_BUSY_PCT == 37 && DSM_TOTAL_BUSY_TIME == 44);
}

TEST(devstat_metrics_in_long_double)
{
    for (unsigned at = 0; at < sizeof expected / sizeof expected[0]; at++) {
        u_int64_t whole = 12345;
        long double fraction = 12345;
        void *out = expected[at].whole ? (void *)&whole : (void *)&fraction;
        long double error;

        CHECK(devstat_compute_statistics(&after, &before, 2.0L, DSM_SKIP, NULL, expected[at].metric,
                                         out, DSM_NONE) == 0);
        if (expected[at].whole)
            CHECK_EQUAL(whole * 1000, expected[at].thousandths);
        error = fraction * 1000 - (long double)expected[at].thousandths;
        CHECK(expected[at].whole || (error < 0.6L && error > -0.6L));
    }
}

TEST(devstat_metrics_at_the_edges)
{
    static struct devstat empty, older = {.busy_ns = 900, .bytes_read = 5};
    struct devstat_value value;
    long double fraction = 7;
    u_int64_t whole = 7;

    CHECK(devstat_compute(NULL, NULL, 1, DSM_TOTAL_BYTES, &value) == -1);
    CHECK(devstat_compute(&empty, NULL, 1, DSM_NONE, &value) == -1);
    CHECK(devstat_compute(&empty, NULL, 1, DSM_MAX, &value) == -1);
    CHECK(devstat_compute_statistics(NULL, NULL, 1.0L, DSM_NONE) == -1);
    CHECK(devstat_compute_statistics(&after, NULL, 1.0L, DSM_MAX, &whole, DSM_NONE) == -1);
    CHECK_TEXT(devstat_errbuf, "devstat_compute_statistics: metric 45 does not exist");
    /* Since it was created; nothing happened; no time; a time that goes back. */
    CHECK(devstat_compute_statistics(&after, NULL, 1.0L, DSM_TOTAL_BYTES_READ, &whole, DSM_NONE) ==
          0);
    CHECK_EQUAL(whole, 99304);
    for (int metric = 1; metric < DSM_MAX; metric++)
        CHECK_EQUAL(devstat_metric_scaled(&empty, NULL, 0, (devstat_metric)metric, 3), 0);
    CHECK_EQUAL(devstat_metric_scaled(&after, NULL, 0, DSM_TRANSFERS_PER_SECOND, 3), 0);
    devstat_compute_statistics(&after, NULL, 0.0L, DSM_MB_PER_SECOND, &fraction, DSM_NONE);
    CHECK(fraction == 0);
    for (int sign = -1; sign <= 0; sign++) { /* FreeBSD divides: infinity, or no number */
        fraction = 7;
        devstat_compute_statistics(&after, NULL, sign, DSM_BUSY_PCT, &fraction, DSM_NONE);
        CHECK(fraction == 0);
        fraction = 7;
        devstat_compute_statistics(&empty, NULL, sign, DSM_BUSY_PCT, &fraction, DSM_NONE);
        CHECK(fraction == 0);
    }
    CHECK_EQUAL(devstat_metric_scaled(&empty, &older, 1000, DSM_BUSY_PCT, 0), 0);
    CHECK_EQUAL(devstat_metric_scaled(&older, &empty, 300, DSM_BUSY_PCT, 0), 300); /* not capped */
    /* A block size of 0 is 512; what is not a whole block does not count. */
    empty.bytes_read = 1535;
    CHECK_EQUAL(devstat_metric_scaled(&empty, NULL, 1, DSM_TOTAL_BLOCKS, 0), 2);
    empty.bytes_read = 0;
}

TEST(devstat_etime)
{
    struct timeval a = {.tv_sec = 3, .tv_usec = 500000}, b = {.tv_sec = 1, .tv_usec = 750000};

    CHECK(devstat_compute_etime(&a, &b) == 1.75L);
    CHECK(devstat_compute_etime(&a, NULL) == 3.5L);
}

TEST(fraction_rounds_as_printf_does)
{
    CHECK_EQUAL(fraction_round(1, 1, 1, 2, 1), 0); /* halves to even */
    CHECK_EQUAL(fraction_round(3, 1, 1, 2, 1), 2);
    CHECK_EQUAL(fraction_round(5, 1, 1, 2, 1), 2);
    CHECK_EQUAL(fraction_round(5, 1, 1, 3, 1), 2);
    CHECK_EQUAL(fraction_round(7, 1, 1, 0, 9), 0);
    CHECK_EQUAL(fraction_round(UINT64_MAX, 1000000000, 1000, UINT64_MAX, 1000), 1000000000);
    CHECK_EQUAL(fraction_round(UINT64_MAX, 2, 1, 1, 1), UINT64_MAX);
    CHECK_EQUAL(fraction_round(1, 1, 1, UINT64_MAX, 1 << 20), 0);
}
