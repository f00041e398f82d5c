/* SPDX-License-Identifier: BSD-2-Clause */
/* Shares: what one CPU counted of a counter, as a child of it. */
#include <sys/evcnt.h>

#include "stats/evcnt/evcnt_export.h"
#include "stats/evcnt/evcnt_share.h"
#include "tests/host/test.h"

#include <quipu_host.h>
#include <string.h>

#define CPUS 4u

static struct evcnt whole;
static struct evcnt share[CPUS];
static const char *const groups[CPUS] = {"cpu0", "cpu1", "cpu2", "cpu3"};

static void attach_shares(void)
{
    memset(share, 0xa5, sizeof share); /* whatever the memory held */
    for (unsigned cpu = 0; cpu < CPUS; cpu++)
        evcnt_attach_share(&share[cpu], &whole, cpu, groups[cpu], "timer");
}

static uint64_t sum_of_shares(void)
{
    uint64_t sum = 0;

    for (unsigned cpu = 0; cpu < CPUS; cpu++)
        sum += evcnt_value(&share[cpu]);
    return sum;
}

static void count(unsigned cpu, unsigned times)
{
    host_cpu_set(cpu);
    while (times-- > 0)
        evcnt_incr(&whole);
}

TEST(share_is_what_its_cpu_counted)
{
    evcnt_attach_dynamic(&whole, EVCNT_TYPE_INTR, NULL, "cpu", "timer");
    attach_shares();
    for (unsigned cpu = 0; cpu < CPUS; cpu++)
        count(cpu, 10 + cpu);
    for (unsigned cpu = 0; cpu < CPUS; cpu++)
        CHECK_EQUAL(evcnt_value(&share[cpu]), 10 + cpu);
    CHECK_EQUAL(evcnt_value(&whole), 46);
    CHECK_EQUAL(sum_of_shares(), 46);
    CHECK_EQUAL(share[2].ev_type, EVCNT_TYPE_INTR);
    CHECK(share[2].ev_parent == &whole);
    CHECK(evcnt_lookup("cpu2", "timer") == &share[2]);
}

TEST(share_leaves_out_what_belongs_to_no_cpu)
{
    memset(&whole, 0, sizeof whole);
    count(0, 3);
    count(2, 5); /* not attached: CPU 2 has no cell yet */
    evcnt_attach_dynamic_nozero(&whole, EVCNT_TYPE_INTR, NULL, "cpu", "timer");
    attach_shares();
    whole.ev_count += 100;
    count(1, 7);
    CHECK_EQUAL(evcnt_value(&whole), 115);
    CHECK_EQUAL(evcnt_value(&share[0]), 3);
    CHECK_EQUAL(evcnt_value(&share[1]), 7);
    CHECK_EQUAL(evcnt_value(&share[2]), 0);
}

TEST(share_keeps_its_value_when_detached)
{
    evcnt_attach_dynamic(&whole, EVCNT_TYPE_INTR, NULL, "cpu", "timer");
    attach_shares();
    count(3, 9);
    for (unsigned cpu = 0; cpu < CPUS; cpu++)
        evcnt_detach(&share[cpu]);
    evcnt_detach(&whole);
    CHECK_EQUAL(evcnt_value(&share[3]), 9);
    CHECK_EQUAL(evcnt_value(&whole), 9);
    /* It may become a counter like others. */
    evcnt_attach_dynamic_nozero(&share[3], EVCNT_TYPE_MISC, NULL, "g", "n");
    host_cpu_set(1);
    evcnt_incr(&share[3]);
    CHECK_EQUAL(evcnt_value(&share[3]), 10);
}

TEST(share_of_a_cpu_that_there_is_not)
{
    evcnt_attach_dynamic(&whole, EVCNT_TYPE_INTR, NULL, "cpu", "timer");
    evcnt_attach_share(&share[0], &whole, 1000, "cpu1000", "timer");
    count(1, 2);
    CHECK_EQUAL(evcnt_value(&share[0]), 0);
}

/* Groups of other lengths than the first one's; the names are the whole's, or have its group too.
 */
TEST(shares_at_once_are_found_by_their_names)
{
    static const char *const many[] = {"cpu9", "cpu10", "c", "d", "e", "f", "g", "h", "i", "cpu18"};
    struct evcnt_label labels[10];
    static struct evcnt line;

    evcnt_attach_dynamic(&whole, EVCNT_TYPE_INTR, NULL, "cpu", "timer");
    evcnt_attach_dynamic(&line, EVCNT_TYPE_INTR, NULL, "pic0", "irq 4");
    for (unsigned cpu = 0; cpu < 10; cpu++)
        labels[cpu] = evcnt_label_of(many[cpu], NULL);
    CHECK(evcnt_attach_shares(&whole, labels, 10, "cpu"));
    CHECK(evcnt_attach_shares(&line, labels, 10, "cpu"));
    for (unsigned cpu = 0; cpu < 10; cpu++) {
        struct evcnt *of_whole = evcnt_lookup(many[cpu], "timer");
        struct evcnt *of_line = evcnt_lookup(many[cpu], "pic0 irq 4");

        CHECK(of_whole != NULL && of_whole->ev_parent == &whole);
        CHECK(of_line != NULL && of_line->ev_parent == &line);
        CHECK_EQUAL(of_whole->ev_share, cpu + 1);
        CHECK_EQUAL(of_line->ev_share, cpu + 1);
    }
}

TEST(share_in_a_report)
{
    static uint64_t report[512];
    const struct evcnt_sysctl *record = NULL;
    size_t size = sizeof report;
    uint64_t parts = 0;
    uint64_t total = 0;

    evcnt_attach_dynamic(&whole, EVCNT_TYPE_INTR, NULL, "cpu", "timer");
    attach_shares();
    for (unsigned cpu = 0; cpu < CPUS; cpu++)
        count(cpu, 1 + cpu);
    CHECK(evcnt_export(EVCNT_TYPE_INTR, KERN_EVCNT_COUNT_NONZERO, report, &size) == 0);
    while ((record = evcnt_export_next(report, size, record)) != NULL) {
        if (record->ev_parent == (uintptr_t)&whole)
            parts += record->ev_count;
        else if (record->ev_addr == (uintptr_t)&whole)
            total = record->ev_count;
    }
    CHECK_EQUAL(total, 10);
    CHECK_EQUAL(parts, 10);
}

static void share_of_nothing(void *unused)
{
    (void)unused;
    evcnt_attach_share(&share[0], NULL, 0, "g", "n");
}

static void share_of_detached(void *unused)
{
    (void)unused;
    evcnt_attach_share(&share[0], &whole, 0, "g", "n");
}

static void share_of_share(void *unused)
{
    (void)unused;
    evcnt_attach_share(&share[1], &share[0], 0, "g", "n");
}

static void detach_whole(void *unused)
{
    (void)unused;
    evcnt_detach(&whole);
}

TEST(share_misuse)
{
    memset(&whole, 0, sizeof whole);
    memset(share, 0, sizeof share);
    CHECK_PANIC(share_of_nothing, NULL, "parent is not attached");
    CHECK_PANIC(share_of_detached, NULL, "parent is not attached");
    evcnt_attach_dynamic(&whole, EVCNT_TYPE_INTR, NULL, "cpu", "timer");
    share_of_detached(NULL);
    CHECK_PANIC(share_of_share, NULL, "a share of a share");
    CHECK_PANIC(detach_whole, NULL, "detached before its children");
}
