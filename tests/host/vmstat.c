/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of vmstat -i and -e, byte for byte. */
#include "stats/read/vmstat.h"

#include <sys/evcnt.h>

#include "stats/evcnt/evcnt_export.h"
#include "tests/host/collect.h"
#include "tests/host/test.h"

#include <quipu_host.h>
#include <stdlib.h>
#include <string.h>

#define SECOND UINT64_C(1000000000)

static const char *table(enum vmstat_table which, bool verbose, bool tree)
{
    struct vmstat_layout layout = {which, verbose, tree};
    size_t at = 0;

    text[0] = '\0';
    CHECK(vmstat_print(&layout, collect, &at) == 0);
    return text;
}

static void attach(struct evcnt *ev, int type, const struct evcnt *parent, const char *group,
                   const char *name, uint64_t count)
{
    evcnt_attach_dynamic(ev, type, parent, group, name);
    ev->ev_count = count;
}

TEST(vmstat_interrupts_as_documented)
{
    struct evcnt ev[4];

    host_clock_set(3600 * SECOND + SECOND - 1);
    attach(&ev[0], EVCNT_TYPE_INTR, NULL, "cpu0", "timer", 360012);
    attach(&ev[1], EVCNT_TYPE_INTR, NULL, "ioapic0", "pin 4", 5120);
    attach(&ev[2], EVCNT_TYPE_INTR, NULL, "com0", "intr rx", 4800);
    attach(&ev[3], EVCNT_TYPE_MISC, NULL, "vm", "page faults", 91234);
    CHECK_TEXT(table(VMSTAT_INTERRUPTS, false, false), "interrupt       total rate\n"
                                                       "cpu0 timer     360012  100\n"
                                                       "ioapic0 pin 4    5120    1\n"
                                                       "com0 intr rx     4800    1\n"
                                                       "Total          369932  102\n"
                                                       "\n");
}

TEST(vmstat_events_as_documented)
{
    struct evcnt ev[3];

    host_clock_set(3600 * SECOND);
    attach(&ev[0], EVCNT_TYPE_INTR, NULL, "cpu0", "timer", 360012);
    attach(&ev[1], EVCNT_TYPE_TRAP, NULL, "cpu0", "FPU emulation trap", 3);
    attach(&ev[2], EVCNT_TYPE_MISC, NULL, "vm", "page faults", 91234);
    CHECK_TEXT(table(VMSTAT_EVENTS, false, false), "event                     total rate type\n"
                                                   "cpu0 timer               360012  100 intr\n"
                                                   "cpu0 FPU emulation trap       3    0 trap\n"
                                                   "vm page faults            91234   25 misc\n"
                                                   "\n");
}

TEST(vmstat_total_counts_nothing_twice)
{
    struct evcnt ev[5];

    host_clock_set(10 * SECOND);
    attach(&ev[0], EVCNT_TYPE_MISC, NULL, "board", "lines", 100);
    attach(&ev[1], EVCNT_TYPE_INTR, &ev[0], "ioapic0", "pin 4", 100); /* parent is not INTR */
    attach(&ev[2], EVCNT_TYPE_INTR, &ev[1], "com0", "intr", 60);
    attach(&ev[3], EVCNT_TYPE_INTR, &ev[2], "com0", "deeper", 7);
    attach(&ev[4], EVCNT_TYPE_INTR, &ev[1], "com1", "intr", 0);
    CHECK_TEXT(table(VMSTAT_INTERRUPTS, false, false), "interrupt      total rate\n"
                                                       "ioapic0 pin 4    100   10\n"
                                                       "com0 intr         60    6\n"
                                                       "com0 deeper        7    0\n"
                                                       "Total            100   10\n"
                                                       "\n");
    CHECK_TEXT(table(VMSTAT_INTERRUPTS, false, true), "interrupt        total rate\n"
                                                      "ioapic0 pin 4      100   10\n"
                                                      "  com0 intr         60    6\n"
                                                      "    com0 deeper      7    0\n"
                                                      "Total              100   10\n"
                                                      "\n");
}

TEST(vmstat_tree)
{
    struct evcnt ev[6];

    host_clock_set(SECOND);
    attach(&ev[0], EVCNT_TYPE_INTR, NULL, "i8259", "irq 4", 9);
    attach(&ev[1], EVCNT_TYPE_INTR, NULL, "cpu0", "timer", 5);
    attach(&ev[2], EVCNT_TYPE_INTR, &ev[0], "com0", "intr", 9);
    attach(&ev[3], EVCNT_TYPE_MISC, &ev[2], "com0", "rx bytes", 12);
    attach(&ev[4], EVCNT_TYPE_TRAP, &ev[1], "a", "b", 1);
    attach(&ev[5], EVCNT_TYPE_INTR, &ev[0], "com1", "intr", 1);
    CHECK_TEXT(table(VMSTAT_EVENTS, false, true), "event              total rate type\n"
                                                  "i8259 irq 4            9    9 intr\n"
                                                  "  com0 intr            9    9 intr\n"
                                                  "    com0 rx bytes     12   12 misc\n"
                                                  "  com1 intr            1    1 intr\n"
                                                  "cpu0 timer             5    5 intr\n"
                                                  "  a b                  1    1 trap\n"
                                                  "\n");
}

TEST(vmstat_widths_grow_and_uptime_may_be_zero)
{
    struct evcnt ev;

    attach(&ev, EVCNT_TYPE_INTR, NULL, "g", "n", UINT64_MAX);
    CHECK_TEXT(table(VMSTAT_INTERRUPTS, false, false),
               "interrupt                 total                 rate\n"
               "g n        18446744073709551615 18446744073709551615\n"
               "Total      18446744073709551615 18446744073709551615\n"
               "\n");
}

TEST(vmstat_total_line_widens)
{
    struct evcnt ev[2];

    host_clock_set(SECOND);
    attach(&ev[0], EVCNT_TYPE_INTR, NULL, "some", "line a", 99999);
    attach(&ev[1], EVCNT_TYPE_INTR, NULL, "some", "line b", 99999);
    CHECK_TEXT(table(VMSTAT_INTERRUPTS, false, false), "interrupt     total   rate\n"
                                                       "some line a   99999  99999\n"
                                                       "some line b   99999  99999\n"
                                                       "Total        199998 199998\n"
                                                       "\n");
}

TEST(vmstat_nothing_to_show)
{
    CHECK_TEXT(table(VMSTAT_INTERRUPTS, false, false), "interrupt  total rate\n"
                                                       "Total          0    0\n"
                                                       "\n");
    CHECK_TEXT(table(VMSTAT_EVENTS, false, true), "event  total rate type\n\n");
}

TEST(vmstat_verbose_shows_zeros)
{
    struct evcnt ev;

    attach(&ev, EVCNT_TYPE_INTR, NULL, "quiet", "line", 0);
    CHECK(strstr(table(VMSTAT_INTERRUPTS, false, false), "quiet") == NULL);
    CHECK(strstr(table(VMSTAT_INTERRUPTS, true, false), "quiet line") != NULL);
    CHECK(strstr(table(VMSTAT_EVENTS, true, false), "quiet line         0    0 intr\n") != NULL);
}

TEST(vmstat_unknown_type_word)
{
    uint64_t report[8] = {0};
    struct evcnt_sysctl *record = (void *)report;
    struct vmstat_layout layout = {VMSTAT_EVENTS, true, false};
    size_t at = 0;

    record->ev_type = 9;
    record->ev_grouplen = record->ev_namelen = 1;
    record->ev_len = 4;
    memcpy(record->ev_strings, "g\0n", 4);
    CHECK(vmstat_print_report(&layout, report, 32, 1, collect, &at) == 0);
    CHECK_TEXT(text, "event  total rate type\ng n        0    0 ?\n\n");
}

static void ignore(void *arg, const char *piece, size_t length)
{
    (void)piece;
    *(size_t *)arg += length;
}

/* A chain as deep as it can be, and a comb: neither recursion nor a search of the whole report. */
TEST(vmstat_tree_of_many)
{
    struct evcnt *ev = calloc(100000, sizeof *ev);
    struct vmstat_layout layout = {VMSTAT_EVENTS, true, true};
    size_t length = 0;

    CHECK(ev != NULL);
    for (unsigned i = 0; i < 100000; i++)
        evcnt_attach_dynamic(&ev[i], EVCNT_TYPE_MISC, i ? &ev[i < 2000 ? i - 1 : i % 977] : NULL,
                             "many", "same");
    CHECK(vmstat_print(&layout, ignore, &length) == 0);
    CHECK(length > 100000u * 20);
    host_reset();
    free(ev);
}
