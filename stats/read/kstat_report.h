/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kstat_report: what `kstat` prints: the kstats that were chosen, sorted as illumos sorts them, in
 * one of its forms. Thread context.
 */
#ifndef STATS_KSTAT_REPORT_H
#define STATS_KSTAT_REPORT_H

#include <kstat.h>
#include <stdbool.h>
#include <stddef.h>

#include "lib/text_row.h"
#include "stats/read/kstat_pattern.h"

#ifdef __cplusplus
extern "C" {
#endif

enum kstat_form {
    KSTAT_FORM_BLOCKS, /* a paragraph each */
    KSTAT_FORM_LINES,  /* -p */
    KSTAT_FORM_JSON,   /* -j */
    KSTAT_FORM_QUIET   /* -q */
};

struct kstat_report {
    enum kstat_form form;
    unsigned line_flags;                 /* KSTAT_LINE_* */
    const struct kstat_pattern *pattern; /* what is wanted, in this order */
    size_t pattern_count;
    const struct kstat_pattern *class; /* its statistic part is that of -c; NULL: all */
    text_put *put;                     /* receives the text, whole lines at a time */
    void *arg;
    bool (*interrupted)(void); /* whether to stop; NULL: never */
};

/*
 * Reads and prints once. 0: a statistic matched; 1: none did; -ENOMEM; -EINTR: interrupted.
 */
int kstat_report_print(const struct kstat_report *report, kstat_ctl_t *kc);

#ifdef __cplusplus
}
#endif

#endif
