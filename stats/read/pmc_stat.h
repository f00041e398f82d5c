/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pmc_stat: the report of `pmc stat`, laid out as perf stat (6.1) lays out its own: the table, the
 * lines of -x for programs, and the lines of -I. Averages of several runs, and how far those lie
 * apart, are worked out here too, in whole numbers.
 *
 * This layer lays out; counting and options belong to the command.
 */
#ifndef STATS_PMC_STAT_H
#define STATS_PMC_STAT_H

#include <stddef.h>
#include <stdint.h>
#include "lib/text_row.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a count is compared with, or compared to. */
enum pmc_stat_role {
    PMC_STAT_OTHER,
    PMC_STAT_TASK_CLOCK,
    PMC_STAT_CYCLES,
    PMC_STAT_INSTRUCTIONS,
    PMC_STAT_BRANCHES,
    PMC_STAT_CONDITIONAL, /* branches, without jumps */
    PMC_STAT_BRANCH_MISSES,
    PMC_STAT_CACHE_REFERENCES,
    PMC_STAT_CACHE_MISSES,
};

enum pmc_stat_state { PMC_STAT_COUNTED, PMC_STAT_NOT_COUNTED, PMC_STAT_NOT_SUPPORTED };

#define PMC_STAT_WHOLE 10000 /* 100 per cent in hundredths */

struct pmc_stat_count {
    const char *name; /* as it was asked for */
    enum pmc_stat_role role;
    enum pmc_stat_state state;
    uint32_t modes;   /* ratios are made of counts of the same modes */
    uint64_t value;   /* of the task clock: nanoseconds */
    uint64_t spread;  /* several runs: standard error of the mean, in hundredths of a per cent */
    uint64_t run_ns;  /* how long it was being counted */
    uint64_t running; /* what that is of the time it was asked for, in hundredths of a per cent */
};

struct pmc_stat_report {
    const char *command;
    unsigned runs;
    uint64_t elapsed_ns;
    uint64_t elapsed_error; /* several runs: standard error of the mean, ns */
    uint64_t user_ns, system_ns;
    size_t count;
    const struct pmc_stat_count *counts;
};

/* The table with its heading and the times below. */
void pmc_stat_print(const struct pmc_stat_report *report, text_put *put, void *arg);
/* A line a count: value, unit, event, spread (several runs), run time, per cent, metric, unit. */
void pmc_stat_print_fields(const struct pmc_stat_report *report, const char *separator,
                           text_put *put, void *arg);
/* The lines of one interval that ended at TIME, as fields if there is a SEPARATOR. elapsed_ns is
 * the interval's length. */
void pmc_stat_print_interval(const struct pmc_stat_report *report, uint64_t time,
                             const char *separator, text_put *put, void *arg);
/* What stands above them, once; not above fields. */
void pmc_stat_print_interval_heading(text_put *put, void *arg);

/* Results of several runs, to be averaged. All zero is none. */
struct pmc_stat_sum {
    uint64_t runs, sum;
    unsigned __int128 squares;
};

void pmc_stat_sum_add(struct pmc_stat_sum *sum, uint64_t value);
uint64_t pmc_stat_sum_mean(const struct pmc_stat_sum *sum);
/* The standard error of the mean; the second in hundredths of a per cent of the mean. 0 with less
 * than two runs. RUNS times a value must be below 2^63. */
uint64_t pmc_stat_sum_error(const struct pmc_stat_sum *sum);
uint64_t pmc_stat_sum_spread(const struct pmc_stat_sum *sum);

/* VALUE, counted during RUNNING of ENABLED nanoseconds, as it would be for all of them. */
uint64_t pmc_stat_scale(uint64_t value, uint64_t enabled, uint64_t running);

#ifdef __cplusplus
}
#endif

#endif
