/* SPDX-License-Identifier: BSD-2-Clause */
/* What laws about CPU time compare with, in cycles, for who divides it otherwise (linux/). For the
 * functions of a struct law only. */
#pragma once

#include <stdint.h>

/* CYCLES is the sum of what all threads there ever were have used, those that run having subtracted
 * their CPU's own time of when they began; with it, it is complete. */
uint64_t cpu_time_law_threads(uint64_t cycles);
/* The same by CPUs: what was no interrupt's; what was spent in user mode. */
uint64_t cpu_time_law_cpus(void *unused);
uint64_t cpu_time_law_user(void *unused);
