/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kstats of class pmc: pmc:CPU:counterN for each counter that the kernel has in use (`pmc start`,
 * `tprof`), on each CPU; and pmc:0:tprof, the statistics of samples. A counter that is given to
 * another event gets new ones. Those of threads are kstat_pmc_thread.h.
 */
#pragma once

/* Those of counters that are in use now; to be called before the chain of kstats is looked at.
 * Thread context, no lock held. */
void kstat_pmc_refresh(void);
