/* SPDX-License-Identifier: BSD-2-Clause */
/* kstat_json: kstats in JSON, as `kstat -j` of illumos prints them. */
#ifndef STATS_KSTAT_JSON_H
#define STATS_KSTAT_JSON_H

#include <stdbool.h>
#include <sys/kstat.h>

#include "lib/text_row.h"
#include "stats/read/kstat_text.h"

/* All zero before kstat_json_begin, but that the row knows where its text goes. */
struct kstat_json {
    bool has_kstat, has_statistic; /* one came before */
    struct text_row row;
};

void kstat_json_begin(struct kstat_json *json);
void kstat_json_begin_kstat(struct kstat_json *json, const kstat_t *ksp);
void kstat_json_statistic(struct kstat_json *json, const struct kstat_statistic *statistic);
void kstat_json_end_kstat(struct kstat_json *json);
void kstat_json_end(struct kstat_json *json);

#endif
