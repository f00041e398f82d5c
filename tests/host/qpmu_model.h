/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Both PMUs once more, as plainly as can be: event by event, no folding, no limits. What qpmu's
 * registers are compared with, in unit tests and in fuzzing. Feed it one operation after another.
 */
#ifndef TESTS_HOST_QPMU_MODEL_H
#define TESTS_HOST_QPMU_MODEL_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/qpmu/cpu.h"
#include "tools/qpmu/r10k.h"
#include "tools/qpmu/x86_msr.h"

struct model {
    struct qpmu_cpu cpu; /* what is tested */
    bool x86, rev3;
    uint64_t value[7], control[7], fixed, global, status;
    unsigned mode;
    unsigned overflows[7]; /* what the model says */
    unsigned reported[7];  /* what cpu reported */
    uint64_t last[7];      /* value of the last report */
};

static inline void model_report(void *context, const struct qpmu_overflow *overflow)
{
    struct model *model = context;

    model->reported[overflow->counter]++;
    model->last[overflow->counter] = overflow->value;
}

static inline void model_begin(struct model *model, enum qpmu_kind kind)
{
    memset(model, 0, sizeof(*model));
    model->x86 = kind == QPMU_X86;
    model->rev3 = kind == QPMU_R10K_3X;
    model->global = 15;
    model->mode = model->x86 ? QPMU_MODE_K : 0;
    model->cpu.overflow = model_report;
    model->cpu.context = model;
    qpmu_cpu_reset(&model->cpu, kind);
    model->cpu.counted = ~0ull;
}

static inline unsigned model_counters(const struct model *model)
{
    return model->x86 ? 7 : 2;
}

/* Whether counter N counts EVENT now. */
static inline bool model_counts(const struct model *model, unsigned n, enum qpmu_event event)
{
    uint64_t control = model->control[n];

    if (!model->x86)
        return (control & model->mode) != 0 &&
               qpmu_r10k_event(n, control >> 5 & 15, model->rev3) == event;
    if (n >= 4) {
        control = model->fixed >> (n - 4) * 4;
        return (model->global >> (28 + n) & 1) != 0 &&
               (control & (model->mode == QPMU_MODE_U ? 2 : 1)) != 0 &&
               event == (n == 4 ? QPMU_INSTRUCTIONS : QPMU_CYCLES);
    }
    return (model->global >> n & 1) != 0 && (control >> 22 & 1) != 0 &&
           (control >> (model->mode == QPMU_MODE_U ? 16 : 17) & 1) != 0 &&
           qpmu_x86_event(control) == event;
}

static inline void model_count_one(struct model *model, unsigned n)
{
    if (model->x86) {
        model->value[n] = (model->value[n] + 1) & 0xffffffffffff;
        if (model->value[n] != 0)
            return;
        model->status |= n < 4 ? 1ull << n : 1ull << (28 + n);
    } else {
        model->value[n] = (uint32_t)(model->value[n] + 1);
        if (model->value[n] != 0x80000000)
            return;
    }
    model->overflows[n]++;
    if ((model->cpu.reload_on >> n & 1) != 0)
        model->value[n] = model->cpu.reload[n] & (model->x86 ? 0xffffffffffff : 0xffffffff);
}

/* EVENTS of a kind happen at once. */
static inline void model_raise(struct model *model, enum qpmu_event event, unsigned events)
{
    for (unsigned i = 0; i < events; i++) {
        for (unsigned n = 0; n < model_counters(model); n++) {
            if (model_counts(model, n, event))
                model_count_one(model, n);
        }
    }
    model->cpu.raw[event] += events;
    if (qpmu_cpu_reached(&model->cpu, event))
        qpmu_cpu_overflow(&model->cpu, event);
}

static inline void model_mode(struct model *model, unsigned mode)
{
    model->mode = mode;
    qpmu_cpu_mode(&model->cpu, mode);
}

static inline void model_write_x86(struct model *model, uint32_t reg, uint64_t value)
{
    if (reg >= 0xc1 && reg <= 0xc4)
        model->value[reg - 0xc1] =
            (value & 0xffffffff) | ((value >> 31 & 1) != 0 ? 0xffff00000000 : 0);
    else if (reg >= 0x4c1 && reg <= 0x4c4)
        model->value[reg - 0x4c1] = value & 0xffffffffffff;
    else if (reg >= 0x186 && reg <= 0x189)
        model->control[reg - 0x186] = value & 0xffffffff;
    else if (reg >= 0x309 && reg <= 0x30b)
        model->value[reg - 0x309 + 4] = value & 0xffffffffffff;
    else if (reg == 0x38d)
        model->fixed = value & 0xfff;
    else if (reg == 0x38f)
        model->global = value & 0x70000000f;
    else if (reg == 0x390)
        model->status &= ~value;
}

static inline void model_write(struct model *model, uint32_t reg, uint64_t value)
{
    if (qpmu_cpu_write(&model->cpu, reg, value) != 0)
        abort();
    if (model->x86)
        model_write_x86(model, reg, value);
    else if (reg < 4 && reg % 2 == 0)
        model->control[reg / 2] = value & 0x1ff;
    else if (reg < 4)
        model->value[reg / 2] = (uint32_t)value;
}

static inline void model_require(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "qpmu registers: %s\n", what);
    abort();
}

/* Compares all that can be seen. */
static inline void model_compare(const struct model *model)
{
    uint32_t pending = 0;

    for (unsigned n = 0; n < model_counters(model); n++) {
        uint32_t reg = !model->x86 ? 2 * n + 1 : n < 4 ? 0xc1 + n : 0x309 + n - 4;
        bool interrupt = !model->x86 ? (model->control[n] & 0x10) != 0
                         : n < 4     ? (model->control[n] >> 20 & 1) != 0
                                     : (model->fixed >> (n - 4) * 4 & 8) != 0;
        bool over = model->x86 ? (model->status >> (n < 4 ? n : 28 + n) & 1) != 0
                               : model->value[n] >= 0x80000000;

        model_require(qpmu_cpu_read(&model->cpu, reg) == model->value[n], "value");
        model_require(model->reported[n] == model->overflows[n], "overflows");
        if (interrupt && over)
            pending |= 1u << n;
    }
    model_require(qpmu_cpu_pending(&model->cpu) == pending, "pending");
    if (!model->x86) {
        model_require(qpmu_cpu_read(&model->cpu, 0) == model->control[0], "control 0");
        model_require(qpmu_cpu_read(&model->cpu, 2) == model->control[1], "control 1");
        return;
    }
    for (unsigned n = 0; n < 4; n++)
        model_require(qpmu_cpu_read(&model->cpu, 0x186 + n) == model->control[n], "select");
    model_require(qpmu_cpu_read(&model->cpu, 0x38d) == model->fixed, "fixed control");
    model_require(qpmu_cpu_read(&model->cpu, 0x38e) == model->status, "global status");
    model_require(qpmu_cpu_read(&model->cpu, 0x38f) == model->global, "global control");
}

/*
 * One operation from numbers that may be anything: WHAT chooses it, A and B are its arguments.
 * Values are drawn near the overflow often enough.
 */
static inline void model_step(struct model *model, unsigned what, unsigned a, uint64_t b)
{
    static const uint32_t msrs[] = {0xc1,  0xc2,  0xc3,  0xc4,  0x4c1, 0x4c2, 0x4c3, 0x4c4,
                                    0x186, 0x187, 0x188, 0x189, 0x309, 0x30a, 0x30b, 0x345,
                                    0x38d, 0x38e, 0x38f, 0x390, 0x391, 0xc5};
    static const uint8_t modes[] = {0, QPMU_MODE_EXL, QPMU_MODE_K, QPMU_MODE_S, QPMU_MODE_U};
    static const uint16_t selects[] = {0x3c, 0x13c, 0xc0, 0x4f2e, 0x412e, 0xc4, 0xc5, 0xc1};

    switch (what % 8) {
    case 0:
        model_mode(model, model->x86 ? (a & 1 ? QPMU_MODE_U : QPMU_MODE_K) : modes[a % 5]);
        break;
    case 1: /* near an overflow */
        b = (model->x86 ? 0x1000000000000 : 0x80000000) - (b & 63);
        model_write(model, model->x86 ? msrs[4 + a % 4] : 1 + 2 * (a & 1), b);
        break;
    case 2:
        model_write(model, model->x86 ? msrs[a % 22] : a % 6, b);
        break;
    case 3: /* a control register that makes sense */
        if (model->x86 && (a & 1) != 0)
            model_write(model, 0x186 + (a >> 1 & 3), selects[b & 7] | (b & 0x770000));
        else if (model->x86)
            model_write(model, (a & 2) != 0 ? 0x38d : 0x38f, b);
        else
            model_write(model, 2 * (a & 1), b);
        break;
    case 4: {
        unsigned n = a % model_counters(model);

        model->cpu.reload_on |= 1u << n;
        model->cpu.reload_on ^= (uint32_t)((b >> 8 & 3) == 0) << n;
        model->cpu.reload[n] = (model->x86 ? 0x1000000000000ull : 0x80000000) - 1 - (b & 31);
        break;
    }
    case 5:
        model_raise(model, (enum qpmu_event)(a % QPMU_EVENTS), b & 15);
        break;
    default: { /* an event that somebody counts, if anybody does */
        unsigned n = a % model_counters(model);

        if (model->cpu.counter[n].event < QPMU_EVENTS)
            model_raise(model, (enum qpmu_event)model->cpu.counter[n].event, (b & 7) + 1);
        break;
    }
    }
    model_compare(model);
}
#endif
