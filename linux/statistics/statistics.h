/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Statistics for programs: /dev/kstat, /dev/sysctl and /dev/pmc, whose ioctls user/lib makes the
 * classic calls of. They are open to everybody; changing what the kernel keeps is root's.
 */
#pragma once

#include "fs/dev/dev.h"

extern struct device statistics_kstat, statistics_sysctl, statistics_pmc;

/* Makes them; more than once is harmless. */
void statistics_register(void);
