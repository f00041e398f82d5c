/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports of event counters: record format, filters, sizing, and lists that change meanwhile. */
#include "stats/evcnt/evcnt_export.h"

#include <sys/evcnt.h>

#include "lib/errno.h"
#include "tests/host/test.h"

#include <pthread.h>
#include <quipu_host.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALL EVCNT_TYPE_ANY, KERN_EVCNT_COUNT_ANY

static uint64_t page[512];

/* Counters that the test program attaches at start-up are there in every report. */
static const struct evcnt_sysctl *record_of(size_t size, const struct evcnt *ev)
{
    const struct evcnt_sysctl *record = NULL;

    while ((record = evcnt_export_next(page, size, record)) != NULL) {
        if (record->ev_addr == (uintptr_t)ev)
            return record;
    }
    return NULL;
}

TEST(export_record_format)
{
    struct evcnt parent;
    struct evcnt child;
    const struct evcnt_sysctl *record;
    const unsigned char *bytes;
    size_t size = sizeof page;

    evcnt_attach_dynamic(&parent, EVCNT_TYPE_INTR, NULL, "ioapic0", "pin 4");
    evcnt_attach_dynamic(&child, EVCNT_TYPE_TRAP, &parent, "com0", "intr");
    evcnt_incr(&child);
    memset(page, 0xff, sizeof page);
    CHECK(evcnt_export(ALL, page, &size) == 0);
    record = record_of(size, &child);
    CHECK(record != NULL);
    bytes = (const void *)record;
    CHECK_EQUAL(record->ev_count, 1);
    CHECK_EQUAL(record->ev_parent, (uintptr_t)&parent);
    CHECK_EQUAL(bytes[24], EVCNT_TYPE_TRAP);
    CHECK_EQUAL(bytes[25], 4);
    CHECK_EQUAL(bytes[26], 4);
    CHECK_EQUAL(bytes[27], 5); /* 28 + 5 + 5 = 38, rounded up to 40 */
    CHECK(memcmp(bytes + 28, "com0\0intr\0\0", 12) == 0);
    CHECK_TEXT(evcnt_export_group(record), "com0");
    CHECK_TEXT(evcnt_export_name(record), "intr");
    CHECK((const char *)record + 40 == (const char *)page + size); /* the last */
    CHECK_EQUAL(record_of(size, &parent)->ev_parent, 0);
    CHECK_EQUAL(record_of(size, &parent)->ev_len, 6); /* 28 + 8 + 6 = 42 */
    CHECK(record_of(size, &parent) < record);
}

TEST(export_longest_record)
{
    char text[EVCNT_STRING_MAX];
    struct evcnt ev;
    size_t size = sizeof page;

    memset(text, 'x', 255);
    text[255] = '\0';
    evcnt_attach_dynamic(&ev, EVCNT_TYPE_MISC, NULL, text, text);
    CHECK(evcnt_export(ALL, page, &size) == 0);
    CHECK_EQUAL(record_of(size, &ev)->ev_len * 8u, 544);
    CHECK_TEXT(evcnt_export_name(record_of(size, &ev)), text);
    CHECK_TEXT(evcnt_export_group(record_of(size, &ev)), text);
}

TEST(export_filters)
{
    static const int bad_types[] = {-2, 3, 1000, -1000};
    static const int bad_counts[] = {-1, 2};
    struct evcnt ev[3];
    size_t size;

    for (int type = 0; type < 3; type++)
        evcnt_attach_dynamic(&ev[type], type, NULL, "g", "n");
    evcnt_incr(&ev[1]);
    for (int type = -1; type < 3; type++) {
        for (int count = 0; count < 2; count++) {
            size = sizeof page;
            CHECK(evcnt_export(type, count, page, &size) == 0);
            for (int i = 0; i < 3; i++)
                CHECK((record_of(size, &ev[i]) != NULL) ==
                      ((type == -1 || type == i) && (count == 0 || i == 1)));
        }
    }
    for (unsigned i = 0; i < 4; i++) {
        size = 12345;
        CHECK(evcnt_export(bad_types[i], KERN_EVCNT_COUNT_ANY, page, &size) == -EINVAL);
        CHECK_EQUAL(size, 12345);
    }
    for (unsigned i = 0; i < 2; i++)
        CHECK(evcnt_export(EVCNT_TYPE_ANY, bad_counts[i], NULL, &size) == -EINVAL);
}

TEST(export_sizes)
{
    size_t needed;
    size_t size = sizeof page;

    CHECK(evcnt_export(ALL, page, &size) == 0);
    CHECK(evcnt_export(ALL, NULL, &needed) == 0);
    CHECK_EQUAL(needed, size + 1024);
    needed = size;
    memset(page, 0xcc, sizeof page);
    CHECK(evcnt_export(ALL, page, &needed) == 0); /* exactly enough */
    CHECK_EQUAL(needed, size);
    CHECK(((unsigned char *)page)[size] == 0xcc);
    needed = size - 1;
    memset(page, 0xcc, sizeof page);
    CHECK(evcnt_export(ALL, page, &needed) == -ENOMEM);
    CHECK_EQUAL(needed, size + 1024);
    CHECK(((unsigned char *)page)[size - 1] == 0xcc); /* the capacity was respected */
    needed = 0;
    CHECK(evcnt_export(ALL, page, &needed) == -ENOMEM);
}

TEST(export_walk_refuses_cut_records)
{
    size_t size = sizeof page;
    const struct evcnt_sysctl *record;

    CHECK(evcnt_export(ALL, page, &size) == 0);
    for (size_t cut = 0; cut < size; cut++) {
        size_t seen = 0;

        for (record = NULL; (record = evcnt_export_next(page, cut, record)) != NULL;)
            seen += record->ev_len * 8u;
        CHECK(seen <= cut);
    }
    ((struct evcnt_sysctl *)(void *)page)->ev_len = 0; /* would never end */
    CHECK(evcnt_export_next(page, size, NULL) == NULL);
}

/* A thread that counts or rearranges until told to stop. */
struct disturber {
    pthread_t thread;
    struct evcnt *parent;
    struct evcnt *child;
    int stop;
};

static bool stopped(struct disturber *d)
{
    return __atomic_load_n(&d->stop, __ATOMIC_RELAXED) != 0;
}

static void *count_both(void *arg)
{
    struct disturber *d = arg;

    while (!stopped(d)) {
        evcnt_incr(d->parent);
        evcnt_incr(d->child);
    }
    return NULL;
}

/* More than a report looks at in one go, and their memory is gone right after. */
static void *attach_and_free(void *arg)
{
    struct disturber *d = arg;

    while (!stopped(d)) {
        struct evcnt *ev = calloc(64, sizeof *ev);

        for (unsigned i = 0; ev != NULL && i < 64; i++)
            evcnt_attach_dynamic(&ev[i], EVCNT_TYPE_MISC, d->parent, "fleeting", "child");
        for (unsigned i = 0; ev != NULL && i < 64; i++)
            evcnt_detach(&ev[i]);
        free(ev);
    }
    return NULL;
}

static void *attach_only(void *arg)
{
    struct disturber *d = arg;
    static struct evcnt ev[2000];
    unsigned count = 0;

    for (; count < 2000 && !stopped(d); count++)
        evcnt_attach_dynamic(&ev[count], EVCNT_TYPE_MISC, d->parent, "growing", "child");
    while (count > 0)
        evcnt_detach(&ev[--count]);
    return NULL;
}

static void start(struct disturber *d, void *(*run)(void *), struct evcnt *parent,
                  struct evcnt *child)
{
    *d = (struct disturber){.parent = parent, .child = child};
    CHECK(pthread_create(&d->thread, NULL, run, d) == 0);
}

static void stop(struct disturber *d)
{
    __atomic_store_n(&d->stop, 1, __ATOMIC_RELAXED);
    pthread_join(d->thread, NULL);
}

/* Every record whole, known parents before it, and not counting more than its parent. */
static void check_report(const void *report, size_t size, uintptr_t parent)
{
    const struct evcnt_sysctl *record = NULL;
    const struct evcnt_sysctl *above = NULL;
    size_t seen = 0;

    while ((record = evcnt_export_next(report, size, record)) != NULL) {
        seen += record->ev_len * 8u;
        CHECK_EQUAL(strlen(evcnt_export_group(record)), record->ev_grouplen);
        CHECK_EQUAL(strlen(evcnt_export_name(record)), record->ev_namelen);
        if (record->ev_addr == parent)
            above = record;
        else if (record->ev_parent == parent)
            CHECK(above != NULL && record->ev_count <= above->ev_count);
    }
    CHECK_EQUAL(seen, size);
}

TEST(thread_exports_while_others_count_and_rearrange)
{
    struct evcnt parent;
    struct evcnt filler[200];
    struct evcnt child;
    struct disturber counting[2];
    struct disturber changing[2];
    unsigned reports = 0;

    evcnt_attach_dynamic(&parent, EVCNT_TYPE_INTR, NULL, "line", "all");
    for (unsigned i = 0; i < 200; i++) /* many chunks between the parent and its child */
        evcnt_attach_dynamic(&filler[i], EVCNT_TYPE_MISC, NULL, "filler", "between");
    evcnt_attach_dynamic(&child, EVCNT_TYPE_INTR, &parent, "device", "intr");
    start(&counting[0], count_both, &parent, &child);
    start(&counting[1], count_both, &parent, &child);
    start(&changing[1], attach_only, &filler[3], NULL);
    for (unsigned i = 0; i < 400; i++) {
        void *report;
        size_t size;
        size_t capacity;
        int error;

        if (i == 200)
            start(&changing[0], attach_and_free, &filler[0], NULL);
        error = evcnt_export_alloc(EVCNT_TYPE_ANY, (int)(i & 1), &report, &size, &capacity);
        CHECK(error == 0 || error == -EAGAIN);
        if (error != 0)
            continue;
        check_report(report, size, (uintptr_t)&parent);
        evcnt_export_free(report, capacity);
        reports++;
    }
    CHECK(reports >= 150);
    for (unsigned i = 0; i < 2; i++) {
        stop(&counting[i]);
        stop(&changing[i]);
    }
    CHECK_EQUAL(evcnt_value(&parent), evcnt_value(&child)); /* equal when quiet: none was lost */
}

static void *count_many(void *arg)
{
    struct disturber *d = arg;

    host_cpu_set((unsigned)d->stop);
    for (int i = 0; i < 100000; i++)
        evcnt_incr(d->parent);
    return NULL;
}

TEST(thread_counts_are_exact)
{
    struct evcnt ev;
    struct disturber d[4];
    uint64_t last = 0;

    evcnt_attach_dynamic(&ev, EVCNT_TYPE_MISC, NULL, "g", "n");
    for (int i = 0; i < 4; i++) {
        d[i] = (struct disturber){.parent = &ev, .stop = i < 2 ? 7 : i - 2}; /* two share CPU 7 */
        CHECK(pthread_create(&d[i].thread, NULL, count_many, &d[i]) == 0);
    }
    for (int i = 0; i < 1000; i++) {
        uint64_t now = evcnt_value(&ev);

        CHECK(now >= last && now <= 400000);
        last = now;
    }
    for (int i = 0; i < 4; i++)
        pthread_join(d[i].thread, NULL);
    CHECK_EQUAL(evcnt_value(&ev), 400000);
    evcnt_detach(&ev);
    CHECK_EQUAL(evcnt_value(&ev), 400000);
}

TEST(export_of_a_hundred_thousand)
{
    struct evcnt *ev = calloc(100000, sizeof *ev);
    const struct evcnt_sysctl *record = NULL;
    void *report;
    size_t size;
    size_t capacity;
    unsigned at = 0;

    CHECK(ev != NULL);
    for (unsigned i = 0; i < 100000; i++)
        evcnt_attach_dynamic(&ev[i], EVCNT_TYPE_TRAP, i ? &ev[i / 2] : NULL, "many", "same");
    CHECK(evcnt_export_alloc(EVCNT_TYPE_TRAP, 0, &report, &size, &capacity) == 0);
    while ((record = evcnt_export_next(report, size, record)) != NULL) {
        if (record->ev_addr != (uintptr_t)&ev[at])
            continue; /* the test program's static ones come first */
        CHECK(at == 0 || record->ev_parent == (uintptr_t)&ev[at / 2]);
        at++;
    }
    CHECK_EQUAL(at, 100000);
    evcnt_export_free(report, capacity);
    host_reset();
    free(ev);
}
