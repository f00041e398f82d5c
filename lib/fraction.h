/* SPDX-License-Identifier: BSD-2-Clause */
/* fraction: quotients of products, rounded as printf rounds, without floating point. */
#ifndef LIB_FRACTION_H
#define LIB_FRACTION_H

#include <stdint.h>

/*
 * a * b * c / (d * e) rounded to the nearest, halves to even; 0 if the divisor is 0, UINT64_MAX if
 * it is larger. b * c must be below 2^64.
 */
uint64_t fraction_round(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e);

/* 10^DECIMALS for up to 9. */
uint64_t fraction_power(unsigned decimals);

#endif
