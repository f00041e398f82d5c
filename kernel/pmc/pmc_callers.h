/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who has called the function of a sample. Its exact place is known, but the chain of calls is that
 * of a later instant; here the two are joined, only by calls that the code itself can make.
 */
#pragma once

#include <stdint.h>

#define PMC_CALLERS_UNKNOWN (-1)

/* Answers are kept between these two, if there is memory for that. Thread context. */
void pmc_callers_begin(void);
void pmc_callers_end(void);

/*
 * Where in CHAIN, of DEPTH functions from the innermost outwards, the callers of FUNCTION begin, or
 * PMC_CALLERS_UNKNOWN. *BETWEEN: 0, or the function through which the first of them calls it.
 * BETWEEN NULL: only callers of FUNCTION that is in the chain itself. One user at a time.
 */
int pmc_callers_find(uintptr_t function, const uintptr_t *chain, unsigned depth,
                     uintptr_t *between);
