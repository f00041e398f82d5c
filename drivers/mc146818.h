/* SPDX-License-Identifier: BSD-2-Clause */
/* The MC146818 real-time clock at ports 0x70 and 0x71. */
#pragma once

#include <stdint.h>

/* Seconds since 1970-01-01, taking the clock's time as UTC; 0 if it shows no valid time. Thread
 * context. */
uint64_t mc146818_seconds(void);
