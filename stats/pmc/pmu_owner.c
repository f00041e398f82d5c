/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Grants: see pmu_owner.h. Nobody else writes what pmc_system says of owners and users, or which
 * owner a thread's counter has. Programming registers is the callers' business: what is given or
 * taken here comes into force through them.
 */
#include "stats/pmc/pmu_owner.h"
#include <stddef.h>
#include "lib/errno.h"
#include "stats/pmc/pmc_private.h"
#include "stats/port.h"

const struct pmu_owner pmu_owner_thread = {.name = "pmc", .rank = PMU_RANK_THREAD};
const struct pmu_owner pmu_owner_kernel = {
    .name = "the kernel", .rank = PMU_RANK_SYSTEM, .system = true};
const struct pmu_owner pmu_owner_profiler = {
    .name = "a profile", .rank = PMU_RANK_PROFILE, .system = true, .profiles = true};
static const struct pmu_owner owner_test = {
    .name = "selftest", .rank = PMU_RANK_TEST, .system = true};

/* --- who is in the way; all under the lock --- */

static bool pmu_owner_refuse(struct pmu_refusal *refusal, const struct pmu_owner *holder,
                             const struct lwp *thread)
{
    refusal->holder = holder;
    refusal->thread = thread != NULL ? pmc_port_number(thread) : 0;
    return true;
}

void pmu_owner_tell(struct pmc_state *state)
{
    bool any = false;

    if (state->epoch == pmc_system.epoch)
        return;
    for (int n = 0; n < pmc_system.counters; n++) {
        struct pmc_want *want = &state->want[n];

        if (want->owner == NULL || pmc_system.taken[n] <= state->epoch)
            continue;
        want->loser = want->owner; /* its count stays; the holders' list has begun anew */
        want->owner = NULL;
        want->enabled = false;
        any = true;
    }
    state->lwp->l_pmc_losses += any;
    state->lwp->l_pmc_plan = 0;
    state->changed = true;
    __atomic_store_n(&state->epoch, pmc_system.epoch, __ATOMIC_RELEASE);
}

struct pmc_state *pmu_owner_state(const struct lwp *l)
{
    if (l->l_pmc != NULL)
        pmu_owner_tell(l->l_pmc);
    return l->l_pmc;
}

static bool pmu_owner_refused_system(const struct pmu_owner *owner, int ctr, enum pmu_how how,
                                     struct pmu_refusal *refusal)
{
    const struct pmu_owner *holder = pmc_system.owner[ctr];
    const struct pmc_state *state;

    if (pmc_claimed())
        return pmu_owner_refuse(refusal, &owner_test, NULL);
    if (holder != NULL && (how != PMU_BY_FORCE || owner->rank <= holder->rank ||
                           (pmc_system.changing_mask >> ctr & 1)))
        return pmu_owner_refuse(refusal, holder, NULL);
    if (how != PMU_IF_FREE) /* any owner of threads gives way */
        return false;
    state = LIST_FIRST(&pmc_system.holders[ctr]);
    if (state != NULL)
        return pmu_owner_refuse(refusal, state->want[ctr].owner, state->lwp);
    return pmc_system.leaving[ctr] != 0 && pmu_owner_refuse(refusal, &pmu_owner_thread, NULL);
}

static bool pmu_owner_refused_thread(const struct pmu_owner *owner, const struct lwp *l, int ctr,
                                     struct pmu_refusal *refusal)
{
    const struct pmu_owner *holder = pmc_system.owner[ctr];
    const struct pmc_state *state = pmu_owner_state(l);

    if (holder != NULL)
        return pmu_owner_refuse(refusal, holder, NULL);
    if (pmc_claimed())
        return pmu_owner_refuse(refusal, &owner_test, NULL);
    holder = state != NULL ? state->want[ctr].owner : NULL;
    if (holder != NULL && holder != owner)
        return pmu_owner_refuse(refusal, holder, l);
    return false;
}

bool pmu_owner_refused(const struct pmu_owner *owner, const struct lwp *l, int ctr,
                       struct pmu_refusal *refusal)
{
    struct pmu_refusal unused;
    uintptr_t lock = stats_port_lock();
    bool refused;

    if (refusal == NULL)
        refusal = &unused;
    *refusal = (struct pmu_refusal){.counter = ctr};
    refused = owner->system ? pmu_owner_refused_system(owner, ctr, PMU_IF_FREE, refusal)
                            : pmu_owner_refused_thread(owner, l, ctr, refusal);
    stats_port_unlock(lock);
    return refused;
}

/* --- of threads, which have been told; under the lock --- */

/* The thread has the counter from now on, or no longer (OWNER NULL). */
static void pmu_owner_set_owner(struct pmc_state *state, int ctr, const struct pmu_owner *owner)
{
    struct pmc_want *want = &state->want[ctr];

    if (owner != NULL && want->owner == NULL)
        LIST_INSERT_HEAD(&pmc_system.holders[ctr], state, holding[ctr]);
    if (owner == NULL && want->owner != NULL)
        LIST_REMOVE(state, holding[ctr]);
    want->owner = owner;
}

void pmu_owner_enable(struct pmc_state *state, int ctr, bool enabled)
{
    struct pmc_want *want = &state->want[ctr];

    pmc_system.enabled[ctr] += enabled - want->enabled;
    want->enabled = enabled;
    state->changed = true;
    state->lwp->l_pmc_plan = 0;
}

void pmu_owner_give_thread(struct pmc_state *state, int ctr, const struct pmu_owner *owner,
                           bool enabled)
{
    pmu_owner_set_owner(state, ctr, owner);
    state->want[ctr].configured = true;
    state->want[ctr].loser = NULL;
    pmu_owner_enable(state, ctr, enabled);
}

int pmu_owner_grant_thread(const struct pmu_owner *owner, struct pmc_state *state, int ctr,
                           struct pmu_refusal *refusal)
{
    if (pmu_owner_refused_thread(owner, state->lwp, ctr, refusal))
        return EBUSY;
    pmu_owner_give_thread(state, ctr, owner, false);
    return 0;
}

void pmu_owner_end_thread(struct pmc_state *state, int ctr)
{
    pmu_owner_set_owner(state, ctr, NULL);
    state->want[ctr].configured = false;
    state->want[ctr].loser = NULL;
    pmu_owner_enable(state, ctr, false);
}

void pmu_owner_keep(int ctr, bool keep)
{
    pmc_system.leaving[ctr] += keep ? 1u : -1u;
}

/* --- of the system --- */

/* While anything is profiled there are no short switches: samples of the thread that leaves are
 * reported before the next one comes. */
static void pmu_owner_set_profiling(uint32_t mask)
{
    if (pmc_system.profiling_mask == mask)
        return;
    pmc_system.profiling_mask = mask;
    pmc_system.epoch++;
}

/* Nothing has been taken yet. The first error, in the order of the counters. */
static int pmu_owner_check(const struct pmu_owner *owner, uint32_t mask,
                           const struct pmc_counter_cfg *cfgs, enum pmu_how how,
                           struct pmu_refusal *refusal)
{
    MASK_FOREACH (n, mask) {
        int error = pmc_config_check((int)n, cfgs);

        *refusal = (struct pmu_refusal){.counter = (int)n};
        if (error == EINVAL || (owner->profiles && error == 0 && cfgs->reset_value == 0))
            return EINVAL;
        if (pmu_owner_refused_system(owner, (int)n, how, refusal))
            return EBUSY;
        if (error != 0)
            return error;
        cfgs++;
    }
    return 0;
}

/*
 * Threads that have some of MASK are told when they are next looked at, each CPU's own by whoever
 * takes it; for any number of them may have. Those that have been told are given other plans than
 * those that have not.
 */
static void pmu_owner_grant(const struct pmu_owner *owner, uint32_t mask,
                            const struct pmc_counter_cfg *cfgs, const struct pmu_owner **losers)
{
    pmc_system.epoch++;
    pmc_plan_forget();
    MASK_FOREACH (n, mask) {
        losers[n] = pmc_system.owner[n];
        if (losers[n] == NULL)
            pmc_system.users++;
        if (losers[n] != NULL || !LIST_EMPTY(&pmc_system.holders[n]))
            pmc_system.taker[n] = owner;
        pmc_system.taken[n] = pmc_system.epoch;
        LIST_INIT(&pmc_system.holders[n]);
        pmc_system.enabled[n] = 0;
        pmc_system.owner[n] = owner;
        pmc_system.kernel_cfg[n] = *cfgs++;
        pmc_system.kernel_since[n] = stats_port_time_ns();
    }
    pmc_system.kernel_mask |= mask;
    pmc_system.changing_mask |= mask;
    pmc_system.generation++;
    pmu_owner_set_profiling(owner->profiles ? pmc_system.profiling_mask | mask
                                            : pmc_system.profiling_mask & ~mask);
}

int pmu_owner_take(const struct pmu_owner *owner, uint32_t mask, const struct pmc_counter_cfg *cfgs,
                   enum pmu_how how, const struct pmu_owner **losers, struct pmu_refusal *refusal)
{
    uintptr_t lock = stats_port_lock();
    int error = pmu_owner_check(owner, mask, cfgs, how, refusal);

    if (error == 0 && losers != NULL)
        pmu_owner_grant(owner, mask, cfgs, losers);
    stats_port_unlock(lock);
    return error;
}

void pmu_owner_settled(uint32_t mask)
{
    uintptr_t lock = stats_port_lock();

    pmc_system.changing_mask &= ~mask;
    stats_port_unlock(lock);
}

int pmu_owner_give_begin(const struct pmu_owner *owner, int ctr)
{
    uintptr_t lock = stats_port_lock();
    int error = 0;

    if (pmc_system.owner[ctr] == NULL)
        error = ENXIO;
    else if (pmc_system.owner[ctr] != owner || (pmc_system.changing_mask >> ctr & 1))
        error = EBUSY;
    else
        pmc_system.changing_mask |= 1u << ctr;
    stats_port_unlock(lock);
    return error;
}

void pmu_owner_give_end(int ctr)
{
    uintptr_t lock = stats_port_lock();

    pmc_system.owner[ctr] = NULL;
    pmc_system.kernel_mask &= ~(1u << ctr);
    pmc_system.changing_mask &= ~(1u << ctr);
    pmu_owner_set_profiling(pmc_system.profiling_mask & ~(1u << ctr));
    pmc_system.users--;
    stats_port_unlock(lock);
}

bool pmu_owner_are_changing(uint32_t mask)
{
    uintptr_t lock = stats_port_lock();
    bool changing = (pmc_system.changing_mask & mask) != 0;

    stats_port_unlock(lock);
    return changing;
}

const struct pmu_owner *pmu_owner_taker(int ctr)
{
    return __atomic_load_n(&pmc_system.taker[ctr], __ATOMIC_RELAXED);
}

uint32_t pmc_generation(const struct lwp *l)
{
    uintptr_t lock = stats_port_lock();
    uint32_t grown = pmc_system.generation;

    if (l != NULL) {
        pmu_owner_state(l);
        grown = l->l_pmc_losses;
    }
    stats_port_unlock(lock);
    return 1 + grown;
}

/* --- claims, and the rings of samples --- */

int pmc_claim(void)
{
    uintptr_t lock = stats_port_lock();
    bool used = pmc_system.claim != 0 || pmc_system.kernel_mask != 0 || curlwp->l_pmc_set != NULL;

    for (int n = 0; n < pmc_system.counters; n++)
        used = used || !LIST_EMPTY(&pmc_system.holders[n]) || pmc_system.leaving[n] != 0;
    if (!used)
        curlwp->l_pmc_claim = pmc_system.claim = ++pmc_system.claims;
    stats_port_unlock(lock);
    return used ? EBUSY : 0;
}

void pmc_unclaim(void)
{
    uintptr_t lock = stats_port_lock();

    pmc_system.claim = 0;
    stats_port_unlock(lock);
}

bool pmc_claimed(void)
{
    uint64_t claim = __atomic_load_n(&pmc_system.claim, __ATOMIC_RELAXED);

    return claim != 0 && claim != curlwp->l_pmc_claim;
}

int pmu_samples_take(const struct pmu_owner *owner, bool counters, struct pmu_refusal *refusal)
{
    uintptr_t lock = stats_port_lock();
    int error = EBUSY;

    *refusal = (struct pmu_refusal){.counter = -1};
    if (pmc_system.sampler != NULL) {
        pmu_owner_refuse(refusal, pmc_system.sampler, NULL);
    } else if (counters && pmc_claimed()) {
        pmu_owner_refuse(refusal, &owner_test, NULL);
    } else {
        pmc_system.sampler = owner;
        error = 0;
    }
    stats_port_unlock(lock);
    return error;
}

void pmu_samples_give(const struct pmu_owner *owner)
{
    uintptr_t lock = stats_port_lock();

    if (pmc_system.sampler == owner)
        pmc_system.sampler = NULL;
    stats_port_unlock(lock);
}
