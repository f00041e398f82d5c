/* SPDX-License-Identifier: BSD-2-Clause */
/* One device's record, with a clock turned by hand. */
#include <sys/bio.h>
#include <sys/devicestat.h>
#include <sys/evcnt.h>

#include "lib/errno.h"
#include "stats/devstat/devstat_record.h"
#include "tests/host/test.h"

#include <pthread.h>
#include <quipu_host.h>
#include <string.h>

#define SECOND UINT64_C(1000000000)

static struct devstat ds;

static void begin(devstat_support_flags flags)
{
    memset(&ds, 0, sizeof ds);
    devstat_add_entry(&ds, "da", 3, 512, flags, DEVSTAT_TYPE_DIRECT | DEVSTAT_TYPE_IF_IDE,
                      DEVSTAT_PRIORITY_DISK);
}

TEST(devstat_values_of_the_interface)
{
    CHECK_EQUAL(DEVSTAT_TYPE_FLOPPY, 0xe);
    CHECK_EQUAL(DEVSTAT_TYPE_IF_OTHER, 0x30);
    CHECK_EQUAL(DEVSTAT_TYPE_PASS, 0x100);
    CHECK_EQUAL(DEVSTAT_PRIORITY_CD, 0x90);
    CHECK_EQUAL(DEVSTAT_PRIORITY_MAX, 0xfff);
    CHECK_EQUAL(DEVSTAT_FREE, 3);
    CHECK_EQUAL(DEVSTAT_TAG_NONE, 3);
    CHECK_EQUAL(DEVSTAT_BS_UNAVAILABLE, 4);
}

TEST(devstat_entry)
{
    host_wall_set(1000 * SECOND + 5000);
    host_clock_set(7 * SECOND + 2000);
    begin(DEVSTAT_NO_BLOCKSIZE);
    CHECK_TEXT(ds.device_name, "da");
    CHECK(ds.unit_number == 3 && ds.block_size == 512 && ds.flags == DEVSTAT_NO_BLOCKSIZE);
    CHECK(ds.device_type == 0x20 && ds.priority == 0x110);
    CHECK(ds.dev_creation_time.tv_sec == 1007 && ds.dev_creation_time.tv_usec == 7);
    CHECK_EQUAL(ds.creation_ns, 7 * SECOND + 2000);
    devstat_remove_entry(&ds);
    CHECK_TEXT(host_log_last(), "");
    devstat_remove_entry(&ds);
    CHECK_TEXT(host_log_last(), "devstat: a device is removed that is not on the list");
}

TEST(devstat_name_is_cut)
{
    memset(&ds, 0, sizeof ds);
    devstat_add_entry(&ds, "a name of more than 15", 0, 0, 0, 0, 0);
    CHECK_TEXT(ds.device_name, "a name of more ");
}

TEST(devstat_null_is_ignored)
{
    struct bio bio = {.bio_cmd = BIO_READ};

    devstat_add_entry(NULL, "da", 0, 512, 0, 0, 0);
    devstat_start_transaction(NULL);
    devstat_start_transaction_at(NULL, 1);
    devstat_start_transaction_held(NULL, 1);
    devstat_end_transaction(NULL, 1, DEVSTAT_TAG_NONE, DEVSTAT_READ);
    devstat_end_transaction_at(NULL, 1, DEVSTAT_TAG_NONE, DEVSTAT_READ, 1, 1);
    devstat_end_transaction_held(NULL, 1, DEVSTAT_TAG_NONE, DEVSTAT_READ, 1, 1);
    devstat_end_transaction_bio(NULL, &bio);
    devstat_remove_entry(NULL);
    CHECK_EQUAL(devstat_count(), 0);
    CHECK(devstat_generation() == 0);
}

/* Two transactions that overlap: 10 to 40, 20 to 70. */
TEST(devstat_busy_time_grows_when_idle)
{
    begin(DEVSTAT_ALL_SUPPORTED);
    host_clock_set(10 * SECOND);
    devstat_start_transaction(&ds);
    CHECK(ds.busy_count == 1 && ds.start_time.tv_sec == 10);
    host_clock_set(20 * SECOND);
    devstat_start_transaction(&ds);
    CHECK(ds.busy_count == 2 && ds.start_time.tv_sec == 10);
    host_clock_set(40 * SECOND);
    devstat_end_transaction(&ds, 100, DEVSTAT_TAG_SIMPLE, DEVSTAT_READ);
    CHECK(ds.busy_count == 1 && ds.busy_time.tv_sec == 0 && ds.last_comp_time.tv_sec == 40);
    host_clock_set(70 * SECOND + 1234567);
    devstat_end_transaction(&ds, 50, DEVSTAT_TAG_HEAD, DEVSTAT_WRITE);
    CHECK(ds.busy_count == 0 && ds.busy_time.tv_sec == 60 && ds.busy_time.tv_usec == 1234);
    CHECK_EQUAL(ds.busy_ns, 60 * SECOND + 1234567);
    CHECK(ds.bytes_read == 100 && ds.num_reads == 1);
    CHECK(ds.bytes_written == 50 && ds.num_writes == 1);
    CHECK(ds.tag_types[0] == 1 && ds.tag_types[1] == 1 && ds.tag_types[2] == 0);
    CHECK_EQUAL(histogram_total(&ds.service), 0); /* these calls know no duration */
}

TEST(devstat_kinds)
{
    begin(DEVSTAT_ALL_SUPPORTED);
    for (unsigned kind = DEVSTAT_NO_DATA; kind <= DEVSTAT_FREE; kind++) {
        devstat_start_transaction(&ds);
        devstat_end_transaction(&ds, 1000 + kind, DEVSTAT_TAG_NONE, (devstat_trans_flags)kind);
    }
    CHECK(ds.num_other == 1 && ds.num_reads == 1 && ds.num_writes == 1 && ds.num_frees == 1);
    CHECK(ds.bytes_read == 1001 && ds.bytes_written == 1002 && ds.bytes_freed == 1003);
    CHECK(ds.tag_types[0] + ds.tag_types[1] + ds.tag_types[2] == 0);
}

TEST(devstat_without_ordered_tags_none_is_counted)
{
    begin(DEVSTAT_NO_ORDERED_TAGS);
    for (unsigned tag = DEVSTAT_TAG_SIMPLE; tag <= DEVSTAT_TAG_ORDERED; tag++) {
        devstat_start_transaction(&ds);
        devstat_end_transaction(&ds, 1, (devstat_tag_type)tag, DEVSTAT_READ);
    }
    CHECK(ds.tag_types[0] + ds.tag_types[1] + ds.tag_types[2] == 0);
}

TEST(devstat_durations)
{
    begin(DEVSTAT_ALL_SUPPORTED);
    devstat_start_transaction_at(&ds, 100);
    devstat_start_transaction_at(&ds, 150);
    devstat_start_transaction_at(&ds, 160);
    devstat_end_transaction_at(&ds, 1, DEVSTAT_TAG_NONE, DEVSTAT_READ, 1124, 100);
    devstat_end_transaction_at(&ds, 1, DEVSTAT_TAG_NONE, DEVSTAT_WRITE, 1173, 150);
    devstat_end_transaction_at(&ds, 1, DEVSTAT_TAG_NONE, DEVSTAT_NO_DATA, 1200, 1300);
    CHECK_EQUAL(ds.duration_ns[DEVSTAT_READ], 1024);
    CHECK_EQUAL(ds.duration_ns[DEVSTAT_WRITE], 1023);
    CHECK_EQUAL(ds.duration_ns[DEVSTAT_NO_DATA], 0); /* a start in the future */
    CHECK(ds.service.bucket[11] == 1 && ds.service.bucket[10] == 1 && ds.service.bucket[0] == 1);
    CHECK_EQUAL(histogram_total(&ds.service), 3);
    CHECK_EQUAL(ds.busy_ns, 1100);
}

TEST(devstat_bio)
{
    struct bio read = {.bio_cmd = BIO_READ, .bio_bcount = 4096, .bio_resid = 1024, .bio_t0 = 500};
    struct bio flush = {.bio_cmd = BIO_FLUSH, .bio_flags = BIO_ORDERED, .bio_bcount = 512};
    struct bio erase = {.bio_cmd = BIO_DELETE, .bio_bcount = 10, .bio_resid = 20};

    begin(DEVSTAT_ALL_SUPPORTED);
    for (unsigned i = 0; i < 3; i++)
        devstat_start_transaction_at(&ds, 500);
    host_clock_set(2500);
    devstat_end_transaction_bio(&ds, &read);
    devstat_end_transaction_bio(&ds, &flush);
    devstat_end_transaction_bio(&ds, &erase);
    CHECK(ds.bytes_read == 3072 && ds.num_reads == 1 && ds.num_other == 1);
    CHECK(ds.num_frees == 1 && ds.bytes_freed == 0);
    CHECK(ds.tag_types[DEVSTAT_TAG_SIMPLE] == 2 && ds.tag_types[DEVSTAT_TAG_ORDERED] == 1);
    CHECK_EQUAL(ds.duration_ns[DEVSTAT_READ], 2000);
    CHECK_EQUAL(histogram_total(&ds.service), 1); /* the others did not say when they began */
    CHECK_EQUAL(ds.busy_ns, 2000);
}

TEST(devstat_end_without_start)
{
    struct evcnt *ev;

    begin(DEVSTAT_ALL_SUPPORTED);
    ev = evcnt_lookup("devstat", "end without start");
    host_clock_set(900);
    devstat_end_transaction(&ds, 512, DEVSTAT_TAG_NONE, DEVSTAT_READ);
    CHECK_TEXT(host_log_last(), "devstat: da3: a transaction ended that had not started");
    devstat_end_transaction_at(&ds, 512, DEVSTAT_TAG_NONE, DEVSTAT_READ, 950, 940);
    CHECK(ds.busy_count == 0 && ds.unmatched_ends == 2);
    CHECK_EQUAL(evcnt_value(ev), 2);
    CHECK(ds.busy_ns == 0 && ds.num_reads == 2 && ds.bytes_read == 1024);
    devstat_start_transaction_at(&ds, 1000); /* what comes then is right again */
    CHECK(ds.busy_count == 1);
    devstat_end_transaction_at(&ds, 512, DEVSTAT_TAG_NONE, DEVSTAT_READ, 1100, 1000);
    CHECK(ds.busy_count == 0 && ds.busy_ns == 100 && ds.unmatched_ends == 2);
}

TEST(devstat_copies)
{
    struct devstat copy;

    begin(DEVSTAT_ALL_SUPPORTED);
    devstat_start_transaction_at(&ds, 100);
    CHECK(devstat_copy(&copy, &ds) == 0);
    CHECK(!devstat_torn(&copy) && copy.sequence0 == 1);
    devstat_extend(&copy, 400);
    CHECK(copy.busy_ns == 300 && ds.busy_ns == 0);
    devstat_extend(&copy, 450);
    CHECK_EQUAL(copy.busy_ns, 350);
    devstat_begin_change(&ds);
    CHECK(devstat_copy(&copy, &ds) == -EAGAIN);
    CHECK(devstat_torn(&copy));
    devstat_end_change(&ds);
    CHECK(devstat_copy(&copy, &ds) == 0);
}

#define WRITERS 4
#define ROUNDS  20000

static void *work(void *arg)
{
    host_cpu_set((unsigned)(uintptr_t)arg);
    for (uint64_t round = 0; round < ROUNDS; round++) {
        devstat_start_transaction_at(&ds, round);
        devstat_end_transaction_at(&ds, 512, DEVSTAT_TAG_SIMPLE, DEVSTAT_READ, round + 1, round);
    }
    return NULL;
}

/* In no copy do the figures of one change disagree; at the end nothing is lost. */
TEST(devstat_threads)
{
    pthread_t threads[WRITERS];
    struct devstat copy;
    unsigned good = 0;

    begin(DEVSTAT_ALL_SUPPORTED);
    for (uintptr_t at = 0; at < WRITERS; at++)
        pthread_create(&threads[at], NULL, work, (void *)(at + 1));
    for (unsigned look = 0; look < 2000; look++) {
        if (devstat_copy(&copy, &ds) != 0)
            continue;
        good++;
        CHECK(copy.bytes_read == 512 * copy.num_reads && copy.num_reads == copy.tag_types[0]);
        CHECK(copy.num_reads == copy.duration_ns[DEVSTAT_READ]);
        CHECK(copy.sequence0 == 2 * copy.num_reads + (uint64_t)copy.busy_count);
    }
    for (unsigned at = 0; at < WRITERS; at++)
        pthread_join(threads[at], NULL);
    CHECK(good > 0 && ds.busy_count == 0 && ds.unmatched_ends == 0);
    CHECK_EQUAL(ds.num_reads, WRITERS * ROUNDS);
    CHECK_EQUAL(ds.service.bucket[1], WRITERS * ROUNDS);
}
