/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The law of modes: what the kernel's counters count of an event in single modes adds up to what
 * one of them counts in all. It can be checked where counters began together and all modes are
 * there (`pmc stat -a -e instructions,instructions:u,instructions:k`), of a class that stops
 * several in one instant.
 */
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/law_cpus.h"
#include "stats/pmc/pmc_private.h"
#include "stats/pmc/pmu_class.h"

#define MEMBERS(n, mask)                                                                           \
    for (unsigned n = 0; (mask) >> n != 0; n++)                                                    \
        if ((mask) >> n & 1)

/* Those that begin and end with counter WHOLE, which counts in all modes, and count the same event
 * in some: if together in each mode once. Else 0. */
static uint32_t pmc_laws_parts_of(unsigned whole)
{
    const struct pmc_counter_cfg *cfg = pmc_system.kernel_cfg;
    uint32_t group = pmc_system.kernel_group[whole], parts = 0, modes = 0;
    uint32_t all = pmc_system.counter[whole].class->modes;

    if (pmc_config_modes(&cfg[whole]) != PMC_MODE_ALL || cfg[whole].reset_value != 0 ||
        (pmc_system.changing_mask & group) != 0 || (pmc_system.kernel_mask & group) != group)
        return 0;
    MEMBERS(n, group)
    {
        uint32_t in = pmc_config_modes(&cfg[n]) & all;

        if (pmc_system.kernel_group[n] != group)
            return 0;
        if (n == whole || cfg[n].event_id != cfg[whole].event_id || in == all)
            continue;
        if (cfg[n].reset_value != 0 || (modes & in) != 0)
            return 0;
        modes |= in;
        parts |= 1u << n;
    }
    return modes == all ? parts : 0;
}

/* All that it counts, or counts of it, up to one instant. */
static void pmc_laws_read_here(void)
{
    struct pmc_cpu *cpu;

    if (cpu_here.pmc == NULL || pmc_system.kernel_mask == 0)
        return;
    cpu = pmc_cpu_here();
    MEMBERS(whole, pmc_system.kernel_mask)
    {
        uint32_t parts = pmc_laws_parts_of(whole);

        if (parts == 0)
            continue;
        pmc_registers_hold(cpu, parts | 1u << whole, true);
        MEMBERS(n, parts | 1u << whole)
        pmc_register_fold(cpu, n, &cpu->kernel[n], &cpu->kernel_count[n]);
        pmc_registers_start(cpu, parts | 1u << whole);
    }
}
LAW_PREPARATION(pmc_laws_read_here);

/* Whether a class can stop several counters in one instant. */
static bool pmc_laws_is_exact(unsigned counter)
{
    return pmc_system.counter[counter].class->type == PMC_TYPE_INTEL_GENERAL;
}

/* CPUs, while there is something to compare. */
static void *pmc_laws_next_cpu(void *cpu)
{
    bool any = false;

    MEMBERS(whole, pmc_system.kernel_mask)
    any = any || (pmc_laws_is_exact(whole) && pmc_laws_parts_of(whole) != 0);
    return any ? law_cpus.next(cpu) : NULL;
}

static void pmc_laws_name_cpu(const void *cpu, char *buffer, size_t size)
{
    law_cpus.name(cpu, buffer, size);
}

static const struct law_subjects counting_cpus = {pmc_laws_next_cpu, pmc_laws_name_cpu};

static uint64_t pmc_laws_in_all_modes(void *cpu)
{
    const uint64_t *counts = pmc_system.cpus[((const struct cpu *)cpu)->id].kernel_count;
    uint64_t sum = 0;

    MEMBERS(whole, pmc_system.kernel_mask)
    sum += pmc_laws_parts_of(whole) != 0 ? counts[whole] : 0;
    return sum;
}

static uint64_t pmc_laws_in_each_mode(void *cpu)
{
    const uint64_t *counts = pmc_system.cpus[((const struct cpu *)cpu)->id].kernel_count;
    uint64_t sum = 0;

    MEMBERS(whole, pmc_system.kernel_mask)
    {
        uint32_t parts = pmc_laws_parts_of(whole);

        MEMBERS(n, parts)
        sum += counts[n];
    }
    return sum;
}

static uint64_t *pmc_laws_count_word(void *cpu)
{
    uint64_t *counts = pmc_system.cpus[((const struct cpu *)cpu)->id].kernel_count;

    MEMBERS(whole, pmc_system.kernel_mask)
    if (pmc_laws_parts_of(whole) != 0)
        return &counts[whole];
    return counts;
}

LAW(pmu_modes, .name = "pmu-modes", .subjects = &counting_cpus, .left = "in all modes",
    .right = "sum over modes", .get_left = pmc_laws_in_all_modes,
    .get_right = pmc_laws_in_each_mode, .word = pmc_laws_count_word);
