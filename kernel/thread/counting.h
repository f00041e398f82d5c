/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Upcalls: what threads tell whoever counts for each of them (kernel/pmc). They come only for
 * threads that count (lwp_counts), and for switches on a CPU with cpu->pmc; without either, threads
 * and switches cost a comparison. A kernel without performance counters has neither.
 */
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

struct thread_counting {
    /* context_switch on a CPU where somebody counts. */
    void (*hand_over)(struct thread *from, struct thread *to, uintptr_t state);
    /* The running thread, which counts, has made THREAD, which does not run yet. */
    void (*born)(struct thread *thread);
    /* THREAD, the caller, is ending; what it counted goes to PARENT, if that is not NULL, which
     * stays meanwhile. Thread lock. */
    void (*ends)(struct thread *thread, struct thread *parent);
    /* The same, afterwards, without the lock. */
    void (*ended)(struct thread *thread);
};

extern const struct thread_counting *thread_counting; /* set once, before anything counts */
