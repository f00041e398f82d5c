/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Several CPUs that measure at the same time, for the guests ARCH_cpus.c. In each round each CPU
 * has another of the ROLES, and all begin together; in the second pass one of them after the other
 * also changes what is instrumented, while the others count. A guest has role() do the work and
 * note() what came of it.
 */
#ifndef QPMU_TESTS_CPUS_H
#define QPMU_TESTS_CPUS_H

#define ROUNDS 8u
#define ROLES  4u

/* What all rounds of a role add up to, on one CPU; and how many measurements were wrong. */
static struct result {
    uint64_t got[2], right[2], wrong;
    uint64_t unused[3];
} results[CPUS][ROLES];
static struct qpmu_slot slots[CPUS] __attribute__((aligned(4096)));
static unsigned arrived, announced;
static unsigned shared;

static void role(unsigned cpu, unsigned number);
static void change(unsigned cpu);

static void note(unsigned cpu, unsigned number, const uint64_t *got, const uint64_t *right)
{
    struct result *result = &results[cpu][number];

    for (unsigned i = 0; i < 2; i++) {
        result->got[i] += got[i];
        result->right[i] += right[i];
    }
    result->wrong += got[0] != right[0] || got[1] != right[1];
}

/* Waits for all CPUs. */
static void meet(void)
{
    unsigned before = __atomic_load_n(&announced, __ATOMIC_ACQUIRE);

    if (__atomic_add_fetch(&arrived, 1, __ATOMIC_ACQ_REL) == CPUS) {
        __atomic_store_n(&arrived, 0, __ATOMIC_RELAXED);
        __atomic_store_n(&announced, before + 1, __ATOMIC_RELEASE);
    } else
        while (__atomic_load_n(&announced, __ATOMIC_ACQUIRE) == before)
            __asm__ volatile("pause"); /* another CPU's turn where all share a thread */
}

static void rounds(unsigned cpu, bool changes)
{
    for (unsigned n = 0; n < ROUNDS; n++) {
        meet();
        if (changes && n % CPUS == cpu)
            change(cpu);
        role(cpu, (n + cpu) % ROLES);
    }
    meet();
}

/* All CPUs' together; 0 measurements are to be wrong. */
static void report(const char *name, unsigned number)
{
    struct result sum = {0};

    for (unsigned cpu = 0; cpu < CPUS; cpu++)
        for (unsigned i = 0; i < 2; i++) {
            sum.got[i] += results[cpu][number].got[i];
            sum.right[i] += results[cpu][number].right[i];
            sum.wrong += i ? 0 : results[cpu][number].wrong;
        }
    tell(name, sum.got[0], sum.got[1], sum.right[0], sum.right[1]);
    tell("each", sum.wrong, 0, 0, 0);
}
#endif
