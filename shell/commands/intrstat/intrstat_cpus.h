/* SPDX-License-Identifier: BSD-2-Clause */
/* intrstat's table of CPUs, as illumos lays it out; see intrstat_cpus.c. */
#ifndef SHELL_INTRSTAT_CPUS_H
#define SHELL_INTRSTAT_CPUS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * A row for each line that has come, or with LEVELS for each priority level; COUNT reports (0:
 * without end) INTERVAL ns apart. INTERVAL 0: one, since boot. The command's status.
 */
int intrstat_cpus(bool levels, uint64_t interval, uint64_t count);

#endif
