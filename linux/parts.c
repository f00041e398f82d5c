/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parts of programs, in the order in which they are told. Events of perf_event_open come before
 * those of r10k_counters(5): a new task gives back the counters that are its creator's no more, and
 * only then the latter may have them.
 */
#include <stddef.h>
#include "linux/program/program_part.h"

const struct program_part *const program_parts[] = {
    &timers_part, &perf_part, &hwperf_part, &futex_part, &pidfd_part, &ipc_part, NULL};
