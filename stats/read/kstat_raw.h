/* SPDX-License-Identifier: BSD-2-Clause */
/* The raw kstats whose data is known: the fields of unix:0:sysinfo and unix:0:vminfo. */
#ifndef STATS_KSTAT_RAW_H
#define STATS_KSTAT_RAW_H

#include <kstat.h>
#include <stdbool.h>

/* How many fields KSP has; 0 if it is none of them, or its data has another size. */
unsigned kstat_raw_fields(const kstat_t *ksp);
/* Field INDEX of KSP, which has more fields than that. */
const char *kstat_raw_field(const kstat_t *ksp, unsigned index, uint64_t *value);
/* Whether KSP is one of them, whether it was read or not. */
bool kstat_raw_is_known(const kstat_t *ksp);

#endif
