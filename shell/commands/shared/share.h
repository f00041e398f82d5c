/* SPDX-License-Identifier: BSD-2-Clause */
/* share: rates and percentages for tables, rounded so that what should add up does. */
#ifndef SHELL_SHARE_H
#define SHELL_SHARE_H

#include <stdint.h>

#define SHARE_PARTS_MAX 8

/* How many a second, when COUNT came in NS nanoseconds; rounded to the nearest, 0 if NS is 0. */
uint64_t share_rate(uint64_t count, uint64_t ns);

/*
 * What each of COUNT (at most SHARE_PARTS_MAX) times is of WHOLE (say 100), given that all of them
 * are WHOLE: the sum of out is WHOLE. If all are 0, the last one is all of it.
 */
void share_parts(const uint64_t *times, unsigned *out, unsigned count, unsigned whole);

/* PART as a share of TOTAL in units of 1/whole, rounded to the nearest; 0 if TOTAL is 0. */
uint64_t share_of(uint64_t part, uint64_t total, uint64_t whole);

#endif
