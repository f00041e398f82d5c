/* SPDX-License-Identifier: BSD-2-Clause */
/* system_sample: what the console and the CPUs have done so far, for iostat and systat. */
#ifndef SHELL_SYSTEM_SAMPLE_H
#define SHELL_SYSTEM_SAMPLE_H

#include "stats/read/iostat_bsd.h"

/* Fills in *out; all of it is since boot. */
void system_sample_take(struct iostat_bsd_system *out);

/* What came between two samples. */
struct iostat_bsd_system system_sample_since(const struct iostat_bsd_system *now,
                                             const struct iostat_bsd_system *before);

#endif
