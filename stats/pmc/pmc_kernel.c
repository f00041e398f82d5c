/* SPDX-License-Identifier: BSD-2-Clause */
/* pmc(9): counters that the kernel has for itself, on every CPU at once, and profiling. */
#include <stddef.h>
#include "lib/errno.h"
#include "stats/pmc/pmc_private.h"
#include "stats/port.h"

static uint32_t pmc_kernel_mask_of(void *argument)
{
    return (uint32_t)(uintptr_t)argument;
}

static void pmc_kernel_each_cpu(void (*function)(void *), uint32_t mask)
{
    pmc_port_each_cpu(function, (void *)(uintptr_t)mask);
}

static void pmc_kernel_load_here(void *mask)
{
    struct pmc_cpu *cpu = pmc_cpu_here();

    pmc_state_catch_up(cpu); /* who had them; those that come later find out */
    MASK_FOREACH (n, pmc_kernel_mask_of(mask)) {
        pmc_tally_init(&cpu->kernel[n], &pmc_system.kernel_cfg[n], 0, pmc_system.owner[n]);
        cpu->kernel_count[n] = 0;
        cpu->kernel_mask |= 1u << n;
        pmc_register_prepare(cpu, n, &cpu->kernel[n]);
    }
    pmc_registers_start(cpu, pmc_kernel_mask_of(mask));
}

static void pmc_kernel_hold_here(void *mask)
{
    struct pmc_cpu *cpu = pmc_cpu_here();

    pmc_registers_hold(cpu, pmc_kernel_mask_of(mask) & cpu->kernel_mask, true);
}

static void pmc_kernel_unload_here(void *mask)
{
    struct pmc_cpu *cpu = pmc_cpu_here();

    MASK_FOREACH (n, pmc_kernel_mask_of(mask) & cpu->kernel_mask) {
        pmc_register_unload(cpu, n, &cpu->kernel[n], &cpu->kernel_count[n], true);
    }
    cpu->kernel_mask &= ~pmc_kernel_mask_of(mask);
}

static void pmc_kernel_fold_here(void *mask)
{
    struct pmc_cpu *cpu = pmc_cpu_here();

    MASK_FOREACH (n, pmc_kernel_mask_of(mask) & cpu->kernel_mask) {
        pmc_register_fold(cpu, n, &cpu->kernel[n], &cpu->kernel_count[n]);
    }
}

/* They stand still at one moment; their values stay until the next ones are loaded. */
static void pmc_kernel_stop_here(void *mask)
{
    pmc_kernel_hold_here(mask);
    pmc_kernel_unload_here(mask);
}

struct runs {
    uint32_t mask;
    bool any;
};

/* Whether this CPU runs a thread that has some of them. */
static void pmc_kernel_find_here(void *argument)
{
    const struct pmc_state *state = lwp_current()->l_pmc;
    struct runs *runs = argument;

    if (state != NULL && (state->counts.mask & runs->mask) != 0)
        runs->any = true;
}

/* At some instant of each CPU: who is switched in later loses as those that are out now. */
static bool pmc_kernel_are_running(uint32_t mask)
{
    struct runs runs = {.mask = mask};

    if (pmc_system.cpus != NULL)
        pmc_port_each_cpu(pmc_kernel_find_here, &runs);
    return runs.any;
}

/* Each of them that was taken has been unloaded everywhere, and its values are still there. */
static void pmc_kernel_tell(const struct pmu_owner **losers, uint32_t mask)
{
    MASK_FOREACH (n, mask) {
        if (losers[n] != NULL && losers[n]->lost != NULL)
            losers[n]->lost(NULL, 1u << n);
    }
}

static void pmc_kernel_count_user(int more)
{
    uintptr_t lock = stats_port_lock();

    pmc_system.users += (unsigned)more;
    stats_port_unlock(lock);
}

/* The counters are possible and free, or can be had as HOW says. */
static int pmc_kernel_take(const struct pmu_owner *owner, uint32_t mask,
                           const struct pmc_counter_cfg *cfgs, enum pmu_how how,
                           struct pmu_refusal *refusal)
{
    const struct pmu_owner *losers[PMC_COUNTERS_MAX] = {NULL};
    int error = pmc_cpus_ready();

    if (error == 0)
        error = pmu_owner_take(owner, mask, cfgs, how, losers, refusal);
    if (error != 0)
        return error;
    if (how != PMU_IF_FREE) {
        pmc_kernel_each_cpu(pmc_kernel_stop_here, mask);
        pmc_kernel_tell(losers, mask);
    }
    MASK_FOREACH (n, mask) {
        pmc_system.kernel_group[n] = owner->rotate == NULL ? mask : 0;
    }
    pmc_kernel_each_cpu(pmc_kernel_load_here, mask);
    pmu_owner_settled(mask);
    return 0;
}

int pmc_take(const struct pmu_owner *owner, uint32_t mask, const struct pmc_counter_cfg *cfgs,
             enum pmu_how how, struct pmu_refusal *refusal)
{
    struct pmu_refusal unused;
    int error;

    if (refusal == NULL)
        refusal = &unused;
    *refusal = (struct pmu_refusal){.counter = -1};
    if (mask >> pmc_system.counters != 0 || cfgs == NULL)
        return EINVAL;
    error = pmu_owner_take(owner, mask, cfgs, how, NULL, refusal);
    if (error == 0 && how == PMU_IF_IDLE && pmc_kernel_are_running(mask)) {
        error = pmu_owner_take(owner, mask, cfgs, PMU_IF_FREE, NULL, refusal);
        if (error == 0)
            how = PMU_IF_FREE; /* it has given up meanwhile */
    }
    if (error != 0)
        return error;
    pmc_kernel_count_user(1); /* so that no CPU goes to rest from now on */
    error = pmc_kernel_take(owner, mask, cfgs, how, refusal);
    pmc_kernel_count_user(-1);
    return error;
}

int pmc_give(const struct pmu_owner *owner, int ctr)
{
    int error = pmc_counter_valid(ctr) ? pmu_owner_give_begin(owner, ctr) : EINVAL;

    if (error != 0)
        return error;
    pmc_kernel_each_cpu(pmc_kernel_unload_here, 1u << ctr);
    pmu_owner_give_end(ctr);
    return 0;
}

void pmc_tell_lost_values(uint32_t mask, pmc_given *read)
{
    struct pmc_cpu_value value;

    MASK_FOREACH (n, mask) {
        for (unsigned cpu = 0; cpu < pmc_port_cpu_count(); cpu++) {
            pmc_get_lost_value((int)n, cpu, &value);
            read((int)n, cpu, &value);
        }
    }
}

uint32_t pmc_give_all(const struct pmu_owner *owner, uint32_t mask, pmc_given *read)
{
    uint32_t given = 0;

    MASK_FOREACH (n, mask) {
        if (pmc_counter_valid((int)n) && pmu_owner_give_begin(owner, (int)n) == 0)
            given |= 1u << n;
    }
    if (given == 0)
        return 0;
    MASK_FOREACH (n, given) {
        pmc_system.kernel_group[n] = 0;
    }
    pmc_kernel_each_cpu(pmc_kernel_stop_here, given);
    pmc_tell_lost_values(given, read);
    MASK_FOREACH (n, given) {
        pmu_owner_give_end((int)n);
    }
    return given;
}

int pmc_alloc_kernel_counter(int ctr, struct pmc_counter_cfg *cfg)
{
    if (!pmc_counter_valid(ctr))
        return EINVAL;
    return pmc_take(&pmu_owner_kernel, 1u << ctr, cfg, PMU_IF_FREE, NULL);
}

int pmc_free_kernel_counter(int ctr)
{
    return pmc_give(&pmu_owner_kernel, ctr);
}

int pmc_start_profiling(int ctr, struct pmc_counter_cfg *cfg)
{
    if (!pmc_counter_valid(ctr))
        return EINVAL;
    return pmc_take(&pmu_owner_profiler, 1u << ctr, cfg, PMU_IF_FREE, NULL);
}

int pmc_stop_profiling(int ctr)
{
    return pmc_give(&pmu_owner_profiler, ctr) == EINVAL ? EINVAL : 0;
}

int pmc_kernel_value(int ctr, uint64_t *pval)
{
    uint64_t sum = 0;

    if (!pmc_kernel_counts(ctr))
        return ENXIO;
    pmc_kernel_each_cpu(pmc_kernel_fold_here, 1u << ctr);
    for (unsigned i = 0; i < pmc_port_cpu_count(); i++)
        sum += pmc_system.cpus[i].kernel_count[ctr];
    *pval = sum;
    return 0;
}

void pmc_get_lost_value(int ctr, unsigned number_of_cpu, struct pmc_cpu_value *out)
{
    const struct pmc_cpu *cpu = &pmc_system.cpus[number_of_cpu];

    *out = (struct pmc_cpu_value){.value = cpu->kernel_count[ctr],
                                  .overflows = cpu->kernel[ctr].overflows,
                                  .lost = cpu->kernel[ctr].lost,
                                  .since = pmc_system.kernel_since[ctr]};
}

int pmc_get_cpu_value(int ctr, unsigned number_of_cpu, struct pmc_cpu_value *out)
{
    if (!pmc_counter_valid(ctr) || number_of_cpu >= pmc_port_cpu_count())
        return EINVAL;
    if (!pmc_kernel_counts(ctr))
        return ENXIO;
    pmc_get_lost_value(ctr, number_of_cpu, out);
    return 0;
}
