/* SPDX-License-Identifier: BSD-2-Clause */
/* How many exceptions there were on a CPU, from their counters. */
#pragma once

#include <stdint.h>

/* Of all causes; thread context. */
uint64_t trap_count(unsigned cpu);
/* Of the causes with these names, of which a machine may have none: NULL ends the list. */
uint64_t trap_count_of(unsigned cpu, const char *const *names);
