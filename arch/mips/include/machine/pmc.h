/* SPDX-License-Identifier: BSD-2-Clause */
/* The types of <sys/pmc.h> that each machine chooses. */
#ifndef MACHINE_PMC_H
#define MACHINE_PMC_H

#include <stdint.h>

typedef uint32_t pmc_evid_t; /* an event: the number that `pmc list` prints */
typedef uint64_t pmc_ctr_t;  /* what a counter's register holds, or a period */

#define PMC_COUNTERS_MAX 16 /* of all classes together */

#endif
