/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's stacks, for qpmu. Of functions that are on a stack for certain only where it is not
 * certain that one returns to the other there is a gap: what lies on one side of it is told as a
 * stack of its own.
 */
#include "kernel/pmc/pmu_stacks.h"
#include <arch/memory.h>
#include <arch/trap.h>
#include "kernel/memory/aspace.h"
#include "kernel/pmc/pmu_slot.h"
#include "kernel/thread/thread.h"
#include "lib/section.h"

/* From the innermost on; thread lock, under which stacks are visited. */
static struct found {
    const uintptr_t *place;
    enum trap_return kind;
} found[QPMU_STACK_FRAMES] SHARED_BSS;
static unsigned found_count;
static SHARED_BSS struct qpmu_stack told __attribute__((aligned(2048)));
_Static_assert(sizeof told <= 2048, "it lies in one page");

static bool pmu_stacks_find(void *unused, const uintptr_t *place, enum trap_return kind)
{
    (void)unused;
    found[found_count++] = (struct found){place, kind};
    return found_count < QPMU_STACK_FRAMES;
}

static uint64_t pmu_stacks_physical_of(const void *address)
{
    uint64_t physical;

    if (aspace_lookup(&aspace_kernel, (uintptr_t)address, &physical, NULL) == 0)
        return physical;
    return memory_physical(address);
}

static void pmu_stacks_send(void)
{
    struct qpmu_slot *slot = pmu_slot_here();

    if (told.count == 0)
        return;
    PMU_SLOT(slot, flags) = slot->flags | QPMU_STACK_NEXT;
    (void)pmu_hypercall((struct qpmu_slot *)&told);
    PMU_SLOT(slot, flags) = slot->flags & ~QPMU_STACK_NEXT;
    told.count = 0;
}

static void pmu_stacks_visit(const void *pointer, uintptr_t stack, uintptr_t end)
{
    if (!pmu_slot_here())
        return;
    found_count = told.count = 0;
    trap_saved_returns(pointer, stack, end, pmu_stacks_find, NULL);
    for (unsigned i = found_count; i-- > 0;) {
        uint64_t place = 0;

        if (found[i].kind != TRAP_RETURN_INTERRUPT)
            place = pmu_stacks_physical_of(found[i].place);
        if (found[i].kind == TRAP_RETURN_ALSO)
            place |= QPMU_STACK_ALSO;
        told.frame[told.count].place = place;
        told.frame[told.count++].back = *found[i].place;
        if (found[i].kind == TRAP_RETURN_DOUBT)
            pmu_stacks_send();
    }
    pmu_stacks_send();
}

void pmu_stacks_tell(void)
{
    thread_visit_stacks(pmu_stacks_visit);
}
