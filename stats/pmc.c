/* SPDX-License-Identifier: BSD-2-Clause */
/* pmc(9) for threads: what is wanted of whose counters, and reading them. */
#include <stddef.h>
#include "lib/errno.h"
#include "stats/pmc_private.h"
#include "stats/port.h"

int pmc_configure_counter(struct lwp *l, int ctr, struct pmc_counter_cfg *cfg)
{
    int error = pmc_config_check(ctr, cfg);
    struct pmc_state *state;
    uintptr_t lock;

    if (error == EINVAL)
        return error;
    if (pmc_kernel_has(ctr))
        return EBUSY;
    if (error == 0)
        error = pmc_state_make(l, true);
    if (error != 0)
        return error;
    state = l->l_pmc;
    lock = stats_port_lock();
    if (pmc_kernel_has(ctr)) {
        error = EBUSY;
    } else {
        pmc_want_set(state, ctr, true, false);
        state->want[ctr].cfg = *cfg;
        state->want[ctr].serial++;
        state->children[ctr] = 0;
    }
    stats_port_unlock(lock);
    if (error == 0)
        pmc_put_in_force(l);
    return error;
}

static int set_enabled(struct lwp *l, int ctr, bool enabled)
{
    struct pmc_state *state = l->l_pmc;
    bool changes = false;
    uintptr_t lock;
    int error = 0;

    if (!pmc_counter_valid(ctr))
        return EINVAL;
    if (pmc_kernel_has(ctr))
        return EBUSY;
    lock = stats_port_lock();
    if (state == NULL || !state->want[ctr].configured) {
        error = ENXIO;
    } else if (state->want[ctr].enabled != enabled) {
        pmc_want_set(state, ctr, true, enabled);
        changes = true;
    }
    stats_port_unlock(lock);
    if (changes)
        pmc_put_in_force(l);
    return error;
}

int pmc_enable_counter(struct lwp *l, int ctr)
{
    return set_enabled(l, ctr, true);
}

int pmc_disable_counter(struct lwp *l, int ctr)
{
    return set_enabled(l, ctr, false);
}

int pmc_counter_isrunning(struct lwp *l, int ctr)
{
    if (!pmc_counter_valid(ctr))
        return -1;
    return pmc_kernel_has(ctr) || (l != NULL && l->l_pmc != NULL && l->l_pmc->want[ctr].enabled);
}

int pmc_counter_isconfigured(struct lwp *l, int ctr)
{
    if (!pmc_counter_valid(ctr))
        return -1;
    return pmc_kernel_has(ctr) || (l != NULL && l->l_pmc != NULL && l->l_pmc->want[ctr].configured);
}

static bool any_configured(const struct pmc_state *state)
{
    for (int n = 0; n < pmc_system.counters; n++)
        if (state->want[n].configured)
            return true;
    return false;
}

int PMC_ENABLED(struct lwp *l)
{
    return pmc_system.kernel_mask != 0 ||
           (l != NULL && l->l_pmc != NULL && any_configured(l->l_pmc));
}

/* --- reading --- */

void pmc_fold_here(void *argument)
{
    struct pmc_state *state = argument;
    struct pmc_cpu *cpu = pmc_cpu_here();

    if (lwp_current()->l_pmc != state)
        return;
    for (unsigned n = 0; n < (unsigned)pmc_system.counters; n++)
        if (state->counts.mask >> n & 1)
            pmc_register_fold(cpu, n, &state->tally[n], &state->counts.count[n]);
}

/* Counts and tallies of L are brought up to date, wherever it runs. */
static void bring_up_to_date(struct lwp *l)
{
    uintptr_t interrupts = pmc_port_interrupts_save();
    bool own = l == lwp_current();

    if (own)
        pmc_fold_here(l->l_pmc);
    pmc_port_interrupts_restore(interrupts);
    if (!own)
        pmc_port_each_cpu(pmc_fold_here, l->l_pmc);
}

/* Whether L's counter is configured, and its tally made from that configuration: else all of it is
 * still 0. */
static int tally_valid(struct lwp *l, int ctr, bool *valid)
{
    struct pmc_state *state = l->l_pmc;

    if (!pmc_counter_valid(ctr))
        return EINVAL;
    if (state == NULL || !state->want[ctr].configured)
        return ENXIO;
    *valid = state->want[ctr].serial == state->tally[ctr].serial;
    return 0;
}

static __attribute__((noinline)) int value_anyhow(struct lwp *l, int ctr, int flags, uint64_t *pval)
{
    bool valid;
    int error;

    if (!pmc_counter_valid(ctr) || (flags & ~PMC_VALUE_FLAGS_CHILDREN) != 0 || pval == NULL)
        return EINVAL;
    if (l == NULL)
        return pmc_kernel_value(ctr, pval);
    if (l->l_pmc != NULL && flags == 0)
        bring_up_to_date(l);
    error = tally_valid(l, ctr, &valid);
    if (error != 0)
        return error;
    if (flags & PMC_VALUE_FLAGS_CHILDREN) {
        uintptr_t lock = stats_port_lock();

        *pval = l->l_pmc->children[ctr];
        stats_port_unlock(lock);
        return 0;
    }
    *pval = valid ? l->l_pmc->counts.count[ctr] : 0;
    return 0;
}

/* The straight way is the calling thread's own running counter without a period. */
int pmc_get_counter_value(struct lwp *l, int ctr, int flags, uint64_t *pval)
{
    uintptr_t interrupts;
    bool straight;

    if (flags != 0 || l == NULL || l->l_pmc_plan == 0 || (unsigned)ctr >= PMC_COUNTERS_MAX)
        return value_anyhow(l, ctr, flags, pval);
    interrupts = pmc_port_interrupts_save();
    straight = l == lwp_current() && (l->l_pmc->counts.mask >> ctr & 1) != 0;
    if (__builtin_expect(straight, 1)) {
        const struct pmc_counter *counter = &pmc_system.counter[ctr];
        uint64_t since = counter->class->read(counter->index) - pmc_cpu_here()->last[ctr];

        *pval = l->l_pmc->counts.count[ctr] + (since & counter->mask);
    }
    pmc_port_interrupts_restore(interrupts);
    return __builtin_expect(straight, 1) ? 0 : value_anyhow(l, ctr, flags, pval);
}

int pmc_get_config(struct lwp *l, int ctr, struct pmc_counter_cfg *cfg)
{
    bool valid;
    int error;

    if (!pmc_counter_valid(ctr))
        return EINVAL;
    if (l == NULL) {
        *cfg = pmc_system.kernel_cfg[ctr];
        return pmc_kernel_has(ctr) ? 0 : ENXIO;
    }
    error = tally_valid(l, ctr, &valid);
    if (error == 0)
        *cfg = l->l_pmc->want[ctr].cfg;
    return error;
}

int pmc_get_overflows(struct lwp *l, int ctr, uint64_t *overflows)
{
    bool valid;
    int error;

    if (l->l_pmc != NULL)
        bring_up_to_date(l);
    error = tally_valid(l, ctr, &valid);
    if (error == 0)
        *overflows = valid ? l->l_pmc->tally[ctr].overflows : 0;
    return error;
}
