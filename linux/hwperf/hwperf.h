/* SPDX-License-Identifier: BSD-2-Clause */
/* r10k_counters(5) as /proc has it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "fs/dev/dev.h"

struct process;

extern struct device hwperf_device; /* /dev/hwperf, which syssgi(2) asks */

/* The ioctls of /proc/PID. */
long hwperf_ioctl(struct process *process, uint32_t command, uintptr_t argument, bool user);
