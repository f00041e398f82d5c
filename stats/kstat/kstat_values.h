/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Named kstats made from a list of names. Their update function reads the numbers where they are
 * counted, each time somebody asks, and hands them to kstat_values_set.
 */
#pragma once

#include <stdint.h>
#include <sys/kstat.h>

struct kstat_value {
    const char *name;
    uchar_t type; /* KSTAT_DATA_* */
};

/*
 * Creates and installs a kstat with COUNT values, counted since SINCE (of clock_now(), 0: boot).
 * UPDATE sets them for who reads; until then they are 0. NULL if it was refused. Thread context.
 */
kstat_t *kstat_values_create(const char *module, int instance, const char *name,
                             const char *ks_class, const struct kstat_value *values, unsigned count,
                             int (*update)(kstat_t *, int), void *argument, uint64_t since);
/* For UPDATE, which has NUMBERS in the order of the names: each is made what its type says; of a
 * string it is the address, as it is of characters, of which 16 are kept. 0, so that UPDATE may
 * return it. */
int kstat_values_set(kstat_t *ksp, const uint64_t *numbers);
