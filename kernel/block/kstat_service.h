/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Histograms of service times as kstats: NAMED, a statistic for each power of two in use,
 * "17_le_131071", whose value is how many were served within so many nanoseconds (and not within
 * half of it). Class misc. They read the live histogram.
 */
#pragma once

#include <sys/kstat.h>
#include "stats/evcnt/histogram.h"

/* COLLECT copies the live histogram of SOURCE, which stays until the kstat is deleted and has been
 * kept since SINCE (of clock_now()). Returns the kstat, or NULL without memory. Thread context. */
kstat_t *kstat_service_create(const char *module, int instance, const char *name,
                              void (*collect)(const void *source, struct histogram *out),
                              const void *source, uint64_t since);
void kstat_service_delete(kstat_t *ksp); /* NULL: nothing */
