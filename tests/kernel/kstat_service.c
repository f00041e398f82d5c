/* SPDX-License-Identifier: BSD-2-Clause */
/* Service times as kstats: what a reader finds of a histogram, and when. */
#include "kernel/block/kstat_service.h"
#include <kstat.h>
#include "kernel/time/clock.h"
#include "lib/errno.h"
#include "lib/string.h"
#include "tests/kernel/selftest.h"

#define MODULE "selftest"
#define NAME   "times_service"
#define SINCE  12345

static struct histogram times;

static void collect(const void *source, struct histogram *out)
{
    *out = *(const struct histogram *)source;
}

static int check_record(const kstat_named_t *record, const char *name, uint64_t value)
{
    SELFTEST_CHECK(strcmp(record->name, name) == 0);
    SELFTEST_EQUAL(record->data_type, KSTAT_DATA_UINT64);
    SELFTEST_EQUAL(record->value.ui64, value);
    return 0;
}

/* Buckets 3 to 5 hold 2, 0 and 7. */
static int check_reading(kstat_ctl_t *kc, kstat_t *ksp)
{
    uint64_t before = clock_now();
    const kstat_named_t *record;
    int failed;

    SELFTEST_CHECK(kstat_read(kc, ksp, NULL) != -1);
    SELFTEST_CHECK(ksp->ks_snaptime >= (hrtime_t)before &&
                   ksp->ks_snaptime <= (hrtime_t)clock_now());
    SELFTEST_EQUAL(ksp->ks_crtime, SINCE);
    SELFTEST_EQUAL(ksp->ks_ndata, 3);
    record = ksp->ks_data;
    failed = check_record(&record[0], "03_le_7", 2);
    if (!failed)
        failed = check_record(&record[1], "04_le_15", 0);
    return failed ? failed : check_record(&record[2], "05_le_31", 7);
}

static int check_all(kstat_ctl_t *kc)
{
    kstat_t *ksp = kstat_lookup(kc, MODULE, 0, NAME);
    int failed;

    SELFTEST_CHECK(ksp != NULL);
    SELFTEST_CHECK(kstat_read(kc, ksp, NULL) != -1);
    SELFTEST_EQUAL(ksp->ks_ndata, 0);
    times.bucket[3] = 2;
    times.bucket[5] = 7;
    failed = check_reading(kc, ksp);
    if (failed)
        return failed;
    SELFTEST_EQUAL(kstat_write(kc, ksp, NULL), -1);
    SELFTEST_EQUAL(kstat_errno, EACCES);
    return 0;
}

SELFTEST(kstat_service_times, "kstat-service", "a histogram as a kstat: its buckets, since when")
{
    kstat_t *made;
    kstat_ctl_t *kc;
    int failed;

    memset(&times, 0, sizeof times);
    made = kstat_service_create(MODULE, 0, NAME, collect, &times, SINCE);
    SELFTEST_CHECK(made != NULL);
    SELFTEST_CHECK(kstat_service_create(MODULE, 0, NAME, collect, &times, SINCE) == NULL);
    kc = kstat_open();
    failed = kc ? check_all(kc) : selftest_fail("no chain");
    kstat_service_delete(made);
    SELFTEST_CHECK(kc == NULL || kstat_chain_update(kc) > 0);
    if (!failed && kstat_lookup(kc, MODULE, 0, NAME))
        failed = selftest_fail("deleted, and still there");
    kstat_close(kc);
    return failed;
}
