/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of devices: its order, its generation, its copies; and choosing among them. */
#include <devstat.h>

#include "lib/errno.h"
#include "tests/host/test.h"

#include <pthread.h>
#include <quipu_host.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define IDE DEVSTAT_TYPE_IF_IDE

static struct devstat ds[8];

static void add(unsigned at, const char *name, int unit, devstat_type_flags type,
                devstat_priority priority)
{
    memset(&ds[at], 0, sizeof ds[at]);
    devstat_add_entry(&ds[at], name, unit, 512, DEVSTAT_ALL_SUPPORTED, type, priority);
}

static void add_all(void)
{
    add(0, "cd", 0, DEVSTAT_TYPE_CDROM | IDE, DEVSTAT_PRIORITY_CD);
    add(1, "da", 0, DEVSTAT_TYPE_DIRECT | DEVSTAT_TYPE_IF_SCSI, DEVSTAT_PRIORITY_DISK);
    add(2, "da", 1, DEVSTAT_TYPE_DIRECT | IDE, DEVSTAT_PRIORITY_DISK);
    add(3, "com", 0, DEVSTAT_TYPE_COMM, DEVSTAT_PRIORITY_OTHER);
    add(4, "ar", 0, DEVSTAT_TYPE_STORARRAY, DEVSTAT_PRIORITY_ARRAY);
    add(5, "md", 10, DEVSTAT_TYPE_DIRECT | DEVSTAT_TYPE_IF_OTHER, DEVSTAT_PRIORITY_DISK);
}

/* "ar0 da0 ..." as exported. */
static const char *names(void)
{
    static char text[256];
    static char buffer[16384];
    size_t size, used = 0;

    text[0] = '\0';
    CHECK(devstat_export(buffer, sizeof buffer, &size) == 0);
    for (size_t at = sizeof(long); at < size; at += sizeof(struct devstat)) {
        struct devstat *one = (struct devstat *)(void *)(buffer + at);

        CHECK(STAILQ_NEXT(one, dev_links) == NULL && !devstat_torn(one));
        used += (size_t)sprintf(text + used, "%s%d ", one->device_name, one->unit_number);
    }
    return text;
}

TEST(devstat_list_is_sorted)
{
    CHECK_TEXT(names(), "");
    add_all();
    CHECK_TEXT(names(), "ar0 da0 da1 md10 cd0 com0 ");
    CHECK(devstat_count() == 6 && devstat_generation() == 6);
    CHECK(ds[0].device_number == 0 && ds[5].device_number == 5);
    devstat_remove_entry(&ds[1]);
    CHECK_TEXT(names(), "ar0 da1 md10 cd0 com0 ");
    CHECK(devstat_count() == 5 && devstat_generation() == 7);
    devstat_remove_entry(&ds[1]); /* twice */
    CHECK(devstat_count() == 5 && devstat_generation() == 7);
    add(1, "da", 0, DEVSTAT_TYPE_DIRECT, DEVSTAT_PRIORITY_DISK);
    CHECK_TEXT(names(), "ar0 da1 md10 da0 cd0 com0 ");
    CHECK_EQUAL(ds[1].device_number, 6); /* no number is used again */
    devstat_add_entry(&ds[1], "da", 0, 512, 0, 0, 0);
    CHECK_TEXT(host_log_last(), "devstat: da0 is added twice");
    CHECK_EQUAL(devstat_count(), 6);
}

TEST(devstat_export_sizes)
{
    char buffer[sizeof(long) + 6 * sizeof(struct devstat)];
    size_t size;

    CHECK(devstat_export(buffer, sizeof(long), &size) == 0 && size == sizeof(long));
    add_all();
    CHECK(devstat_export(NULL, 0, &size) == 0 && size == sizeof buffer);
    CHECK(devstat_export(buffer, sizeof buffer - 1, &size) == -ENOMEM && size == sizeof buffer);
    CHECK(devstat_export(buffer, sizeof buffer, &size) == 0);
    CHECK(*(long *)(void *)buffer == 6);
    devstat_remove_entry(&ds[0]);
    CHECK(devstat_export(buffer, sizeof buffer, &size) == 0);
    CHECK(*(long *)(void *)buffer == 7 && size == sizeof(long) + 5 * sizeof(struct devstat));
}

TEST(libdevstat_getdevs)
{
    struct devinfo info = {.generation = 0};
    struct statinfo stats = {.dinfo = &info};

    host_clock_set(2500000000u);
    CHECK(devstat_checkversion(NULL) == 0);
    CHECK(devstat_getversion(NULL) == DEVSTAT_VERSION && devstat_getnumdevs(NULL) == 0);
    CHECK(devstat_getdevs(NULL, &stats) == 1 && info.numdevs == 0);
    CHECK(stats.snap_time == 2.5L);
    add_all();
    CHECK(devstat_getdevs(NULL, &stats) == 1 && info.numdevs == 6 && info.generation == 6);
    CHECK(devstat_getdevs(NULL, &stats) == 0);
    devstat_start_transaction(&ds[4]);
    CHECK(devstat_getdevs(NULL, &stats) == 0 && info.devices[0].busy_count == 1);
    devstat_remove_entry(&ds[4]);
    CHECK(devstat_getdevs(NULL, &stats) == 1 && info.numdevs == 5);
    CHECK_EQUAL((uint64_t)devstat_getgeneration(NULL), 7);
    devstat_freedevs(&info);
    stats.dinfo = NULL;
    CHECK(devstat_getdevs(NULL, &stats) == -1);
}

static struct {
    struct devinfo info;
    struct device_selection *select;
    int selected, count;
    long generation;
    struct devstat_match *matches;
    int match_count;
} c;

/* Selects, and returns the names of what is selected in the order of selection. */
static const char *choose(char *name, devstat_select_mode mode, int most, int perf, int expected)
{
    static char text[256];
    struct statinfo stats = {.dinfo = &c.info};
    size_t used = 0;

    text[0] = '\0';
    devstat_getdevs(NULL, &stats);
    CHECK(devstat_selectdevs(&c.select, &c.selected, &c.count, &c.generation, c.info.generation,
                             c.info.devices, c.info.numdevs, c.matches, c.match_count, &name,
                             name != NULL, mode, most, perf) == expected);
    for (int number = 1; number <= c.selected; number++) {
        for (int at = 0; at < c.count; at++) {
            if (c.select[at].selected == number)
                used += (size_t)sprintf(text + used, "%s%d ", c.select[at].device_name,
                                        c.select[at].unit_number);
        }
    }
    return text;
}

static int match(const char *text)
{
    char copy[64];

    strcpy(copy, text);
    return devstat_buildmatch(copy, &c.matches, &c.match_count);
}

static void forget(void)
{
    devstat_freematches(c.matches, c.match_count);
    devstat_freeselections(c.select, c.count);
    devstat_freedevs(&c.info);
    memset(&c, 0, sizeof c);
}

TEST(libdevstat_select)
{
    add_all();
    CHECK_TEXT(choose(NULL, DS_SELECT_ADD, 3, 0, 1), "ar0 da0 da1 ");
    CHECK_TEXT(choose(NULL, DS_SELECT_ADD, 3, 0, 0), "ar0 da0 da1 ");
    CHECK_TEXT(choose("md10", DS_SELECT_ADD, 5, 0, 1), "ar0 da0 da1 md10 cd0 ");
    CHECK_TEXT(choose("da0", DS_SELECT_REMOVE, 5, 0, 1), "ar0 da1 md10 cd0 ");
    CHECK_TEXT(choose("cd0", DS_SELECT_ONLY, 5, 0, 1), "cd0 ");
    CHECK_TEXT(choose("da1", DS_SELECT_ADDONLY, 5, 0, 1), "cd0 da1 ");
    CHECK_TEXT(choose("da7", DS_SELECT_ADDONLY, 5, 0, 0), "cd0 da1 ");
    devstat_remove_entry(&ds[0]);
    CHECK_TEXT(choose(NULL, DS_SELECT_ADDONLY, 5, 0, 1), "da1 ");
    forget();
    ds[3].bytes_read = 10;
    ds[5].bytes_written = 20;
    CHECK_TEXT(choose(NULL, DS_SELECT_ADD, 2, 1, 1), "md10 com0 ");
    forget();
}

TEST(libdevstat_match)
{
    add_all();
    CHECK(match("DA,scsi") == 0);
    CHECK(c.match_count == 1 && c.matches[0].num_match_categories == 2);
    CHECK_TEXT(choose(NULL, DS_SELECT_ONLY, 9, 0, 1), "da0 ");
    CHECK(match("arr") == 0);
    CHECK_TEXT(choose(NULL, DS_SELECT_ONLY, 9, 0, 1), "da0 ar0 ");
    CHECK(match("da,cd") == -1 && match("xx") == -1 && match("") == -1 && match("da,") == -1);
    CHECK(match("ide") == 0);
    CHECK_TEXT(choose(NULL, DS_SELECT_ONLY, 9, 0, 1), "da0 ar0 da1 cd0 ");
    forget();
}

static void *come_and_go(void *arg)
{
    (void)arg;
    for (unsigned round = 0; round < 3000; round++) {
        add(6, "xx", 0, 0, DEVSTAT_PRIORITY_MAX);
        devstat_remove_entry(&ds[6]);
    }
    return NULL;
}

/* A list is of one generation, or there is none. */
TEST(devstat_list_threads)
{
    static char buffer[16384];
    pthread_t thread;

    add_all();
    pthread_create(&thread, NULL, come_and_go, NULL);
    for (unsigned look = 0; look < 2000; look++) {
        size_t size;
        int error = devstat_export(buffer, sizeof buffer, &size);
        struct devstat *first = (struct devstat *)(void *)(buffer + sizeof(long));

        CHECK(error == 0 || error == -EBUSY);
        if (error == 0)
            CHECK_TEXT(first->device_name, *(long *)(void *)buffer % 2 == 0 ? "ar" : "xx");
    }
    pthread_join(thread, NULL);
    CHECK_EQUAL((uint64_t)devstat_generation(), 6006);
}
