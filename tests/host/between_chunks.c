/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reports whose list changes at the worst moment: between two chunks of the walk, when the lock has
 * just been let go. The linker's --wrap puts this file there.
 */
#include <sys/evcnt.h>

#include "lib/errno.h"
#include "stats/evcnt/evcnt_export.h"
#include "stats/port.h"
#include "tests/host/between.h"
#include "tests/host/test.h"

#include <string.h>

#define COUNTERS 40u

void __real_stats_port_unlock(uintptr_t state);
void __wrap_stats_port_unlock(uintptr_t state);

static struct evcnt ev[COUNTERS];
static uint64_t report[2048];
static __thread void (*between)(void); /* called once after the next unlock, if set */
static unsigned calls;

void between_locks(void (*what)(void))
{
    between = what;
}

void __wrap_stats_port_unlock(uintptr_t state)
{
    void (*hook)(void) = between;

    between = NULL;
    __real_stats_port_unlock(state);
    if (hook != NULL)
        hook();
}

static void attach_all(void)
{
    for (unsigned i = 0; i < COUNTERS; i++)
        evcnt_attach_dynamic(&ev[i], EVCNT_TYPE_TRAP, NULL, "between", "chunks");
}

static unsigned listed(size_t size)
{
    const struct evcnt_sysctl *record = NULL;
    unsigned count = 0;

    while ((record = evcnt_export_next(report, size, record)) != NULL)
        count += strcmp(evcnt_export_group(record), "between") == 0;
    return count;
}

/* All but the first and the last go, and their memory becomes something else. */
static void take_away(void)
{
    for (unsigned i = 1; i < COUNTERS - 1; i++) {
        evcnt_detach(&ev[i]);
        memset(&ev[i], 0x5a, sizeof ev[i]);
    }
}

TEST(export_starts_again_after_a_detachment)
{
    size_t size = sizeof report;

    attach_all();
    between = take_away;
    CHECK(evcnt_export(EVCNT_TYPE_TRAP, KERN_EVCNT_COUNT_ANY, report, &size) == 0);
    CHECK_EQUAL(listed(size), 2);
}

static void attach_one(void)
{
    static struct evcnt late;

    evcnt_attach_dynamic(&late, EVCNT_TYPE_TRAP, NULL, "between", "late");
}

TEST(export_goes_on_after_an_attachment)
{
    size_t size = sizeof report;

    attach_all();
    between = attach_one;
    CHECK(evcnt_export(EVCNT_TYPE_TRAP, KERN_EVCNT_COUNT_ANY, report, &size) == 0);
    CHECK_EQUAL(listed(size), COUNTERS);
}

/* Something is detached whenever the lock is free. */
static void replace_one(void)
{
    calls++;
    evcnt_detach(&ev[0]);
    evcnt_attach_dynamic(&ev[0], EVCNT_TYPE_TRAP, NULL, "between", "chunks");
    between = replace_one;
}

/* Chunks grow until one holds the whole list. */
TEST(export_gets_a_short_list_between_detachments)
{
    size_t size = sizeof report;

    attach_all();
    calls = 0;
    between = replace_one;
    CHECK(evcnt_export(EVCNT_TYPE_TRAP, KERN_EVCNT_COUNT_ANY, report, &size) == 0);
    between = NULL;
    CHECK_EQUAL(listed(size), COUNTERS);
    CHECK(calls <= 2 * 16 + 2);
}

TEST(export_gets_a_long_list_between_detachments)
{
    static struct evcnt many[1200];
    size_t size = 0;

    attach_all();
    for (unsigned i = 0; i < 1200; i++)
        evcnt_attach_dynamic(&many[i], EVCNT_TYPE_TRAP, NULL, "between", "many");
    calls = 0;
    between = replace_one;
    CHECK(evcnt_export(EVCNT_TYPE_TRAP, KERN_EVCNT_COUNT_ANY, NULL, &size) == 0);
    between = NULL;
    CHECK(size > 1200 * evcnt_export_record_size(strlen("between"), strlen("many")));
    /* Eight attempts with each size of chunk from 16 to 1024, two calls in each: after the first
     * chunk, and after the second saw the change. Then one attempt with a chunk of 2048, which
     * holds them all. */
    CHECK_EQUAL(calls, 8 * 7 * 2 + 1);
}

/* A child raised, after its parent, between the reading of the one and of the other. */
static void raise_both(void)
{
    evcnt_incr(&ev[0]);
    evcnt_incr(&ev[COUNTERS - 1]);
    between = raise_both;
}

TEST(export_reads_children_first)
{
    const struct evcnt_sysctl *record = NULL;
    uint64_t count[2] = {0, 0};
    size_t size = sizeof report;

    evcnt_attach_dynamic(&ev[0], EVCNT_TYPE_TRAP, NULL, "between", "parent");
    for (unsigned i = 1; i < COUNTERS; i++)
        evcnt_attach_dynamic(&ev[i], EVCNT_TYPE_TRAP, &ev[0], "between", "child");
    raise_both();
    CHECK(evcnt_export(EVCNT_TYPE_TRAP, KERN_EVCNT_COUNT_NONZERO, report, &size) == 0);
    between = NULL;
    CHECK_EQUAL(listed(size), 2);
    while ((record = evcnt_export_next(report, size, record)) != NULL)
        count[record->ev_parent != 0] = record->ev_count;
    CHECK_EQUAL(count[1], 1); /* the child, as it was at the beginning */
    CHECK(count[0] > 1);      /* its parent, some chunks later */
}
