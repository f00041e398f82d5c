/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What <sys/pmc.h> knows of a thread. The kernel's struct thread has one inside; on the host a test
 * makes them.
 */
#ifndef SYS_LWP_H
#define SYS_LWP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pmc_state;
struct pmc_member;

/* Zeroed, it is a thread that counts nothing. */
struct lwp {
    uint64_t l_pmc_plan;     /* equal and not 0 in two threads: they count the same, and the switch
                                between them is short. Its CPU, or under the lock of pmc.c */
    struct pmc_state *l_pmc; /* NULL until a counter is configured or inherited */
    struct pmc_member *l_pmc_set; /* the set of events that counts it; NULL: none */
    uint64_t l_pmc_claim;  /* the claim of pmc_claim under which it was born, or which it made */
    uint32_t l_pmc_losses; /* how often it was told that counters had been taken away from it;
                              under the lock */
};

/* The calling thread; in an interrupt the one that was interrupted. */
struct lwp *lwp_current(void);
#define curlwp lwp_current()

/* Whether it has counters, or has to do with somebody's set of them: its children take after it,
 * and its end is told. */
static inline bool lwp_counts(const struct lwp *l)
{
    return l->l_pmc != NULL || l->l_pmc_set != NULL;
}

#endif
