/* SPDX-License-Identifier: BSD-2-Clause */
/* A thread that counts for its process: see hwperf.h. */
#include <arch/interrupt_flag.h>
#include "kernel/hwperf/hwperf_private.h"
#include "kernel/memory/kmem.h"
#include "lib/errno.h"
#include "lib/string.h"
#include "stats/port.h"

static struct hwperf_member *hwperf_member_of(struct lwp *l)
{
    return (struct hwperf_member *)l->l_pmc_set;
}

/* The value of the side's counter is VALUE. The block's lock. */
static void hwperf_fold_side(struct hwperf_member *m, unsigned side, uint64_t value)
{
    m->block->count[hwperf_index_of(m, side)] += value - m->folded[side];
    m->folded[side] = value;
}

void hwperf_fold(struct hwperf_member *m)
{
    uint32_t held = pmc_hold_counters();
    uint64_t value[HWPERF_SIDES] = {0};

    for (unsigned side = 0; side < HWPERF_SIDES; side++)
        if (m->running >> side & 1)
            (void)pmc_get_counter_value(m->l, hwperf_counter(side), 0, &value[side]);
    pmc_go_on(held);
    for (unsigned side = 0; side < HWPERF_SIDES; side++)
        if (m->running >> side & 1)
            hwperf_fold_side(m, side, value[side]);
    m->block->folds++;
}

/* The side's counter is stopped, and made ready for the event whose slice it is. */
static int hwperf_member_prepare(struct hwperf_member *m, unsigned side)
{
    unsigned index = hwperf_index_of(m, side);
    struct pmc_counter_cfg cfg;
    int error;

    m->running &= (uint8_t)~(1u << side);
    if (!hwperf_configuration(&m->block->control, index, &cfg))
        return 0;
    error = pmc_resume_as(&hwperf_owner, m->l, hwperf_counter(side), &cfg, m->left[index], NULL);
    m->folded[side] = 0;
    if (error == 0)
        m->running |= (uint8_t)(1u << side);
    return error;
}

/* The next event of the side, if it is ever counted in its modes. */
static bool hwperf_member_next(const struct hwperf_member *m, unsigned side,
                               struct pmc_slice *slice)
{
    const struct hwperf_slices *slices = &m->block->slices;
    unsigned index = slices->index[side][(m->slice[side] + 1) % slices->count[side]];

    slice->left = m->left[index];
    return hwperf_configuration(&m->block->control, index, &slice->cfg);
}

/* In the usual case, where all that the thread counts goes on; false: nothing was done. */
static bool hwperf_member_turn_at_once(struct hwperf_member *m, uint32_t sides)
{
    struct pmc_slice slice[HWPERF_SIDES];
    unsigned n = 0;

    if (m->running != sides)
        return false;
    for (unsigned side = 0; side < HWPERF_SIDES; side++)
        if (sides >> side & 1 && !hwperf_member_next(m, side, &slice[n++]))
            return false;
    if (!pmc_slice_own(&hwperf_owner, hwperf_counters(sides), slice))
        return false;
    n = 0;
    for (unsigned side = 0; side < HWPERF_SIDES; side++)
        if (sides >> side & 1) {
            unsigned index = hwperf_index_of(m, side);

            m->block->count[index] += slice[n].value - m->folded[side];
            m->left[index] = slice[n++].left;
            m->folded[side] = 0;
            m->slice[side]++;
        }
    m->block->folds++;
    return true;
}

/* The sides in SIDES go on to the next event, unless their counters are just being taken away: then
 * they count on until that is told. The block's lock, by the thread. */
static void hwperf_member_turn(struct hwperf_member *m, uint32_t sides)
{
    uint32_t ending = hwperf_counters(sides & m->running);
    int error;

    if (hwperf_member_turn_at_once(m, sides))
        return;
    error = pmc_enable_as(&hwperf_owner, m->l, ending, false);
    hwperf_fold(m);
    if (error != 0)
        return;
    for (unsigned side = 0; side < HWPERF_SIDES; side++)
        if (sides >> side & 1) {
            m->left[hwperf_index_of(m, side)] = pmc_left(hwperf_counter(side));
            m->slice[side]++;
            (void)hwperf_member_prepare(m, side); /* an error: it is being taken away */
        }
    (void)pmc_enable_as(&hwperf_owner, m->l, hwperf_counters(sides & m->running), true);
}

/* The process counts no more until it asks again, and can tell by the generation. The block's lock,
 * by the thread. */
static void hwperf_lose(struct hwperf_member *m)
{
    if (m->active)
        hwperf_fold(m);
    m->active = false;
    m->lost = true;
    if (m->block->on) {
        m->block->generation++;
        m->block->lost = true;
    }
    m->block->on = false;
}

static void hwperf_tick(struct lwp *l)
{
    struct hwperf_member *m = hwperf_member_of(l);
    const struct hwperf_slices *slices = &m->block->slices;
    uint32_t sides = 0;

    spinlock_lock(&m->block->lock);
    m->ticks = true;
    for (unsigned side = 0; side < HWPERF_SIDES; side++)
        if (slices->count[side] > 1)
            sides |= 1u << side;
    if (m->active && sides != 0)
        hwperf_member_turn(m, sides);
    else if (m->active)
        hwperf_fold(m);
    m->ticks = false;
    if (m->told)
        hwperf_lose(m);
    m->told = false;
    spinlock_unlock(&m->block->lock);
}

/* A turn at a tick, which has the lock, may find that another counter has been taken. */
static void hwperf_lost(struct lwp *l, uint32_t mask)
{
    struct hwperf_member *m = hwperf_member_of(l);

    (void)mask;
    if (!m)
        return;
    if (m->ticks) {
        m->told = true;
        return;
    }
    spinlock_lock(&m->block->lock);
    hwperf_lose(m);
    spinlock_unlock(&m->block->lock);
}

/* Of a child linux/ takes care. */
static void hwperf_thread_born(struct lwp *l, struct lwp *child)
{
    (void)l;
    (void)child;
}

static void hwperf_thread_ends(struct lwp *l, struct lwp *parent)
{
    (void)parent;
    (void)l;
}

const struct pmu_owner hwperf_owner = {.name = "r10k_counters",
                                       .rank = PMU_RANK_THREAD,
                                       .sample = hwperf_sample,
                                       .lost = hwperf_lost,
                                       .tick = hwperf_tick,
                                       .fork = hwperf_thread_born,
                                       .exit = hwperf_thread_ends};

struct hwperf_member *hwperf_member_create(struct hwperf_block *block, struct lwp *l)
{
    struct hwperf_member *m = kmem_zalloc(sizeof *m);

    if (m) {
        m->member.owner = &hwperf_owner;
        m->block = block;
        m->l = l;
        TAILQ_INSERT_TAIL(&block->members, m, in_block);
    }
    return m;
}

/* The thread is M's from now on, and stays so until its end; false: it is another set's. */
static bool hwperf_member_link(struct hwperf_member *m)
{
    uintptr_t lock = stats_port_lock();
    bool free = m->l->l_pmc_set == NULL || m->l->l_pmc_set == &m->member;

    if (free)
        m->l->l_pmc_set = &m->member;
    stats_port_unlock(lock);
    return free;
}

static void hwperf_member_release(struct hwperf_member *m)
{
    for (unsigned side = 0; side < HWPERF_SIDES; side++)
        (void)pmc_release_as(&hwperf_owner, m->l, hwperf_counter(side));
    m->running = 0;
}

static void hwperf_member_activate(struct hwperf_member *m, bool active)
{
    uintptr_t state = spinlock_acquire(&m->block->lock);

    m->active = active;
    m->block->folds++;
    spinlock_release(&m->block->lock, state);
}

int hwperf_member_start(struct hwperf_member *m)
{
    int error = 0;

    if (!hwperf_member_link(m))
        return EBUSY;
    memset(m->left, 0, sizeof m->left);
    m->lost = false;
    for (unsigned side = 0; side < HWPERF_SIDES && error == 0; side++) {
        m->slice[side] = 0;
        if (m->block->slices.count[side] != 0)
            error = hwperf_member_prepare(m, side);
    }
    if (error == 0) {
        hwperf_member_activate(m, true);
        error = pmc_enable_as(&hwperf_owner, m->l, hwperf_counters(m->running), true);
    }
    if (error != 0) {
        hwperf_member_activate(m, false);
        hwperf_member_release(m);
    }
    return error;
}

/* Its counters stand still, and no tick has to do with them. */
static void hwperf_member_settle(struct hwperf_member *m)
{
    uint64_t value;
    uintptr_t state;

    for (unsigned side = 0; side < HWPERF_SIDES; side++) {
        if (!(m->running >> side & 1) ||
            pmc_get_counter_value(m->l, hwperf_counter(side), 0, &value) != 0)
            continue;
        state = spinlock_acquire(&m->block->lock);
        hwperf_fold_side(m, side, value);
        spinlock_release(&m->block->lock, state);
    }
}

void hwperf_member_stop(struct hwperf_member *m)
{
    uintptr_t state = spinlock_acquire(&m->block->lock);
    bool active = m->active;

    m->active = false;
    spinlock_release(&m->block->lock, state);
    if (active) {
        for (unsigned side = 0; side < HWPERF_SIDES; side++)
            if (m->running >> side & 1)
                (void)pmc_enable_as(&hwperf_owner, m->l, hwperf_counters(1u << side), false);
        hwperf_member_settle(m);
    }
    hwperf_member_release(m);
}

void hwperf_member_free(struct hwperf_member *m)
{
    uintptr_t lock;

    hwperf_member_stop(m);
    lock = stats_port_lock();
    if (m->l->l_pmc_set == &m->member)
        m->l->l_pmc_set = NULL;
    stats_port_unlock(lock);
    TAILQ_REMOVE(&m->block->members, m, in_block);
    kmem_free(m);
}

void hwperf_disinherit(void)
{
    for (unsigned side = 0; side < HWPERF_SIDES; side++)
        (void)pmc_release_as(&hwperf_owner, curlwp, hwperf_counter(side));
}
