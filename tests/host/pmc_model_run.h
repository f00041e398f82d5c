/* SPDX-License-Identifier: BSD-2-Clause */
/* One run of the model: what happens next is read from bytes. */
#ifndef TESTS_HOST_PMC_MODEL_RUN_H
#define TESTS_HOST_PMC_MODEL_RUN_H

#include "tests/host/pmc_model.h"

static inline void model_step(void)
{
    unsigned what = model_byte();
    struct model_lwp *l = &model.lwp[model_byte() % MODEL_LWPS];
    int ctr = (int)(model_byte() % MODEL_COUNTERS);

    host_cpu_set(model_byte() % MODEL_CPUS); /* the caller's */
    if (what < 90) {
        model_count();
    } else if (what < 144) {
        model_switch();
    } else if (what < 147) {
        model_kernel(ctr, MODEL_MODE, PMU_BY_FORCE);
    } else if (what < 150) {
        model_kernel(ctr, MODEL_SYSTEM, PMU_IF_IDLE);
    } else if (what < 153) {
        model_kernel(ctr, MODEL_PROFILE, PMU_BY_FORCE);
    } else if (what < 156) {
        model_kernel(ctr, MODEL_SYSTEM, PMU_IF_FREE);
    } else if (what < 162) {
        model_kernel(ctr, MODEL_PROFILE, PMU_IF_FREE);
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
