/* SPDX-License-Identifier: BSD-2-Clause */
/* See report.h. */
#include "user/perfex/report.h"

#include <stdlib.h>
#include <string.h>
#include "user/perfex/counters.h"
#include "user/perfex/event.h"

#define NAME   48 /* columns */
#define DIGITS 24

struct row {
    int event;
    unsigned long long value;
    double typical; /* seconds; negative: the table does not know */
};

bool perfex_value(const struct counts *counts, int event, unsigned long long *value)
{
    if (!perfex_wants(&counts->control, event))
        return false;
    *value = counts->counted.hwp_evctr[event] * perfex_sharing(&counts->control, event);
    return true;
}

static void report_rule(int columns, FILE *out)
{
    while (columns-- > 0)
        putc('=', out);
    putc('\n', out);
}

void perfex_row(int event, const char *value, bool projected, FILE *out)
{
    const char *name = perfex_event_name(event);

    fprintf(out, "%2d %s", event, name);
    for (size_t i = strlen(name); i < NAME; i++)
        putc('.', out);
    fprintf(out, " %20s%s", value, projected ? " *" : "");
}

static void report_count(const struct row *row, bool projected, FILE *out)
{
    char value[DIGITS];

    snprintf(value, sizeof value, "%llu", row->value);
    perfex_row(row->event, value, projected, out);
}

static void report_times(const struct row *row, bool projected, const struct cost_table *costs,
                         FILE *out)
{
    const struct cost *cost = &costs->of[row->event];
    double value = (double)row->value;

    if (cost->known)
        fprintf(out, "%s %12.6f %12.6f %12.6f", projected ? "" : "  ",
                perfex_costs_seconds(costs, value, cost->typical),
                perfex_costs_seconds(costs, value, cost->minimum),
                perfex_costs_seconds(costs, value, cost->maximum));
}

static int report_order(const void *left, const void *right)
{
    const struct row *a = left, *b = right;

    if (a->typical != b->typical)
        return a->typical < b->typical ? 1 : -1;
    return a->event - b->event;
}

static size_t report_rows(const struct counts *counts, const struct cost_table *costs,
                          struct row rows[HWPERF_EVENTMAX])
{
    size_t count = 0;

    for (int i = 0; i < HWPERF_EVENTMAX; i++) {
        struct row *row = &rows[count];

        if (!perfex_value(counts, i, &row->value))
            continue;
        row->event = i;
        row->typical = costs && costs->of[i].known
                           ? perfex_costs_seconds(costs, (double)row->value, costs->of[i].typical)
                           : -1;
        count++;
    }
    if (costs)
        qsort(rows, count, sizeof *rows, report_order);
    return count;
}

static void report_head(FILE *out)
{
    fprintf(out, "%-*s %20s   %12s %12s %12s\n", NAME + 3, "", "", "Typical", "Minimum", "Maximum");
    fprintf(out, "%-*s %20s   %12s %12s %12s\n", NAME + 3, "   Event", "Count", "Time (sec)",
            "Time (sec)", "Time (sec)");
    report_rule(NAME + 3 + 1 + 20 + 2 + 3 * 13, out);
}

void perfex_report(const struct counts *counts, const struct cost_table *costs, FILE *out)
{
    struct row rows[HWPERF_EVENTMAX];
    size_t count = report_rows(counts, costs, rows);
    bool any = false;

    if (costs)
        report_head(out);
    for (size_t i = 0; i < count; i++) {
        bool projected = perfex_sharing(&counts->control, rows[i].event) > 1;

        any |= projected;
        report_count(&rows[i], projected, out);
        if (costs)
            report_times(&rows[i], projected, costs, out);
        putc('\n', out);
    }
    if (any)
        fprintf(out, "* projected: counted in turns with the other events of the same counter\n");
    if (costs)
        perfex_statistics(counts, costs, out);
}
