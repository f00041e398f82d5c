/* SPDX-License-Identifier: BSD-2-Clause */
/* FreeBSD's record, made from ours: against values worked by hand. */
#include "stats/devstat/devstat6.h"

#include "lib/errno.h"
#include "tests/host/test.h"

#include <string.h>

#define SECOND UINT64_C(1000000000)

static struct devstat ds;
static struct devstat6 six;

static void begin(void)
{
    memset(&ds, 0, sizeof ds);
    devstat_add_entry(&ds, "da", 3, 4096, DEVSTAT_NO_ORDERED_TAGS,
                      DEVSTAT_TYPE_CDROM | DEVSTAT_TYPE_IF_IDE, DEVSTAT_PRIORITY_CD);
}

static void make(void)
{
    struct devstat copy;

    CHECK(devstat_copy(&copy, &ds) == 0);
    memset(&six, 0xa5, sizeof six);
    devstat6_make(&six, &copy);
}

static void run(devstat_trans_flags kind, uint32_t bytes, uint64_t from, uint64_t to)
{
    devstat_start_transaction_at(&ds, from);
    devstat_end_transaction_at(&ds, bytes, DEVSTAT_TAG_NONE, kind, to, from);
}

/* The nanoseconds that a reader finds in a time. */
static uint64_t ns_of(struct devstat6_time time)
{
    return (uint64_t)time.sec * SECOND + (uint64_t)((unsigned __int128)time.frac * SECOND >> 64);
}

TEST(devstat6_fields)
{
    begin();
    run(DEVSTAT_READ, 100, 0, SECOND / 2);
    run(DEVSTAT_READ, 28, SECOND, SECOND + 1);
    run(DEVSTAT_WRITE, 7, 2 * SECOND, 5 * SECOND);
    run(DEVSTAT_FREE, 9, 5 * SECOND, 5 * SECOND);
    run(DEVSTAT_NO_DATA, 11, 6 * SECOND, 6 * SECOND + SECOND / 4);
    make();
    CHECK_EQUAL(six.sequence0, 10);
    CHECK_EQUAL(six.sequence1, 10);
    CHECK(six.allocated == 1 && six.dev_links == 0 && six.id == 0);
    CHECK(six.start_count == 5 && six.end_count == 5);
    CHECK_TEXT(six.device_name, "da");
    CHECK(six.unit_number == 3 && six.device_number == 0 && six.block_size == 4096);
    CHECK(six.bytes[0] == 0 && six.bytes[1] == 128 && six.bytes[2] == 7 && six.bytes[3] == 9);
    for (unsigned kind = 0; kind < 4; kind++)
        CHECK_EQUAL(six.operations[kind], kind == 1 ? 2 : 1);
    CHECK(six.duration[0].sec == 0 && six.duration[0].frac == UINT64_C(1) << 62);
    CHECK(six.duration[1].sec == 0 && six.duration[1].frac == (UINT64_C(1) << 63) + 18446744074);
    CHECK(six.duration[2].sec == 3 && six.duration[2].frac == 0);
    CHECK(six.duration[3].sec == 0 && six.duration[3].frac == 0);
    CHECK_EQUAL(ns_of(six.busy_time), SECOND / 2 + 1 + 3 * SECOND + SECOND / 4);
    CHECK(six.tag_types[0] + six.tag_types[1] + six.tag_types[2] == 0);
    CHECK(six.flags == 2 && six.device_type == 0x25 && six.priority == 0x90);
}

/* No nanosecond is lost on the way there and back. */
TEST(devstat6_times)
{
    static const uint64_t times[] = {0,
                                     1,
                                     2,
                                     999,
                                     SECOND - 1,
                                     SECOND,
                                     SECOND + 1,
                                     3333333333,
                                     7000000000001,
                                     123456789,
                                     SECOND / 3,
                                     999999998,
                                     UINT64_C(1) << 62};

    for (unsigned i = 0; i < sizeof times / sizeof times[0]; i++) {
        begin();
        ds.creation_ns = times[i];
        make();
        CHECK_EQUAL(ns_of(six.creation_time), times[i]);
        devstat_remove_entry(&ds);
    }
}

/* busy_time is up to date at each end of a transaction; the rest begins at busy_from. */
TEST(devstat6_busy)
{
    begin();
    devstat_start_transaction_at(&ds, 100);
    make();
    CHECK(six.start_count == 1 && six.end_count == 0);
    CHECK(ns_of(six.busy_time) == 0 && ns_of(six.busy_from) == 100);
    devstat_start_transaction_at(&ds, 150);
    devstat_end_transaction_at(&ds, 1, DEVSTAT_TAG_NONE, DEVSTAT_READ, 180, 100);
    make();
    CHECK(six.start_count == 2 && six.end_count == 1);
    CHECK(ns_of(six.busy_time) == 80 && ns_of(six.busy_from) == 180);
    devstat_end_transaction_at(&ds, 1, DEVSTAT_TAG_NONE, DEVSTAT_READ, 230, 150);
    make();
    CHECK(ns_of(six.busy_time) == 130 && ns_of(six.busy_from) == 230);
    devstat_start_transaction_at(&ds, 900);
    make();
    CHECK(ns_of(six.busy_time) == 130 && ns_of(six.busy_from) == 900);
    devstat_end_transaction_at(&ds, 1, DEVSTAT_TAG_NONE, DEVSTAT_READ, 910, 900);
    devstat_end_transaction(&ds, 1, DEVSTAT_TAG_NONE, DEVSTAT_READ); /* had not begun */
    make();
    CHECK(six.start_count == 3 && six.end_count == 3 && six.operations[1] == 4);
}

TEST(devstat6_export)
{
    static char buffer[sizeof(long) + 2 * sizeof(struct devstat6)];
    struct devstat6 *first = (struct devstat6 *)(void *)(buffer + sizeof(long));
    size_t size;

    begin();
    CHECK(devstat6_export(NULL, 0, &size) == 0 && size == sizeof(long) + 288);
    CHECK(devstat6_export(buffer, size - 1, &size) == -ENOMEM);
    CHECK(devstat6_export(buffer, sizeof buffer, &size) == 0 && *(long *)(void *)buffer == 1);
    CHECK(first->sequence0 == first->sequence1 && first->unit_number == 3);
    ds.sequence1++; /* as if a change had begun that does not end */
    CHECK(devstat6_export(buffer, sizeof buffer, &size) == 0);
    CHECK(first->sequence0 != first->sequence1);
}
