/* SPDX-License-Identifier: BSD-2-Clause */
/* The report of `pmc stat`: see pmc_stat.h. */
#include "stats/read/pmc_stat.h"

#include "lib/fraction.h"

#include <stdbool.h>

#define SECOND UINT64_C(1000000000)

#define VALUE_COLUMNS    18
#define UNIT_COLUMNS     4
#define NAME_COLUMNS     32
#define NAME_BAD_COLUMNS 25 /* where nothing was counted */
#define METRIC_COLUMNS   35
#define TIME_COLUMNS     18

/* A figure made of a count: VALUE in units of 10^-decimals; no unit: none. */
struct metric {
    const char *unit;
    uint64_t value;
    unsigned decimals;
    unsigned columns;   /* of the number in the table */
    const char *behind; /* stands right behind the number */
};

static const char *const bad_values[] = {
    [PMC_STAT_COUNTED] = "",
    [PMC_STAT_NOT_COUNTED] = "<not counted>",
    [PMC_STAT_NOT_SUPPORTED] = "<not supported>",
};

/* The count of that role and those modes, 0 if there is none. The task clock has no modes. */
static uint64_t pmc_stat_value_of(const struct pmc_stat_report *report, enum pmc_stat_role role,
                                  uint32_t modes)
{
    for (size_t i = 0; i < report->count; i++) {
        const struct pmc_stat_count *count = &report->counts[i];

        if (count->role == role && count->state == PMC_STAT_COUNTED &&
            (count->modes == modes || role == PMC_STAT_TASK_CLOCK))
            return count->value;
    }
    return 0;
}

/* COUNT per second of the task clock, in steps of 1,000 so that the number is short. */
static struct metric pmc_stat_rate(uint64_t count, uint64_t ns)
{
    static const char *const units[] = {"/sec", "K/sec", "M/sec", "G/sec"};
    uint64_t divisor = 1;
    unsigned unit = 0;

    while (unit < 3 && fraction_round(count, SECOND, 1, ns, divisor) > 1000) {
        divisor *= 1000;
        unit++;
    }
    return (struct metric){units[unit], fraction_round(count, SECOND, 1000, ns, divisor), 3, 8, ""};
}

static struct metric pmc_stat_percentage(const char *unit, uint64_t part, uint64_t whole)
{
    return (struct metric){unit, fraction_round(part, PMC_STAT_WHOLE, 1, whole, 1), 2, 7, "%"};
}

static struct metric pmc_stat_metric_of(const struct pmc_stat_report *report,
                                        const struct pmc_stat_count *count)
{
    uint64_t clock = pmc_stat_value_of(report, PMC_STAT_TASK_CLOCK, 0), other;
    uint64_t value = count->value;

    if (count->state != PMC_STAT_COUNTED)
        return (struct metric){0};
    switch (count->role) {
    case PMC_STAT_TASK_CLOCK:
        return (struct metric){"CPUs utilized",
                               fraction_round(value, 1000, 1, report->elapsed_ns, 1), 3, 8, ""};
    case PMC_STAT_INSTRUCTIONS:
        other = pmc_stat_value_of(report, PMC_STAT_CYCLES, count->modes);
        if (other)
            return (struct metric){"insn per cycle", fraction_round(value, 100, 1, other, 1), 2, 7,
                                   " "};
        break;
    case PMC_STAT_BRANCH_MISSES:
        other = pmc_stat_value_of(report, PMC_STAT_BRANCHES, count->modes);
        if (other)
            return pmc_stat_percentage("of all branches", value, other);
        other = pmc_stat_value_of(report, PMC_STAT_CONDITIONAL, count->modes);
        if (other)
            return pmc_stat_percentage("of cond. branches", value, other);
        break;
    case PMC_STAT_CACHE_MISSES:
        other = pmc_stat_value_of(report, PMC_STAT_CACHE_REFERENCES, count->modes);
        if (other)
            return pmc_stat_percentage("of all cache refs", value, other);
        break;
    case PMC_STAT_CYCLES:
        if (clock)
            return (struct metric){"GHz", fraction_round(value, 1000, 1, clock, 1), 3, 8, ""};
        break;
    default:
        break;
    }
    return clock ? pmc_stat_rate(value, clock) : (struct metric){0};
}

static void pmc_stat_put_metric(struct text_row *row, const struct metric *metric)
{
    size_t start = row->used;

    if (metric->unit) {
        text_row_text(row, " # ");
        text_row_fixed(row, metric->value, metric->decimals, metric->columns);
        text_row_text(row, metric->behind);
        text_row_text(row, " ");
        text_row_text(row, metric->unit);
    }
    text_row_blanks(row, METRIC_COLUMNS - (row->used - start));
}

/* COUNT's value as it is printed everywhere. */
static void pmc_stat_put_value(struct text_row *row, const struct pmc_stat_count *count,
                               size_t columns)
{
    if (count->state != PMC_STAT_COUNTED)
        text_row_right(row, bad_values[count->state], columns, TEXT_ROW_MAX);
    else if (count->role == PMC_STAT_TASK_CLOCK)
        text_row_fixed(row, fraction_round(count->value, 1, 1, 10000, 1), 2, columns);
    else
        text_row_number(row, count->value, columns);
}

static const char *pmc_stat_unit_of(const struct pmc_stat_count *count)
{
    return count->role == PMC_STAT_TASK_CLOCK ? "msec" : "";
}

static void pmc_stat_put_spread(struct text_row *row, uint64_t hundredths)
{
    text_row_text(row, "  ( +-");
    text_row_fixed(row, hundredths, 2, 6);
    text_row_text(row, "% )");
}

static void pmc_stat_put_count(struct text_row *row, const struct pmc_stat_report *report,
                               const struct pmc_stat_count *count)
{
    struct metric metric = pmc_stat_metric_of(report, count);
    bool counted = count->state == PMC_STAT_COUNTED;

    pmc_stat_put_value(row, count, VALUE_COLUMNS);
    text_row_text(row, " ");
    text_row_left(row, pmc_stat_unit_of(count), UNIT_COLUMNS, TEXT_ROW_MAX);
    text_row_text(row, " ");
    text_row_left(row, count->name, counted ? NAME_COLUMNS : NAME_BAD_COLUMNS, TEXT_ROW_MAX);
    pmc_stat_put_metric(row, &metric);
    if (counted && report->runs > 1)
        pmc_stat_put_spread(row, count->spread);
    if (count->running < PMC_STAT_WHOLE) {
        text_row_text(row, "  (");
        text_row_fixed(row, count->running, 2, 0);
        text_row_text(row, "%)");
    }
}

static void pmc_stat_put_fields(struct text_row *row, const struct pmc_stat_report *report,
                                const struct pmc_stat_count *count, const char *separator)
{
    struct metric metric = pmc_stat_metric_of(report, count);

    pmc_stat_put_value(row, count, 0);
    text_row_text(row, separator);
    text_row_text(row, pmc_stat_unit_of(count));
    text_row_text(row, separator);
    text_row_text(row, count->name);
    text_row_text(row, separator);
    if (report->runs > 1) {
        text_row_fixed(row, count->spread, 2, 0);
        text_row_text(row, "%");
        text_row_text(row, separator);
    }
    text_row_number(row, count->run_ns, 0);
    text_row_text(row, separator);
    text_row_fixed(row, count->running, 2, 0);
    text_row_text(row, separator);
    if (metric.unit)
        text_row_fixed(row, metric.value, metric.decimals, 0);
    text_row_text(row, separator);
    if (metric.unit)
        text_row_text(row, metric.unit);
}

static void pmc_stat_put_time(struct text_row *row, uint64_t ns, const char *what)
{
    text_row_fixed(row, ns, 9, TIME_COLUMNS);
    text_row_text(row, what);
}

/* Two digits more than the first one of the error that is not 0. */
static void pmc_stat_put_elapsed(struct text_row *row, const struct pmc_stat_report *report)
{
    unsigned decimals = 2;

    if (report->runs == 1) {
        pmc_stat_put_time(row, report->elapsed_ns, " seconds time elapsed");
        return;
    }
    while (decimals < 9 && report->elapsed_error * fraction_power(decimals - 2) < SECOND)
        decimals++;
    text_row_fixed(row, fraction_round(report->elapsed_ns, 1, 1, fraction_power(9 - decimals), 1),
                   decimals, TIME_COLUMNS);
    text_row_text(row, " +- ");
    text_row_fixed(row,
                   fraction_round(report->elapsed_error, 1, 1, fraction_power(9 - decimals), 1),
                   decimals, 0);
    text_row_text(row, " seconds time elapsed");
    pmc_stat_put_spread(
        row, fraction_round(report->elapsed_error, PMC_STAT_WHOLE, 1, report->elapsed_ns, 1));
}

static void pmc_stat_put_heading(struct text_row *row, const struct pmc_stat_report *report)
{
    text_row_text(row, " Performance counter stats for '");
    text_row_text(row, report->command);
    text_row_text(row, "'");
    if (report->runs > 1) {
        text_row_text(row, " (");
        text_row_number(row, report->runs, 0);
        text_row_text(row, " runs)");
    }
    text_row_text(row, ":");
}

void pmc_stat_print(const struct pmc_stat_report *report, text_put *put, void *arg)
{
    struct text_row row = {0};

    text_row_end(&row, put, arg);
    pmc_stat_put_heading(&row, report);
    text_row_end(&row, put, arg);
    text_row_end(&row, put, arg);
    for (size_t i = 0; i < report->count; i++) {
        pmc_stat_put_count(&row, report, &report->counts[i]);
        text_row_end(&row, put, arg);
    }
    text_row_end(&row, put, arg);
    pmc_stat_put_elapsed(&row, report);
    text_row_end(&row, put, arg);
    text_row_end(&row, put, arg);
    if (report->runs > 1)
        return;
    pmc_stat_put_time(&row, report->user_ns, " seconds user");
    text_row_end(&row, put, arg);
    pmc_stat_put_time(&row, report->system_ns, " seconds sys");
    text_row_end(&row, put, arg);
    text_row_end(&row, put, arg);
    text_row_end(&row, put, arg);
}

void pmc_stat_print_fields(const struct pmc_stat_report *report, const char *separator,
                           text_put *put, void *arg)
{
    struct text_row row = {0};

    for (size_t i = 0; i < report->count; i++) {
        pmc_stat_put_fields(&row, report, &report->counts[i], separator);
        text_row_end(&row, put, arg);
    }
}

void pmc_stat_print_interval(const struct pmc_stat_report *report, uint64_t time,
                             const char *separator, text_put *put, void *arg)
{
    struct text_row row = {0};

    for (size_t i = 0; i < report->count; i++) {
        text_row_fixed(&row, time, 9, 16);
        text_row_text(&row, separator ? separator : " ");
        if (separator)
            pmc_stat_put_fields(&row, report, &report->counts[i], separator);
        else
            pmc_stat_put_count(&row, report, &report->counts[i]);
        text_row_end(&row, put, arg);
    }
}

void pmc_stat_print_interval_heading(text_put *put, void *arg)
{
    struct text_row row = {0};

    text_row_text(&row, "#           time             counts unit events");
    text_row_end(&row, put, arg);
}
