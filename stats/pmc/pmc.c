/* SPDX-License-Identifier: BSD-2-Clause */
/* pmc(9) for threads: what is wanted of whose counters, and reading them. */
#include <stddef.h>
#include "lib/errno.h"
#include "stats/pmc/pmc_private.h"
#include "stats/port.h"

/* Under the lock. */
static int pmc_want_configured(const struct pmu_owner *owner, struct pmc_state *state, int ctr,
                               const struct pmc_counter_cfg *cfg, uint64_t first,
                               struct pmu_refusal *refusal)
{
    int error = pmu_owner_grant_thread(owner, state, ctr, refusal);

    if (error != 0)
        return error;
    state->want[ctr].cfg = *cfg;
    state->want[ctr].first = first;
    state->want[ctr].serial++;
    state->want[ctr].since = stats_port_time_ns();
    state->children[ctr] = 0;
    return 0;
}

int pmc_resume_as(const struct pmu_owner *owner, struct lwp *l, int ctr,
                  const struct pmc_counter_cfg *cfg, uint64_t first, struct pmu_refusal *refusal)
{
    int error = pmc_config_check(ctr, cfg);
    struct pmu_refusal unused;
    uintptr_t lock;

    if (refusal == NULL)
        refusal = &unused;
    *refusal = (struct pmu_refusal){.counter = ctr};
    if (error == EINVAL)
        return error;
    if (pmu_owner_refused(owner, l, ctr, refusal))
        return EBUSY;
    if (error != 0)
        return error;
    do {
        error = pmc_state_make(l, true);
        if (error != 0)
            return error;
        lock = stats_port_lock();
        if (l->l_pmc != NULL)
            error = pmc_want_configured(owner, l->l_pmc, ctr, cfg, first, refusal);
        else
            error = EAGAIN; /* L itself has given it back meanwhile */
        stats_port_unlock(lock);
    } while (error == EAGAIN);
    if (error == 0)
        pmc_put_in_force(l);
    return error;
}

int pmc_configure_as(const struct pmu_owner *owner, struct lwp *l, int ctr,
                     const struct pmc_counter_cfg *cfg, struct pmu_refusal *refusal)
{
    return pmc_resume_as(owner, l, ctr, cfg, 0, refusal);
}

int pmc_configure_counter(struct lwp *l, int ctr, struct pmc_counter_cfg *cfg)
{
    return pmc_configure_as(&pmu_owner_thread, l, ctr, cfg, NULL);
}

/* Under the lock. */
static int pmc_want_enabled(const struct pmu_owner *owner, struct pmc_state *state, uint32_t mask,
                            bool enabled, bool *changes)
{
    MASK_FOREACH (n, mask) {
        if (state == NULL || state->want[n].owner == NULL)
            return ENXIO;
        if (state->want[n].owner != owner)
            return EBUSY;
    }
    for (int n = 0; n < pmc_system.counters; n++)
        if (mask >> n & 1 && state->want[n].enabled != enabled) {
            pmu_owner_enable(state, n, enabled);
            *changes = true;
        }
    return 0;
}

int pmc_enable_as(const struct pmu_owner *owner, struct lwp *l, uint32_t mask, bool enabled)
{
    bool changes = false;
    uintptr_t lock;
    int error;

    if (mask >> pmc_system.counters != 0)
        return EINVAL;
    if (pmc_system.kernel_mask & mask)
        return EBUSY;
    lock = stats_port_lock();
    error = pmc_want_enabled(owner, pmu_owner_state(l), mask, enabled, &changes);
    stats_port_unlock(lock);
    if (changes)
        pmc_put_in_force(l);
    return error;
}

int pmc_enable_counters(struct lwp *l, uint32_t mask, bool enabled)
{
    return pmc_enable_as(&pmu_owner_thread, l, mask, enabled);
}

int pmc_enable_counter(struct lwp *l, int ctr)
{
    return pmc_counter_valid(ctr) ? pmc_enable_counters(l, 1u << ctr, true) : EINVAL;
}

int pmc_disable_counter(struct lwp *l, int ctr)
{
    return pmc_counter_valid(ctr) ? pmc_enable_counters(l, 1u << ctr, false) : EINVAL;
}

/* What L wants of its counters, bit N: of those enabled, or of those that it has. L may be NULL. */
static uint32_t pmc_wanted(struct lwp *l, bool enabled)
{
    uintptr_t lock = stats_port_lock();
    const struct pmc_state *state = l != NULL ? pmu_owner_state(l) : NULL;
    uint32_t mask = 0;

    for (int n = 0; state != NULL && n < pmc_system.counters; n++)
        if (enabled ? state->want[n].enabled : state->want[n].owner != NULL)
            mask |= 1u << n;
    stats_port_unlock(lock);
    return mask;
}

int pmc_counter_isrunning(struct lwp *l, int ctr)
{
    if (!pmc_counter_valid(ctr))
        return -1;
    return pmc_kernel_has(ctr) || (pmc_wanted(l, true) >> ctr & 1) != 0;
}

int pmc_counter_isconfigured(struct lwp *l, int ctr)
{
    if (!pmc_counter_valid(ctr))
        return -1;
    return pmc_kernel_has(ctr) || (pmc_wanted(l, false) >> ctr & 1) != 0;
}

int PMC_ENABLED(struct lwp *l)
{
    return pmc_system.kernel_mask != 0 || pmc_wanted(l, false) != 0;
}

/* --- reading --- */

void pmc_fold_here(void *argument)
{
    struct pmc_state *state = argument;
    struct pmc_cpu *cpu = pmc_cpu_here();

    if (state == NULL || lwp_current()->l_pmc != state)
        return;
    for (unsigned n = 0; n < (unsigned)pmc_system.counters; n++)
        if (state->counts.mask >> n & 1)
            pmc_register_fold(cpu, n, &state->tally[n], &state->counts.count[n]);
}

uint32_t pmc_hold_counters(void)
{
    const struct pmc_state *state = lwp_current()->l_pmc;

    if (state == NULL || state->counts.mask == 0)
        return 0;
    pmc_registers_hold(pmc_cpu_here(), state->counts.mask, false);
    return state->counts.mask;
}

void pmc_go_on(uint32_t held)
{
    if (held != 0)
        pmc_registers_start(pmc_cpu_here(), held);
}

/* Counts and tallies of L are brought up to date, wherever it runs. It may give its state back
 * meanwhile: whoever is not L only compares the pointer, without the lock. */
static void pmc_bring_up_to_date(struct lwp *l)
{
    struct pmc_state *state = __atomic_load_n(&l->l_pmc, __ATOMIC_ACQUIRE);
    uintptr_t interrupts;
    bool own;

    if (state == NULL)
        return;
    interrupts = pmc_port_interrupts_save();
    own = l == lwp_current();
    if (own)
        pmc_fold_here(state);
    pmc_port_interrupts_restore(interrupts);
    if (!own)
        pmc_port_each_cpu(pmc_fold_here, state);
}

/* Whether L's counter is configured, and its tally made from that configuration: else all of it is
 * still 0. Under the lock. */
static int pmc_tally_valid(struct lwp *l, int ctr, bool *valid)
{
    struct pmc_state *state = l->l_pmc;

    if (!pmc_counter_valid(ctr))
        return EINVAL;
    if (state == NULL || !state->want[ctr].configured)
        return ENXIO;
    *valid = state->want[ctr].serial == state->tally[ctr].serial;
    return 0;
}

static __attribute__((noinline)) int pmc_value_anyhow(struct lwp *l, int ctr, int flags,
                                                      uint64_t *pval)
{
    uintptr_t lock;
    bool valid;
    int error;

    if (!pmc_counter_valid(ctr) || (flags & ~PMC_VALUE_FLAGS_CHILDREN) != 0 || pval == NULL)
        return EINVAL;
    if (l == NULL)
        return pmc_kernel_value(ctr, pval);
    if (flags == 0)
        pmc_bring_up_to_date(l);
    lock = stats_port_lock();
    error = pmc_tally_valid(l, ctr, &valid);
    if (error == 0 && flags != 0)
        *pval = l->l_pmc->children[ctr];
    else if (error == 0)
        *pval = valid ? l->l_pmc->counts.count[ctr] : 0;
    stats_port_unlock(lock);
    return error;
}

/* The fast path is the calling thread's own running counter without a period. */
int pmc_get_counter_value(struct lwp *l, int ctr, int flags, uint64_t *pval)
{
    uintptr_t interrupts;
    bool fast;

    if (flags != 0 || l == NULL || (unsigned)ctr >= PMC_COUNTERS_MAX || pval == NULL)
        return pmc_value_anyhow(l, ctr, flags, pval);
    interrupts = pmc_port_interrupts_save();
    fast = l == lwp_current() && l->l_pmc_plan != 0 && (l->l_pmc->counts.mask >> ctr & 1) != 0;
    if (__builtin_expect(fast, 1)) {
        const struct pmc_counter *counter = &pmc_system.counter[ctr];
        uint64_t since = counter->class->read(counter->index) - pmc_cpu_here()->last[ctr];

        *pval = l->l_pmc->counts.count[ctr] + (since & counter->mask);
    }
    pmc_port_interrupts_restore(interrupts);
    return __builtin_expect(fast, 1) ? 0 : pmc_value_anyhow(l, ctr, flags, pval);
}

int pmc_get_config(struct lwp *l, int ctr, struct pmc_counter_cfg *cfg)
{
    uintptr_t lock;
    bool valid;
    int error;

    if (!pmc_counter_valid(ctr))
        return EINVAL;
    lock = stats_port_lock();
    if (l == NULL)
        error = pmc_kernel_has(ctr) ? 0 : ENXIO;
    else
        error = pmc_tally_valid(l, ctr, &valid);
    if (error == 0)
        *cfg = l == NULL ? pmc_system.kernel_cfg[ctr] : l->l_pmc->want[ctr].cfg;
    stats_port_unlock(lock);
    return error;
}

int pmc_get_overflows(struct lwp *l, int ctr, uint64_t *overflows)
{
    uintptr_t lock;
    bool valid;
    int error;

    pmc_bring_up_to_date(l);
    lock = stats_port_lock();
    error = pmc_tally_valid(l, ctr, &valid);
    if (error == 0)
        *overflows = valid ? l->l_pmc->tally[ctr].overflows : 0;
    stats_port_unlock(lock);
    return error;
}
