/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * number: whole numbers read from text, all of it or nothing. No signs, no blanks, no floats.
 */
#ifndef LIB_NUMBER_H
#define LIB_NUMBER_H

#include <stdint.h>

/*
 * Read all of text as a number in the given base (2..36; digits beyond 9 are letters of either
 * case). Base 0 means: 0x or 0X leads a hexadecimal number, anything else is decimal. Returns 0,
 * -EINVAL for anything that is not such a number, -ERANGE when it does not fit into 64 bits; *value
 * is written only on success.
 */
int parse_u64(const char *text, unsigned base, uint64_t *value);

/*
 * Read all of text as a decimal fraction such as 3, 0.5 or .25 and give it scaled by 10^places
 * (places <= 18), digits beyond those cut off: parse_decimal("0.5", 9, &ns) reads seconds as
 * nanoseconds. Results as above.
 */
int parse_decimal(const char *text, unsigned places, uint64_t *value);

#endif
