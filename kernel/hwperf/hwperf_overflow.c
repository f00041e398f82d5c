/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Thresholds that were passed: counted where it happens, which may be in the middle of a thread
 * switch, and told from a soft interrupt.
 */
#include "kernel/hwperf/hwperf_private.h"
#include "kernel/interrupt/softint.h"
#include "lib/section.h"

static struct spinlock hwperf_passed_lock = SPINLOCK_INITIALIZER("passed thresholds");
static TAILQ_HEAD(, hwperf_passed) hwperf_passed = TAILQ_HEAD_INITIALIZER(hwperf_passed);
static SHARED_BSS struct softint hwperf_softint;
static hwperf_listener *hwperf_told;

void hwperf_pass(struct hwperf_passed *passed, uint32_t id, uint32_t count)
{
    spinlock_lock(&hwperf_passed_lock);
    if (passed->count == 0)
        TAILQ_INSERT_TAIL(&hwperf_passed, passed, link);
    passed->id = id;
    passed->count += count;
    spinlock_unlock(&hwperf_passed_lock);
    softint_schedule(&hwperf_softint);
}

/* Its slice is that in which it counted: the counter stands still, and has told all, before that
 * changes. */
void hwperf_sample(const struct pmc_sample *sample)
{
    struct hwperf_member *m = (struct hwperf_member *)sample->l->l_pmc_set;
    unsigned side = (unsigned)(sample->ctr - hwperf_counter(0));

    if (!m || m->member.owner != &hwperf_owner || m->lost || side >= HWPERF_SIDES)
        return;
    spinlock_lock(&hwperf_passed_lock);
    m->block->overflows[hwperf_index_of(m, side)] += (uint32_t)sample->count;
    spinlock_unlock(&hwperf_passed_lock);
    if (m->block->profile)
        hwperf_profile_sample(m->block, sample);
    if (m->block->profile || m->block->control.signal != 0)
        hwperf_pass(&m->block->passed, m->block->id, (uint32_t)sample->count);
}

/* The next process with any; 0: there is none. */
static uint32_t hwperf_next_passed(uint32_t *count)
{
    uintptr_t state = spinlock_acquire(&hwperf_passed_lock);
    struct hwperf_passed *passed = TAILQ_FIRST(&hwperf_passed);
    uint32_t id = 0;

    if (passed) {
        TAILQ_REMOVE(&hwperf_passed, passed, link);
        id = passed->id;
        *count = passed->count;
        passed->count = 0;
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

void hwperf_forget_passed(struct hwperf_passed *passed)
{
    uintptr_t state = spinlock_acquire(&hwperf_passed_lock);

    if (passed->count != 0)
        TAILQ_REMOVE(&hwperf_passed, passed, link);
    passed->count = 0;
    spinlock_release(&hwperf_passed_lock, state);
}
