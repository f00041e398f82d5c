/* SPDX-License-Identifier: BSD-2-Clause */
/* Between threads and pmc(9), for scheduler.c and thread.c. */
#pragma once

#include <stdint.h>

struct thread;

/* `make bench` builds a kernel in which thread switches do not ask for counters, to tell what that
 * costs; no other kernel is without. */
#ifdef QUIPU_WITHOUT_PMC
#define PMC_KEPT 0
#else
#define PMC_KEPT 1
#endif

/* context_switch on a CPU where somebody counts. */
void pmc_hand_over(struct thread *from, struct thread *to, uintptr_t state);
/* THREAD, the caller, is ending; what it counted goes to PARENT, if that is not NULL, which stays
 * meanwhile. */
void pmc_thread_exit(struct thread *thread, struct thread *parent);
