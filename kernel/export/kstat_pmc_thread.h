/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kstats of threads that have counters configured: pmc:ID:thread, class pmc. Nothing is done when a
 * thread configures or gives back a counter, nor when it ends, so that what is measured is not
 * changed by being shown: kstats come and go with the next look at the chain. See docs/PMC.md.
 */
#pragma once

/* Those of threads that count now. Who calls it holds a mutex, always the same; thread context. */
void kstat_pmc_thread_refresh(void);
/* Once, before. */
void kstat_pmc_thread_prepare(void);
