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

#define MODEL_LWPS     5
#define MODEL_CPUS     3
#define MODEL_COUNTERS 3
#define MODEL_NOBODY   (-1)

struct model_counter {
    struct pmc_counter_cfg cfg;
    bool configured, enabled;
    uint64_t count, children;
};

struct model_lwp {
    struct lwp lwp;
    struct model_counter counter[MODEL_COUNTERS];
    int parent, cpu;
    bool alive;
};

static struct {
    struct model_lwp lwp[MODEL_LWPS];
    int runs[MODEL_CPUS];
    struct model_counter kernel[MODEL_COUNTERS];
    uint64_t of_cpu[MODEL_COUNTERS][MODEL_CPUS];
    bool profiled[MODEL_COUNTERS];
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
    int error = pmc_configure_counter(&l->lwp, ctr, &cfg);

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
    int error = on ? pmc_enable_counter(&l->lwp, ctr) : pmc_disable_counter(&l->lwp, ctr);

    if (model.kernel[ctr].configured) {
        model_expect(error == EBUSY, "enabling the kernel's");
    } else if (!counter->configured) {
        model_expect(error == ENXIO, "enabling what is not configured");
    } else {
        model_expect(error == 0, "enabling");
        counter->enabled = on;
    }
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

static inline void model_kernel(int ctr, bool profile)
{
    struct pmc_counter_cfg cfg = model_cfg();
    bool busy = model.kernel[ctr].configured;
    int error = profile ? pmc_start_profiling(ctr, &cfg) : pmc_alloc_kernel_counter(ctr, &cfg);

    if (profile && cfg.reset_value == 0) {
        model_expect(error == EINVAL, "profiling without a period");
        return;
    }
    for (unsigned i = 0; i < MODEL_LWPS; i++)
        busy = busy || (model.lwp[i].alive && model.lwp[i].counter[ctr].configured);
    model_expect(error == (busy ? EBUSY : 0), "the kernel's counter");
    if (busy)
        return;
    model.kernel[ctr] = (struct model_counter){.cfg = cfg, .configured = true};
    model.profiled[ctr] = profile;
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
    int error = model.profiled[ctr] ? pmc_stop_profiling(ctr) : pmc_free_kernel_counter(ctr);

    model_expect(error == (model.kernel[ctr].configured ? 0 : ENXIO), "freeing");
    model.kernel[ctr].configured = model.profiled[ctr] = false;
}

static inline void model_release(struct model_lwp *l, int ctr)
{
    model_expect(pmc_release_counter(&l->lwp, ctr) == 0, "releasing");
    l->counter[ctr] = (struct model_counter){.configured = false};
}

static inline void model_step(void)
{
    unsigned what = model_byte();
    struct model_lwp *l = &model.lwp[model_byte() % MODEL_LWPS];
    int ctr = (int)(model_byte() % MODEL_COUNTERS);

    host_cpu_set(model_byte() % MODEL_CPUS); /* the caller's */
    if (what < 90) {
        model_count();
    } else if (what < 150) {
        model_switch();
    } else if (what < 156) {
        model_kernel(ctr, false);
    } else if (what < 162) {
        model_kernel(ctr, true);
    } else if (what < 174) {
        model_kernel_free(ctr);
    } else if (what < 180) {
        model_kernel_read(ctr);
    } else if (what < 190) {
        host_pmu_tick(model_byte() % MODEL_CPUS);
    } else if (!l->alive) {
        return;
    } else if (what < 200) {
        model_configure(l, ctr);
    } else if (what < 220) {
        model_enable(l, ctr, what < 214);
    } else if (what < 240) {
        model_read(l, ctr);
    } else if (what < 246) {
        model_fork(l);
    } else if (what < 250) {
        model_exit(l);
    } else {
        model_release(l, ctr);
    }
}

/* Everything is read, and every overflow must have been reported. */
static inline void model_end(void)
{
    for (unsigned i = 0; i < MODEL_LWPS; i++)
        for (int ctr = 0; ctr < MODEL_COUNTERS && model.lwp[i].alive; ctr++)
            model_read(&model.lwp[i], ctr);
    for (int ctr = 0; ctr < MODEL_COUNTERS; ctr++)
        model_kernel_read(ctr);
    for (unsigned cpu = 0; cpu < MODEL_CPUS; cpu++)
        host_pmu_tick(cpu);
    model_expect(model.samples == model.overflows, "samples");
}

/* NULL, or what went wrong first. */
static inline const char *model_run(const uint8_t *data, size_t size)
{
    static const struct host_pmu kinds[] = {
        {MODEL_COUNTERS, 32, true, true, false, true, true},
        {MODEL_COUNTERS, 32, true, true, true, true, true},
        {MODEL_COUNTERS, 32, true, true, true, false, false},
        {MODEL_COUNTERS, 48, false, true, true, true, true},
        {MODEL_COUNTERS, 48, false, true, false, false, true},
        {MODEL_COUNTERS, 64, false, true, false, true, false},
        {MODEL_COUNTERS, 8, true, true, false, true, true},
        {MODEL_COUNTERS, 8, false, true, false, false, false},
        {MODEL_COUNTERS, 3, true, true, false, false, true},
    };

    __builtin_memset(&model, 0, sizeof model);
    model.data = data;
    model.left = size;
    host_reset();
    host_pmu_attach(&kinds[model_byte() % (sizeof kinds / sizeof *kinds)]);
    pmc_set_sample_handler(model_sample);
    for (unsigned i = 0; i < MODEL_LWPS; i++) {
        model.lwp[i].parent = model.lwp[i].cpu = MODEL_NOBODY;
        model.lwp[i].alive = i < 2;
    }
    for (unsigned cpu = 0; cpu < MODEL_CPUS; cpu++)
        model.runs[cpu] = MODEL_NOBODY;
    while (model.left != 0 && model.wrong == NULL)
        model_step();
    if (model.wrong == NULL)
        model_end();
    host_cpu_set(0);
    return model.wrong;
}

#endif
