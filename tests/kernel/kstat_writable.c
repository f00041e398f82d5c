/* SPDX-License-Identifier: BSD-2-Clause */
/* A kstat that programs may write, for tests/qemu/test_libquipu.py: there is none otherwise. */
#include <sys/kstat.h>
#include "lib/errno.h"
#include "lib/string.h"
#include "stats/port.h"
#include "tests/kernel/selftest.h"

#define RECORDS     3
#define TEXT_LENGTH 16

static char text[TEXT_LENGTH] = "first";

/* The text follows the records, as in a kstat that cannot be written. */
static int writable_snapshot(kstat_t *ksp, void *buffer, int rw)
{
    kstat_named_t *record = buffer, *own = ksp->ks_data;
    char *end = (char *)(record + RECORDS);

    ksp->ks_snaptime = (hrtime_t)stats_port_time_ns();
    if (rw == KSTAT_READ) {
        memcpy(record, own, RECORDS * sizeof *record);
        memcpy(end, text, TEXT_LENGTH);
        KSTAT_NAMED_STR_PTR(&record[2]) = end;
        return 0;
    }
    if (record[0].value.ui64 == 13)
        return EIO;
    own[0].value.ui64 = record[0].value.ui64;
    own[1].value.i32 = record[1].value.i32;
    if (KSTAT_NAMED_STR_BUFLEN(&record[2]) > 0)
        strlcpy(text, KSTAT_NAMED_STR_PTR(&record[2]), TEXT_LENGTH);
    return 0;
}

SELFTEST_ONLY_NAMED(writable_kstat_now, "writable-kstat-now", "makes a kstat that may be written")
{
    kstat_t *ksp = kstat_create("selftest", 0, "writable", "misc", KSTAT_TYPE_NAMED, RECORDS,
                                KSTAT_FLAG_WRITABLE);

    SELFTEST_CHECK(ksp != NULL);
    kstat_named_init(&KSTAT_NAMED_PTR(ksp)[0], "number", KSTAT_DATA_UINT64);
    kstat_named_init(&KSTAT_NAMED_PTR(ksp)[1], "signed", KSTAT_DATA_INT32);
    kstat_named_init(&KSTAT_NAMED_PTR(ksp)[2], "text", KSTAT_DATA_STRING);
    KSTAT_NAMED_STR_PTR(&KSTAT_NAMED_PTR(ksp)[2]) = text;
    KSTAT_NAMED_STR_BUFLEN(&KSTAT_NAMED_PTR(ksp)[2]) = TEXT_LENGTH;
    ksp->ks_snapshot = writable_snapshot;
    kstat_install(ksp);
    return 0;
}
