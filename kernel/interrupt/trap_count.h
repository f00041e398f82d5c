/* SPDX-License-Identifier: BSD-2-Clause */
/* How many exceptions there were on a CPU, from their counters. */
#pragma once

#include <arch/trap.h>
#include <stdint.h>

/* Of all causes; any context. */
uint64_t trap_count(unsigned cpu);
/* Of those that say WHAT of memory; any context. */
uint64_t trap_count_memory(unsigned cpu, enum trap_memory what);
