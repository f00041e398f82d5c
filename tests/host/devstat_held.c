/* SPDX-License-Identifier: BSD-2-Clause */
/* What drivers call under a lock of their own, step by step: each change is one change, and a copy
 * has the classic times that these calls leave out. */
#include "stats/devstat/devstat_record.h"

#include "tests/host/test.h"

#include <quipu_host.h>
#include <string.h>

#define SECOND UINT64_C(1000000000)

static struct devstat ds;

static void begin(void)
{
    memset(&ds, 0, sizeof ds);
    devstat_add_entry(&ds, "da", 0, 512, DEVSTAT_ALL_SUPPORTED, DEVSTAT_TYPE_DIRECT,
                      DEVSTAT_PRIORITY_DISK);
}

static bool changed(uint64_t times)
{
    return ds.sequence0 == times && ds.sequence1 == times;
}

/* From 10 s to 40 s and from 20 s to 70.5 s. */
TEST(devstat_held_steps)
{
    begin();
    devstat_start_transaction_held(&ds, 10 * SECOND);
    CHECK(changed(1) && ds.busy_count == 1 && ds.start_ns == 10 * SECOND);
    devstat_start_transaction_held(&ds, 20 * SECOND);
    CHECK(changed(2) && ds.busy_count == 2 && ds.start_ns == 10 * SECOND);
    devstat_end_transaction_held(&ds, 700, DEVSTAT_TAG_HEAD, DEVSTAT_READ, 40 * SECOND,
                                 10 * SECOND);
    CHECK(changed(3) && ds.busy_count == 1 && ds.busy_ns == 0 && ds.last_ns == 40 * SECOND);
    devstat_end_transaction_held(&ds, 300, DEVSTAT_TAG_HEAD, DEVSTAT_READ, 70 * SECOND + SECOND / 2,
                                 20 * SECOND);
    CHECK(changed(4) && ds.busy_count == 0 && ds.busy_ns == 60 * SECOND + SECOND / 2);
    CHECK(ds.bytes_read == 1000 && ds.num_reads == 2 && ds.tag_types[DEVSTAT_TAG_HEAD] == 2);
    CHECK_EQUAL(ds.duration_ns[DEVSTAT_READ], 80 * SECOND + SECOND / 2);
    CHECK_EQUAL(ds.unmatched_ends, 0);
}

TEST(devstat_held_copy_has_classic_times)
{
    struct devstat copy;

    begin();
    devstat_start_transaction_held(&ds, 10 * SECOND);
    devstat_end_transaction_held(&ds, 1, DEVSTAT_TAG_NONE, DEVSTAT_WRITE, 13 * SECOND + 5000,
                                 10 * SECOND);
    devstat_start_transaction_held(&ds, 20 * SECOND + 3000);
    CHECK(devstat_copy(&copy, &ds) == 0);
    CHECK(copy.busy_time.tv_sec == 3 && copy.busy_time.tv_usec == 5);
    CHECK(copy.start_time.tv_sec == 20 && copy.start_time.tv_usec == 3);
    CHECK(copy.last_comp_time.tv_sec == 13 && copy.last_comp_time.tv_usec == 5);
    devstat_extend(&copy, 24 * SECOND + 10000);
    CHECK(copy.busy_time.tv_sec == 7 && copy.busy_time.tv_usec == 12);
    CHECK_EQUAL(copy.busy_ns, 7 * SECOND + 12000);
}

/* The block layer's own way to an end: it knows the start of both, and every tag is a simple one.
 */
TEST(devstat_held_end_started)
{
    begin();
    devstat_start_transaction_held(&ds, 100);
    devstat_start_transaction_held(&ds, 200);
    devstat_end_started(&ds, 512, DEVSTAT_WRITE, 1124, 100, 612);
    CHECK(changed(3) && ds.busy_count == 1 && ds.busy_ns == 0 && ds.last_ns == 1124);
    devstat_end_started(&ds, 0, DEVSTAT_NO_DATA, 1223, 200, 967);
    CHECK(changed(4) && ds.busy_count == 0 && ds.busy_ns == 1123 && ds.last_ns == 1223);
    CHECK(ds.num_writes == 1 && ds.bytes_written == 512 && ds.num_other == 1);
    CHECK_EQUAL(ds.tag_types[DEVSTAT_TAG_SIMPLE], 2);
    CHECK(ds.duration_ns[DEVSTAT_WRITE] == 1024 && ds.duration_ns[DEVSTAT_NO_DATA] == 1023);
    CHECK(ds.service.bucket[10] == 1 && ds.service.bucket[9] == 1); /* 512 and 256 ns */
    CHECK_EQUAL(histogram_total(&ds.service), 2);
}

/* A change in progress: whoever looks now sees that it is one. */
TEST(devstat_held_change_shows)
{
    begin();
    devstat_begin_change(&ds);
    CHECK(ds.sequence1 == 1 && ds.sequence0 == 0);
    devstat_end_change(&ds);
    CHECK(changed(1));
}
