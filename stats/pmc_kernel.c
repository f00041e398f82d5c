/* SPDX-License-Identifier: BSD-2-Clause */
/* pmc(9): counters that the kernel has for itself, on every CPU at once, and profiling. */
#include <stddef.h>
#include "lib/errno.h"
#include "stats/pmc_private.h"
#include "stats/port.h"

static uint32_t mask_of(void *argument)
{
    return (uint32_t)(uintptr_t)argument;
}

static void each_cpu(void (*function)(void *), uint32_t mask)
{
    pmc_port_each_cpu(function, (void *)(uintptr_t)mask);
}

static void load_here(void *mask)
{
    struct pmc_cpu *cpu = pmc_cpu_here();

    MASK_FOREACH (n, mask_of(mask)) {
        pmc_tally_init(&cpu->kernel[n], &pmc_system.kernel_cfg[n], 0);
        cpu->kernel_count[n] = 0;
        cpu->kernel_mask |= 1u << n;
        pmc_register_prepare(cpu, n, &cpu->kernel[n]);
    }
    pmc_registers_start(cpu, mask_of(mask));
}

static void hold_here(void *mask)
{
    struct pmc_cpu *cpu = pmc_cpu_here();

    pmc_registers_hold(cpu, mask_of(mask) & cpu->kernel_mask, true);
}

static void unload_here(void *mask)
{
    struct pmc_cpu *cpu = pmc_cpu_here();

    MASK_FOREACH (n, mask_of(mask) & cpu->kernel_mask) {
        pmc_register_unload(cpu, n, &cpu->kernel[n], &cpu->kernel_count[n], true);
    }
    cpu->kernel_mask &= ~mask_of(mask);
}

static void fold_here(void *mask)
{
    struct pmc_cpu *cpu = pmc_cpu_here();

    MASK_FOREACH (n, mask_of(mask) & cpu->kernel_mask) {
        pmc_register_fold(cpu, n, &cpu->kernel[n], &cpu->kernel_count[n]);
    }
}

/*
 * While anything is profiled there are no short switches: samples of the thread that leaves are
 * reported before the next one comes. Under the lock; in force when a thread is next switched to.
 */
static void profile_set(int ctr, bool on)
{
    if (on)
        pmc_system.profiling_mask |= 1u << ctr;
    else
        pmc_system.profiling_mask &= ~(1u << ctr);
    for (struct pmc_state *state = pmc_system.states; state != NULL; state = state->next) {
        state->lwp->l_pmc_plan = 0;
        state->changed = true;
    }
}

/* The counter becomes the kernel's; the configuration is known to be possible. */
static int take(int ctr, const struct pmc_counter_cfg *cfg, bool profile)
{
    uintptr_t lock;
    int error = 0;

    lock = stats_port_lock();
    if (pmc_kernel_has(ctr) || pmc_system.configured[ctr] != 0 || pmc_claimed()) {
        error = EBUSY;
    } else {
        pmc_system.kernel_cfg[ctr] = *cfg;
        pmc_system.kernel_since[ctr] = stats_port_time_ns();
        pmc_system.kernel_mask |= 1u << ctr;
        pmc_system.changing_mask |= 1u << ctr;
        if (profile)
            profile_set(ctr, true);
        pmc_system.users++;
    }
    stats_port_unlock(lock);
    return error;
}

/* The kernel's counters run everywhere: they may be freed from now on. */
static void taken(uint32_t mask)
{
    uintptr_t lock = stats_port_lock();

    pmc_system.changing_mask &= ~mask;
    stats_port_unlock(lock);
}

/* The caller, and nobody else, is to unload the kernel's counter and give it back. */
static int give_begin(int ctr, bool profile)
{
    uintptr_t lock = stats_port_lock();
    int error = 0;

    if (!pmc_kernel_has(ctr))
        error = ENXIO;
    else if ((pmc_system.changing_mask >> ctr & 1) ||
             (pmc_system.profiling_mask >> ctr & 1) != profile)
        error = EBUSY;
    else
        pmc_system.changing_mask |= 1u << ctr;
    stats_port_unlock(lock);
    return error;
}

static void give(int ctr)
{
    uintptr_t lock = stats_port_lock();

    pmc_system.kernel_mask &= ~(1u << ctr);
    pmc_system.changing_mask &= ~(1u << ctr);
    if (pmc_system.profiling_mask >> ctr & 1)
        profile_set(ctr, false);
    pmc_system.users--;
    stats_port_unlock(lock);
}

/* The counter is the kernel's, but does not run. */
static int reserve(int ctr, const struct pmc_counter_cfg *cfg, bool profile)
{
    int error = pmc_config_check(ctr, cfg);

    if (error == EINVAL || (profile && error == 0 && cfg->reset_value == 0))
        return EINVAL;
    if (pmc_kernel_has(ctr) || pmc_system.configured[ctr] != 0 || pmc_claimed())
        return EBUSY;
    return error != 0 ? error : take(ctr, cfg, profile);
}

/* CFGS: one for each in MASK, in their order. */
static int alloc(uint32_t mask, const struct pmc_counter_cfg *cfgs, bool profile, int *bad)
{
    uint32_t reserved = 0;
    int error = 0;

    MASK_FOREACH (n, mask) {
        *bad = (int)n;
        error = reserve((int)n, cfgs++, profile);
        if (error != 0)
            break;
        reserved |= 1u << n;
    }
    if (error == 0)
        error = pmc_cpus_ready();
    if (error != 0) {
        MASK_FOREACH (n, reserved) {
            give((int)n);
        }
        return error;
    }
    MASK_FOREACH (n, mask) {
        pmc_system.kernel_group[n] = mask;
    }
    each_cpu(load_here, mask);
    taken(mask);
    return 0;
}

static int free_counter(int ctr, bool profile)
{
    int error = pmc_counter_valid(ctr) ? give_begin(ctr, profile) : EINVAL;

    if (error != 0)
        return error;
    each_cpu(unload_here, 1u << ctr);
    give(ctr);
    return 0;
}

int pmc_alloc_kernel_counter(int ctr, struct pmc_counter_cfg *cfg)
{
    int bad;

    return pmc_counter_valid(ctr) && cfg != NULL ? alloc(1u << ctr, cfg, false, &bad) : EINVAL;
}

int pmc_alloc_kernel_counters(uint32_t mask, const struct pmc_counter_cfg *cfgs, int *bad)
{
    return mask >> pmc_system.counters != 0 ? EINVAL : alloc(mask, cfgs, false, bad);
}

void pmc_hold_kernel_counters(uint32_t mask)
{
    if (pmc_system.cpus == NULL)
        return;
    MASK_FOREACH (n, mask) {
        pmc_system.kernel_group[n] = 0;
    }
    each_cpu(hold_here, mask);
    each_cpu(fold_here, mask);
}

int pmc_free_kernel_counter(int ctr)
{
    return free_counter(ctr, false);
}

int pmc_start_profiling(int ctr, struct pmc_counter_cfg *cfg)
{
    int bad;

    return pmc_counter_valid(ctr) && cfg != NULL ? alloc(1u << ctr, cfg, true, &bad) : EINVAL;
}

int pmc_stop_profiling(int ctr)
{
    return free_counter(ctr, true) == EINVAL ? EINVAL : 0;
}

int pmc_kernel_value(int ctr, uint64_t *pval)
{
    uint64_t sum = 0;

    if (!pmc_kernel_counts(ctr))
        return ENXIO;
    each_cpu(fold_here, 1u << ctr);
    for (unsigned i = 0; i < pmc_port_cpu_count(); i++)
        sum += pmc_system.cpus[i].kernel_count[ctr];
    *pval = sum;
    return 0;
}

int pmc_get_cpu_value(int ctr, unsigned number_of_cpu, struct pmc_cpu_value *out)
{
    const struct pmc_cpu *cpu;

    if (!pmc_counter_valid(ctr) || number_of_cpu >= pmc_port_cpu_count())
        return EINVAL;
    if (!pmc_kernel_counts(ctr))
        return ENXIO;
    cpu = &pmc_system.cpus[number_of_cpu];
    *out = (struct pmc_cpu_value){.value = cpu->kernel_count[ctr],
                                  .overflows = cpu->kernel[ctr].overflows,
                                  .lost = cpu->kernel[ctr].lost,
                                  .since = pmc_system.kernel_since[ctr]};
    return 0;
}

int pmc_claim(void)
{
    uintptr_t lock = stats_port_lock();
    bool used = pmc_system.claim != 0 || pmc_system.kernel_mask != 0 || curlwp->l_pmc_set != NULL;

    for (int n = 0; n < pmc_system.counters; n++)
        used = used || pmc_system.configured[n] != 0;
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

pmc_sample_handler_t *pmc_set_sample_handler(pmc_sample_handler_t *handler)
{
    uintptr_t state = stats_port_lock();
    pmc_sample_handler_t *old = pmc_system.handler;

    __atomic_store_n(&pmc_system.handler, handler, __ATOMIC_RELEASE);
    stats_port_unlock(state);
    return old;
}
