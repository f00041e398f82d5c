/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pmc(9) against a plain model: bytes say what threads, CPUs and counters do, and each count is
 * also kept by adding one number to another. For the unit test and for the fuzzer.
 */
#ifndef TESTS_HOST_PMC_MODEL_H
#define TESTS_HOST_PMC_MODEL_H

#include <quipu_host.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/pmc.h>

#include "lib/errno.h"
#include "stats/pmc/pmu_owner.h"

#define MODEL_LWPS     5
#define MODEL_CPUS     3
#define MODEL_COUNTERS 3
#define MODEL_NOBODY   (-1)

struct model_counter {
    struct pmc_counter_cfg cfg;
    bool configured, enabled;
    bool lost;
    uint64_t count, children;
};

struct model_lwp {
    struct lwp lwp;
    struct model_counter counter[MODEL_COUNTERS];
    int parent, cpu;
    bool lost;     /* something since the last look at its generation */
    uint32_t seen; /* of that, less 1 */
    bool alive;
};

static struct {
    struct model_lwp lwp[MODEL_LWPS];
    int runs[MODEL_CPUS];
    struct model_counter kernel[MODEL_COUNTERS];
    uint64_t of_cpu[MODEL_COUNTERS][MODEL_CPUS];
    const struct pmu_owner *owner[MODEL_COUNTERS]; /* of the system */
    unsigned takings;
    uint64_t overflows, samples;
    const char *wrong;
    const uint8_t *data;
    size_t left;
} model;

static inline unsigned model_byte(void)
{
    if (model.left == 0)
        return 0;
    model.left--;
    return *model.data++;
}

static inline void model_expect(bool holds, const char *what)
{
    if (!holds && model.wrong == NULL)
        model.wrong = what;
}

static inline void model_sample(const struct pmc_sample *sample)
{
    model.samples += sample->count;
}

/* What is taken away from the system has been counted to the last event. */
static inline void model_lost(struct lwp *l, uint32_t mask)
{
    int ctr = __builtin_ctz(mask);

    for (unsigned cpu = 0; cpu < MODEL_CPUS && l == NULL; cpu++) {
        struct pmc_cpu_value value;

        pmc_get_lost_value(ctr, cpu, &value);
        model_expect(value.value == model.of_cpu[ctr][cpu], "a lost count of the system");
    }
}

/* Of threads; of the system, by rank. The last takes by force. */
enum { MODEL_PROFILE = 1, MODEL_SYSTEM, MODEL_MODE, MODEL_OWNERS };
#define MODEL_OF_SYSTEM(its_rank, its_profiles)                                                    \
    {.name = #its_rank,                                                                            \
     .rank = its_rank,                                                                             \
     .system = true,                                                                               \
     .profiles = its_profiles,                                                                     \
     .sample = model_sample,                                                                       \
     .lost = model_lost}
static const struct pmu_owner model_owner[MODEL_OWNERS] = {
    {.name = "own", .rank = PMU_RANK_THREAD, .sample = model_sample},
    MODEL_OF_SYSTEM(PMU_RANK_PROFILE, true),
    MODEL_OF_SYSTEM(PMU_RANK_SYSTEM, false),
    MODEL_OF_SYSTEM(PMU_RANK_MODE, false),
};

static inline void model_add(struct model_counter *counter, uint64_t *count, uint64_t amount)
{
    uint64_t period = counter->cfg.reset_value;

    if (period != 0)
        model.overflows += (*count + amount) / period - *count / period;
    *count += amount;
}

static inline void model_count(void)
{
    unsigned cpu = model_byte() % MODEL_CPUS, ctr = model_byte() % MODEL_COUNTERS;
    unsigned size = model_byte();
    uint64_t amount = size < 200 ? size % 50 : (uint64_t)size * size;
    struct model_counter *kernel = &model.kernel[ctr];
    int who = model.runs[cpu];

    host_pmu_count(cpu, (int)ctr, amount);
    if (kernel->configured) {
        model_add(kernel, &model.of_cpu[ctr][cpu], amount);
    } else if (who != MODEL_NOBODY && model.lwp[who].counter[ctr].enabled) {
        struct model_counter *own = &model.lwp[who].counter[ctr];

        model_add(own, &own->count, amount);
    }
}

static inline void model_switch(void)
{
    unsigned cpu = model_byte() % MODEL_CPUS, to = model_byte() % (MODEL_LWPS + 1);
    int from = model.runs[cpu];

    if (to < MODEL_LWPS && (!model.lwp[to].alive ||
                            (model.lwp[to].cpu != MODEL_NOBODY && model.lwp[to].cpu != (int)cpu)))
        return;
    if (from != MODEL_NOBODY)
        model.lwp[from].cpu = MODEL_NOBODY;
    model.runs[cpu] = to < MODEL_LWPS ? (int)to : MODEL_NOBODY;
    if (to < MODEL_LWPS)
        model.lwp[to].cpu = (int)cpu;
    host_pmu_switch(cpu, to < MODEL_LWPS ? &model.lwp[to].lwp : NULL);
}

static inline struct pmc_counter_cfg model_cfg(void)
{
    static const uint64_t periods[] = {0, 0, 0, 1, 3, 10, 100, 128, 1000, 5000};

    return (struct pmc_counter_cfg){model_byte() % 2 ? HOST_PMU_CYCLES : HOST_PMU_INSTRUCTIONS,
                                    periods[model_byte() % (sizeof periods / sizeof *periods)], 0};
}

static inline void model_configure(struct model_lwp *l, int ctr)
{
    struct pmc_counter_cfg cfg = model_cfg();
    struct model_counter *counter = &l->counter[ctr];
    int error = pmc_configure_as(&model_owner[0], &l->lwp, ctr, &cfg, NULL);

    if (model.kernel[ctr].configured) {
        model_expect(error == EBUSY, "configuring the kernel's");
        return;
    }
    model_expect(error == 0, "configuring");
    *counter = (struct model_counter){.cfg = cfg, .configured = true};
}

static inline void model_enable(struct model_lwp *l, int ctr, bool on)
{
    struct model_counter *counter = &l->counter[ctr];
    int error = pmc_enable_as(&model_owner[0], &l->lwp, 1u << ctr, on);

    if (model.kernel[ctr].configured) {
        model_expect(error == EBUSY, "enabling the kernel's");
    } else if (!counter->configured || counter->lost) {
        model_expect(error == ENXIO, "enabling what is not configured");
    } else {
        model_expect(error == 0, "enabling");
        counter->enabled = on;
    }
}

/* Between looks nobody tells the thread of what it has lost. */
static inline void model_look(struct model_lwp *l)
{
    uint32_t generation = pmc_generation(&l->lwp);

    model_expect((generation > 1 + l->seen) == l->lost, "generation");
    l->seen = generation - 1;
    l->lost = false;
}

static inline void model_read(struct model_lwp *l, int ctr)
{
    struct model_counter *counter = &l->counter[ctr];
    uint64_t value = 0, children = 0, overflows = 0;
    int error = pmc_get_counter_value(&l->lwp, ctr, 0, &value);

    if (!counter->configured) {
        model_expect(error == ENXIO, "reading what is not configured");
        return;
    }
    model_expect(error == 0 && value == counter->count, "a count");
    pmc_get_counter_value(&l->lwp, ctr, PMC_VALUE_FLAGS_CHILDREN, &children);
    model_expect(children == counter->children, "the children's count");
    pmc_get_overflows(&l->lwp, ctr, &overflows);
    model_expect(overflows ==
                     (counter->cfg.reset_value ? counter->count / counter->cfg.reset_value : 0),
                 "overflows");
    model_expect(pmc_counter_isrunning(&l->lwp, ctr) ==
                     (counter->enabled || model.kernel[ctr].configured),
                 "running");
    model_look(l);
}

static inline void model_fork(struct model_lwp *l)
{
    struct model_lwp *child = NULL;

    for (unsigned i = 0; i < MODEL_LWPS && child == NULL; i++)
        if (!model.lwp[i].alive)
            child = &model.lwp[i];
    if (child == NULL)
        return;
    *child = (struct model_lwp){.parent = (int)(l - model.lwp), .cpu = MODEL_NOBODY, .alive = true};
    model_expect(pmc_fork(&l->lwp, &child->lwp) == 0, "fork");
    for (unsigned n = 0; n < MODEL_COUNTERS; n++)
        if (l->counter[n].enabled)
            child->counter[n] = (struct model_counter){
                .cfg = l->counter[n].cfg, .configured = true, .enabled = true};
}

static inline void model_exit(struct model_lwp *l)
{
    struct model_lwp *parent = l->parent == MODEL_NOBODY ? NULL : &model.lwp[l->parent];
    int cpu = l->cpu;

    if (cpu == MODEL_NOBODY)
        return;
    host_cpu_set((unsigned)cpu);
    if (parent != NULL) {
        pmc_accumulate(&parent->lwp, &l->lwp);
        for (unsigned n = 0; n < MODEL_COUNTERS; n++) {
            struct model_counter *to = &parent->counter[n], *from = &l->counter[n];

            if (to->configured && from->configured && to->cfg.event_id == from->cfg.event_id)
                to->children += from->count + from->children;
        }
    }
    pmc_process_exit(&l->lwp);
    model.runs[cpu] = MODEL_NOBODY;
    host_pmu_switch((unsigned)cpu, NULL);
    for (unsigned i = 0; i < MODEL_LWPS; i++)
        if (model.lwp[i].parent == l - model.lwp)
            model.lwp[i].parent = l->parent;
    l->alive = false;
    model_expect(l->lwp.l_pmc == NULL, "the end");
}

/* Whether a thread that has the counter is in the way. */
static inline bool model_in_the_way(const struct model_lwp *l, int ctr, enum pmu_how how)
{
    const struct model_counter *counter = &l->counter[ctr];

    if (!l->alive || !counter->configured || counter->lost || how == PMU_BY_FORCE)
        return false;
    return how == PMU_IF_FREE || (counter->enabled && l->cpu != MODEL_NOBODY);
}

/* Threads that had it do so no more. */
static inline void model_lose(int ctr)
{
    for (unsigned i = 0; i < MODEL_LWPS; i++) {
        struct model_counter *counter = &model.lwp[i].counter[ctr];

        if (!model.lwp[i].alive || !counter->configured || counter->lost)
            continue;
        counter->lost = true;
        counter->enabled = false;
        model.lwp[i].lost = true;
    }
}

static inline void model_kernel(int ctr, unsigned who, enum pmu_how how)
{
    struct pmc_counter_cfg cfg = model_cfg();
    const struct pmu_owner *owner = &model_owner[who], *holder = model.owner[ctr];
    bool busy = holder != NULL && (how != PMU_BY_FORCE || holder->rank >= owner->rank);
    int error = pmc_take(owner, 1u << ctr, &cfg, how, NULL);

    if (owner->profiles && cfg.reset_value == 0) {
        model_expect(error == EINVAL, "profiling without a period");
        return;
    }
    for (unsigned i = 0; i < MODEL_LWPS; i++)
        busy = busy || model_in_the_way(&model.lwp[i], ctr, how);
    model_expect(error == (busy ? EBUSY : 0), "the kernel's counter");
    if (busy)
        return;
    model_lose(ctr);
    model_expect(pmc_generation(NULL) == 1 + ++model.takings, "the system's generation");
    model.kernel[ctr] = (struct model_counter){.cfg = cfg, .configured = true};
    model.owner[ctr] = owner;
    for (unsigned cpu = 0; cpu < MODEL_CPUS; cpu++)
        model.of_cpu[ctr][cpu] = 0;
}

static inline void model_kernel_read(int ctr)
{
    uint64_t value, sum = 0;
    int error = pmc_get_counter_value(NULL, ctr, 0, &value);

    for (unsigned cpu = 0; cpu < MODEL_CPUS; cpu++)
        sum += model.of_cpu[ctr][cpu];
    if (!model.kernel[ctr].configured)
        model_expect(error == ENXIO, "no kernel counter");
    else
        model_expect(error == 0 && value == sum, "the kernel's count");
}

static inline void model_kernel_free(int ctr)
{
    const struct pmu_owner *other = &model_owner[1 + model_byte() % (MODEL_OWNERS - 1)];
    const struct pmu_owner *owner = model.owner[ctr];

    if (owner != other)
        model_expect(pmc_give(other, ctr) == (owner ? EBUSY : ENXIO), "giving what others have");
    if (owner != NULL)
        model_expect(pmc_give(owner, ctr) == 0, "giving");
    model.owner[ctr] = NULL;
    model.kernel[ctr].configured = false;
}

static inline void model_release(struct model_lwp *l, int ctr)
{
    model_expect(pmc_release_as(&model_owner[0], &l->lwp, ctr) == 0, "releasing");
    l->counter[ctr] = (struct model_counter){.configured = false};
}

#endif
