/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Thresholds that were passed: counted where it happens, which may be in the middle of a thread
 * switch, and told from a soft interrupt.
 */
#include "kernel/hwperf/hwperf_private.h"
#include "kernel/interrupt/softint.h"

static struct spinlock hwperf_passed_lock = SPINLOCK_INITIALIZER("passed thresholds");
static TAILQ_HEAD(, hwperf_block) hwperf_passed = TAILQ_HEAD_INITIALIZER(hwperf_passed);
static struct softint hwperf_softint;
static hwperf_listener *hwperf_told;

void hwperf_sample(const struct pmc_sample *sample)
{
    struct hwperf_member *m = (struct hwperf_member *)sample->l->l_pmc_set;

    if (!m || m->member.owner != &hwperf_owner || m->block->control.signal == 0)
        return;
    spinlock_lock(&hwperf_passed_lock);
    if (m->block->passed == 0)
        TAILQ_INSERT_TAIL(&hwperf_passed, m->block, in_passed);
    m->block->passed += (uint32_t)sample->count;
    spinlock_unlock(&hwperf_passed_lock);
    softint_schedule(&hwperf_softint);
}

/* The next process with any; 0: there is none. */
static uint32_t hwperf_next_passed(uint32_t *count)
{
    uintptr_t state = spinlock_acquire(&hwperf_passed_lock);
    struct hwperf_block *block = TAILQ_FIRST(&hwperf_passed);
    uint32_t id = 0;

    if (block) {
        TAILQ_REMOVE(&hwperf_passed, block, in_passed);
        id = block->id;
        *count = block->passed;
        block->passed = 0;
    }
    spinlock_release(&hwperf_passed_lock, state);
    return id;
}

static void hwperf_tell(void *unused)
{
    uint32_t id, count;

    (void)unused;
    while ((id = hwperf_next_passed(&count)) != 0)
        hwperf_told(id, count);
}

void hwperf_overflow_boot(void)
{
    softint_establish(&hwperf_softint, IPL_SOFTCLOCK, hwperf_tell, NULL, "hwperf");
}

void hwperf_listen(hwperf_listener *listener)
{
    hwperf_told = listener;
}

void hwperf_forget_passed(struct hwperf_block *block)
{
    uintptr_t state = spinlock_acquire(&hwperf_passed_lock);

    if (block->passed != 0)
        TAILQ_REMOVE(&hwperf_passed, block, in_passed);
    block->passed = 0;
    spinlock_release(&hwperf_passed_lock, state);
}
