/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counters at a thread switch; see pmc_switch.h. A class that is PMU_QUICK has the registers that
 * the machine knows how to read through qpmu's slot (pmu_fold_counter), so that between threads
 * which count the same they are looked at here, in as few instructions as possible: a function for
 * each set of the first two counters. All other classes are asked one counter after another, by
 * pmc_switch_context.
 */
#include "kernel/pmc/pmc_switch.h"
#include <arch/context.h>
#include <arch/pmu.h>
#include "kernel/cpu/cpu.h"
#include "kernel/pmc/pmu_slot.h"
#include "kernel/thread/thread.h"
#include "stats/pmc/pmc_private.h"

#define QUICK(mask)                                                                                \
    static void pmc_switch_##mask(void **from, void *to, uintptr_t state,                          \
                                  struct pmu_counts *thread, uint64_t *last)                       \
    {                                                                                              \
        struct qpmu_slot *slot = pmu_slot_here();                                                  \
                                                                                                   \
        __asm__("" : "+r"(slot)); /* its address is made once */                                   \
        if ((mask) & 1)                                                                            \
            pmu_fold_counter(slot, 0, &thread->count[0], &last[0]);                                \
        if ((mask) & 2)                                                                            \
            pmu_fold_counter(slot, 1, &thread->count[1], &last[1]);                                \
        context_switch(from, to, state);                                                           \
    }
QUICK(1)
QUICK(2)
QUICK(3)

static void pmc_switch_any(void **from, void *to, uintptr_t state, struct pmu_counts *thread,
                           uint64_t *last)
{
    struct qpmu_slot *slot = pmu_slot_here();

    for (unsigned n = 0; thread->mask >> n; n++)
        if (thread->mask >> n & 1)
            pmu_fold_counter(slot, n, &thread->count[n], &last[n]);
    context_switch(from, to, state);
}

pmc_quick_switch_t *pmc_port_quick_switch(const struct pmu_class *class, uint32_t mask)
{
    static pmc_quick_switch_t *const switches[] = {NULL, pmc_switch_1, pmc_switch_2, pmc_switch_3};

    (void)class;
    return mask < 4 ? switches[mask] : pmc_switch_any;
}

static __attribute__((noinline)) void pmc_switch_classes(struct thread *from, struct thread *to,
                                                         uintptr_t state)
{
    cpu_here.leaving = from;
    pmc_switch_context(&from->lwp, &to->lwp);
    cpu_here.leaving = NULL;
    context_switch(&from->stack_pointer, to->stack_pointer, state);
}

void pmc_hand_over(struct thread *from, struct thread *to, uintptr_t state)
{
    if (__builtin_expect(!pmc_count_the_same(&from->lwp, &to->lwp), 0)) {
        if (from->lwp.l_pmc || to->lwp.l_pmc || pmc_system.profiling_mask != 0)
            pmc_switch_classes(from, to, state);
        else
            context_switch(&from->stack_pointer, to->stack_pointer, state);
        return;
    }
    from->lwp.l_pmc->quick(&from->stack_pointer, to->stack_pointer, state, &from->lwp.l_pmc->counts,
                           cpu_here.pmc->last);
}
