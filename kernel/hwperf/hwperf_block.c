/* SPDX-License-Identifier: BSD-2-Clause */
/* The counters of a process: see hwperf.h. */
#include <arch/interrupt_flag.h>
#include "kernel/hwperf/hwperf_private.h"
#include "kernel/memory/kmem.h"
#include "lib/string.h"

#define READ_ATTEMPTS 8 /* of threads that come and go */

static struct spinlock hwperf_all_lock = SPINLOCK_INITIALIZER("event counters of processes");
static TAILQ_HEAD(, hwperf_block) hwperf_all = TAILQ_HEAD_INITIALIZER(hwperf_all);

struct hwperf_block *hwperf_block_create(void)
{
    struct hwperf_block *block = kmem_zalloc(sizeof *block);
    uintptr_t state;

    if (block) {
        spinlock_init(&block->lock, "event counters of a process");
        block->generation = 1;
        TAILQ_INIT(&block->members);
        state = spinlock_acquire(&hwperf_all_lock);
        TAILQ_INSERT_TAIL(&hwperf_all, block, in_all);
        spinlock_release(&hwperf_all_lock, state);
    }
    return block;
}

struct hwperf_block *hwperf_block_inherit(const struct hwperf_block *from)
{
    struct hwperf_block *block = hwperf_block_create();

    if (block) {
        block->control = from->control;
        block->slices = from->slices;
        block->on = from->on;
        hwperf_profile_inherit(block, from);
    }
    return block;
}

void hwperf_block_name(struct hwperf_block *block, uint32_t id)
{
    block->id = id;
}

void hwperf_block_free(struct hwperf_block *block)
{
    uintptr_t state = spinlock_acquire(&hwperf_all_lock);

    TAILQ_REMOVE(&hwperf_all, block, in_all);
    spinlock_release(&hwperf_all_lock, state);
    hwperf_forget_passed(&block->passed);
    kmem_free(block->profile);
    kmem_free(block);
}

void hwperf_block_set(struct hwperf_block *block, const struct hwperf_control *control, bool anew)
{
    uintptr_t state = spinlock_acquire(&block->lock);

    block->control = *control;
    hwperf_slices_make(&block->slices, control);
    if (anew) {
        memset(block->count, 0, sizeof block->count);
        memset(block->overflows, 0, sizeof block->overflows);
        block->lost = false;
    }
    block->generation++;
    block->on = true;
    spinlock_release(&block->lock, state);
}

bool hwperf_block_is_on(const struct hwperf_block *block)
{
    return *(const volatile bool *)&block->on;
}

bool hwperf_block_is_wanted(const struct hwperf_block *block)
{
    return hwperf_block_is_on(block) || *(const volatile bool *)&block->lost;
}

void hwperf_block_off(struct hwperf_block *block)
{
    uintptr_t state = spinlock_acquire(&block->lock);

    block->on = false;
    spinlock_release(&block->lock, state);
}

void hwperf_block_lose(struct hwperf_block *block)
{
    uintptr_t state = spinlock_acquire(&block->lock);

    if (block->on) {
        block->generation++;
        block->lost = true;
    }
    block->on = false;
    spinlock_release(&block->lock, state);
}

void hwperf_blocks_lose(void)
{
    uintptr_t state = spinlock_acquire(&hwperf_all_lock);
    struct hwperf_block *block;

    TAILQ_FOREACH (block, &hwperf_all, in_all)
        hwperf_block_lose(block);
    spinlock_release(&hwperf_all_lock, state);
}

const struct hwperf_control *hwperf_block_control(const struct hwperf_block *block)
{
    return &block->control;
}

uint32_t hwperf_block_generation(struct hwperf_block *block)
{
    return *(volatile uint32_t *)&block->generation;
}

void hwperf_block_add(struct hwperf_block *to, struct hwperf_block *from)
{
    uintptr_t state = spinlock_acquire(&to->lock);

    for (unsigned i = 0; i < HWPERF_EVENTS; i++)
        to->count[i] += from->count[i];
    if (from->lost) {
        to->generation++;
        to->lost = true;
    }
    spinlock_release(&to->lock, state);
}

/* The caller's own. */
static void hwperf_fold_own(struct hwperf_member *m)
{
    uintptr_t state = spinlock_acquire(&m->block->lock);

    if (m->active)
        hwperf_fold(m);
    spinlock_release(&m->block->lock, state);
}

/* What another thread has counted since its last fold is added to COUNT. */
static void hwperf_add_other(struct hwperf_member *m, uint64_t count[HWPERF_EVENTS])
{
    uintptr_t state = spinlock_acquire(&m->block->lock);
    struct hwperf_member at = *m;
    uint64_t value;

    spinlock_release(&m->block->lock, state);
    for (unsigned side = 0; at.active && side < HWPERF_SIDES; side++)
        if (at.running >> side & 1 &&
            pmc_get_counter_value(at.l, hwperf_counter(side), 0, &value) == 0)
            count[hwperf_index_of(&at, side)] += value - at.folded[side];
}

/* Adds what the block has to what its members have beyond; false: they have folded since FOLDS. */
static bool hwperf_sum(struct hwperf_block *block, uint32_t folds, uint64_t count[HWPERF_EVENTS])
{
    uintptr_t state = spinlock_acquire(&block->lock);
    bool still = block->folds == folds;

    for (unsigned i = 0; i < HWPERF_EVENTS; i++)
        count[i] += block->count[i];
    spinlock_release(&block->lock, state);
    return still;
}

uint32_t hwperf_block_read(struct hwperf_block *block, uint64_t count[HWPERF_EVENTS])
{
    struct hwperf_member *m;
    uint32_t folds;

    for (unsigned attempt = 0; attempt < READ_ATTEMPTS; attempt++) {
        memset(count, 0, HWPERF_EVENTS * sizeof *count);
        TAILQ_FOREACH (m, &block->members, in_block)
            if (m->l == curlwp)
                hwperf_fold_own(m);
        folds = *(volatile uint32_t *)&block->folds;
        TAILQ_FOREACH (m, &block->members, in_block)
            if (m->l != curlwp)
                hwperf_add_other(m, count);
        if (hwperf_sum(block, folds, count))
            return hwperf_block_generation(block);
    }
    memset(count, 0, HWPERF_EVENTS * sizeof *count); /* as of their last ticks */
    (void)hwperf_sum(block, 0, count);
    return hwperf_block_generation(block);
}

void hwperf_block_get_facts(struct hwperf_block *block, struct hwperf_block_facts *facts)
{
    const struct hwperf_member *m;

    *facts = (struct hwperf_block_facts){.lost = block->lost};
    TAILQ_FOREACH (m, &block->members, in_block)
        facts->members++;
    for (unsigned i = 0; i < HWPERF_EVENTS; i++)
        facts->overflows += block->overflows[i];
}
