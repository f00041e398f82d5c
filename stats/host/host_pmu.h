/* SPDX-License-Identifier: BSD-2-Clause */
/* A PMU for tests, of the library's own; what programs may use of it is in <quipu_host.h>. */
#ifndef STATS_HOST_PMU_H
#define STATS_HOST_PMU_H

/* As at the start: the PMU that a program finds, and threads' state is given back. */
void host_pmu_reset(void);

#endif
