/* SPDX-License-Identifier: BSD-2-Clause */
/* time_stamp: the line above a report, as commands with -T print it. */
#ifndef STATS_TIME_STAMP_H
#define STATS_TIME_STAMP_H

#include <stdint.h>

#include "lib/text_row.h"

/* Of SECONDS since 1970, UTC. FORM 'u': that number; 'd': as date(1) has it; anything else: none.
 * Any context. */
void time_stamp_put(char form, uint64_t seconds, text_put *put, void *arg);

#endif
