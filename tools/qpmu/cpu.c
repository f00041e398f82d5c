/* SPDX-License-Identifier: BSD-2-Clause */
/* The PMU of one virtual CPU. A write is made to a copy first: it may have to be refused. */
#include "tools/qpmu/cpu.h"

#include <string.h>

#include "tools/qpmu/mips_r2.h"
#include "tools/qpmu/r10k.h"
#include "tools/qpmu/x86_msr.h"

#define MASK48 ((1ull << X86_WIDTH) - 1)

static uint64_t raw_of(const struct qpmu_cpu *cpu, const struct qpmu_counter *counter)
{
    return counter->event < QPMU_EVENTS ? cpu->raw[counter->event] : 0;
}

/* Bit of counter N in GLOBAL_CTRL and GLOBAL_STATUS. */
static uint64_t global_bit(unsigned n)
{
    return n < X86_GENERAL ? 1ull << n : 1ull << (32 + n - X86_GENERAL);
}

static void configure_r10k(struct qpmu_cpu *cpu)
{
    for (unsigned n = 0; n < R10K_COUNTERS; n++) {
        struct qpmu_counter *counter = &cpu->counter[n];
        unsigned control = (unsigned)cpu->control[n];

        if (cpu->kind == QPMU_R2)
            counter->event = (uint8_t)qpmu_r2_event(n, control >> 5 & 127);
        else
            counter->event =
                (uint8_t)qpmu_r10k_event(n, control >> 5 & 15, cpu->kind == QPMU_R10K_3X);
        counter->modes = (uint8_t)(control & R10K_MODES);
        counter->interrupt = (control & R10K_IE) != 0;
        counter->enabled = true;
    }
}

static void configure_x86(struct qpmu_cpu *cpu)
{
    for (unsigned n = 0; n < X86_GENERAL + X86_FIXED; n++) {
        struct qpmu_counter *counter = &cpu->counter[n];
        bool os, usr, on = true;

        if (n < X86_GENERAL) {
            uint64_t select = cpu->control[n];

            os = (select & X86_EVTSEL_OS) != 0;
            usr = (select & X86_EVTSEL_USR) != 0;
            on = (select & X86_EVTSEL_EN) != 0;
            counter->interrupt = (select & X86_EVTSEL_INT) != 0;
            counter->event = (uint8_t)qpmu_x86_event(select);
        } else {
            uint64_t control = cpu->fixed_control >> (n - X86_GENERAL) * 4;

            os = (control & 1) != 0;
            usr = (control & 2) != 0;
            counter->interrupt = (control & 8) != 0;
            counter->event = (uint8_t)qpmu_x86_fixed_event(n - X86_GENERAL);
        }
        counter->modes = (uint8_t)(on ? (os ? QPMU_MODE_K : 0) | (usr ? QPMU_MODE_U : 0) : 0);
        counter->modes |= os && usr && on ? QPMU_MODE_ANY : 0;
        counter->enabled = (cpu->global_control & global_bit(n)) != 0;
    }
}

static void set_limit(struct qpmu_cpu *cpu, unsigned event)
{
    uint64_t limit = UINT64_MAX;

    for (unsigned n = 0; n < cpu->counters; n++) {
        if (cpu->counter[n].event == event) {
            uint64_t own = qpmu_counter_limit(&cpu->counter[n]);

            limit = own < limit ? own : limit;
        }
    }
    cpu->limit[event] = limit;
}

/* Reports what has overflowed and was not reported yet, before counters are folded. */
static void settle(struct qpmu_cpu *cpu)
{
    for (unsigned n = 0; n < cpu->counters; n++) {
        const struct qpmu_counter *counter = &cpu->counter[n];

        if (counter->running && qpmu_cpu_reached(cpu, (enum qpmu_event)counter->event))
            qpmu_cpu_overflow(cpu, (enum qpmu_event)counter->event);
    }
}

/* Folds what counted and stops it. */
static void stop_all(struct qpmu_cpu *cpu)
{
    for (unsigned n = 0; n < cpu->counters; n++) {
        struct qpmu_counter *counter = &cpu->counter[n];

        if (counter->running) {
            qpmu_counter_fold(counter, raw_of(cpu, counter));
            counter->running = false;
            cpu->limit[counter->event] = UINT64_MAX;
        }
    }
}

/* Starts what matches now; all are stopped. */
static void start_all(struct qpmu_cpu *cpu)
{
    for (unsigned n = 0; n < cpu->counters; n++) {
        struct qpmu_counter *counter = &cpu->counter[n];
        uint64_t limit;

        if (!counter->enabled || (counter->modes & cpu->mode) == 0 ||
            counter->event == QPMU_NO_EVENT)
            continue;
        counter->running = true;
        counter->start = cpu->raw[counter->event];
        limit = qpmu_counter_limit(counter);
        if (limit < cpu->limit[counter->event])
            cpu->limit[counter->event] = limit;
    }
}

void qpmu_cpu_reset(struct qpmu_cpu *cpu, enum qpmu_kind kind)
{
    bool x86 = kind == QPMU_X86;

    memset(cpu->raw, 0, sizeof(cpu->raw));
    memset(cpu->limit, 0xff, sizeof(cpu->limit));
    memset(cpu->counter, 0, sizeof(cpu->counter));
    memset(cpu->control, 0, sizeof(cpu->control));
    memset(cpu->reload, 0, sizeof(cpu->reload));
    cpu->reload_on = 0;
    cpu->fixed_control = cpu->global_status = 0;
    cpu->counted = 0;
    cpu->global_control = (1u << X86_GENERAL) - 1; /* so after power-up */
    cpu->kind = kind;
    cpu->mode = x86 ? QPMU_MODE_K : 0;
    cpu->counters = x86 ? X86_GENERAL + X86_FIXED : R10K_COUNTERS;
    for (unsigned n = 0; n < cpu->counters; n++) {
        cpu->counter[n].width = x86 ? X86_WIDTH : 32;
        cpu->counter[n].overflow_at = x86 ? 1ull << X86_WIDTH : 1ull << 31;
    }
    if (x86)
        configure_x86(cpu);
    else
        configure_r10k(cpu);
}

bool qpmu_cpu_has(const struct qpmu_cpu *cpu, uint32_t reg)
{
    if (cpu->kind != QPMU_X86)
        return reg < 2 * R10K_COUNTERS;
    return reg - X86_MSR_PMC0 < X86_GENERAL || reg - X86_MSR_A_PMC0 < X86_GENERAL ||
           reg - X86_MSR_PERFEVTSEL0 < X86_GENERAL || reg - X86_MSR_FIXED_CTR0 < X86_FIXED ||
           reg == X86_MSR_CAPABILITIES ||
           (reg >= X86_MSR_FIXED_CTR_CTRL && reg <= X86_MSR_GLOBAL_OVF_CTRL);
}

/* The counter that REG is, or NULL; its value, cut as a write through REG cuts it, in *VALUE. */
static struct qpmu_counter *counter_of(struct qpmu_cpu *cpu, uint32_t reg, uint64_t *value)
{
    if (cpu->kind != QPMU_X86) {
        *value &= UINT32_MAX;
        return reg < 2 * R10K_COUNTERS && reg % 2 == 1 ? &cpu->counter[reg / 2] : NULL;
    }
    if (reg - X86_MSR_PMC0 < X86_GENERAL) {
        int64_t extended = (int32_t)*value;

        *value = (uint64_t)extended & MASK48;
        return &cpu->counter[reg - X86_MSR_PMC0];
    }
    *value &= MASK48;
    if (reg - X86_MSR_A_PMC0 < X86_GENERAL)
        return &cpu->counter[reg - X86_MSR_A_PMC0];
    if (reg - X86_MSR_FIXED_CTR0 < X86_FIXED)
        return &cpu->counter[X86_GENERAL + reg - X86_MSR_FIXED_CTR0];
    return NULL;
}

/* Stores into a control register and configures; false: REG is none that could change counting. */
static bool write_control(struct qpmu_cpu *cpu, uint32_t reg, uint64_t value)
{
    if (cpu->kind != QPMU_X86) {
        if (reg >= 2 * R10K_COUNTERS || reg % 2 == 1)
            return false;
        cpu->control[reg / 2] =
            value & (cpu->kind == QPMU_R2 ? R2_CONTROL_MASK : R10K_CONTROL_MASK);
        configure_r10k(cpu);
        return true;
    }
    if (reg - X86_MSR_PERFEVTSEL0 < X86_GENERAL)
        cpu->control[reg - X86_MSR_PERFEVTSEL0] = value & UINT32_MAX;
    else if (reg == X86_MSR_FIXED_CTR_CTRL)
        cpu->fixed_control = value & 0xfff;
    else if (reg == X86_MSR_GLOBAL_CTRL)
        cpu->global_control = value & X86_GLOBAL_BITS;
    else
        return false;
    configure_x86(cpu);
    return true;
}

uint64_t qpmu_cpu_write(struct qpmu_cpu *cpu, uint32_t reg, uint64_t value)
{
    struct qpmu_counter *counter;
    struct qpmu_cpu before;
    uint64_t cut = value;
    uint64_t missing;

    if (!qpmu_cpu_has(cpu, reg))
        return 0;
    settle(cpu);
    counter = counter_of(cpu, reg, &cut);
    if (counter != NULL) {
        counter->value = cut;
        counter->start = raw_of(cpu, counter);
        if (counter->running)
            set_limit(cpu, counter->event);
        return 0;
    }
    if (cpu->kind == QPMU_X86 && reg == X86_MSR_GLOBAL_OVF_CTRL) {
        cpu->global_status &= ~value;
        return 0;
    }
    before = *cpu;
    stop_all(cpu);
    if (!write_control(cpu, reg, value)) {
        *cpu = before;
        return 0;
    }
    missing = qpmu_cpu_wanted(cpu) & ~cpu->counted;
    if (missing != 0)
        *cpu = before;
    else
        start_all(cpu);
    return missing;
}

uint64_t qpmu_cpu_read(const struct qpmu_cpu *cpu, uint32_t reg)
{
    const struct qpmu_counter *counter;
    uint64_t unused = 0;

    if (!qpmu_cpu_has(cpu, reg))
        return 0;
    counter = counter_of((struct qpmu_cpu *)(uintptr_t)cpu, reg, &unused);
    if (counter != NULL)
        return qpmu_counter_value(counter, raw_of(cpu, counter));
    if (cpu->kind != QPMU_X86)
        return cpu->control[reg / 2] | (cpu->kind == QPMU_R2 && reg == 0 ? R2_MORE : 0);
    switch (reg) {
    case X86_MSR_CAPABILITIES:
        return X86_FULL_WIDTH;
    case X86_MSR_FIXED_CTR_CTRL:
        return cpu->fixed_control;
    case X86_MSR_GLOBAL_STATUS:
        return cpu->global_status;
    case X86_MSR_GLOBAL_CTRL:
        return cpu->global_control;
    case X86_MSR_GLOBAL_OVF_CTRL:
        return 0;
    default:
        return cpu->control[reg - X86_MSR_PERFEVTSEL0];
    }
}

uint64_t qpmu_cpu_wanted(const struct qpmu_cpu *cpu)
{
    uint64_t events = 0;

    for (unsigned n = 0; n < cpu->counters; n++) {
        if (cpu->counter[n].modes != 0 && cpu->counter[n].event < QPMU_EVENTS)
            events |= 1ull << cpu->counter[n].event;
    }
    return events;
}

uint64_t qpmu_cpu_running(const struct qpmu_cpu *cpu)
{
    uint64_t events = 0;

    for (unsigned n = 0; n < cpu->counters; n++) {
        if (cpu->counter[n].running)
            events |= 1ull << cpu->counter[n].event;
    }
    return events;
}

bool qpmu_cpu_modes_matter(const struct qpmu_cpu *cpu)
{
    unsigned all = cpu->kind == QPMU_X86 ? QPMU_MODE_U | QPMU_MODE_K | QPMU_MODE_ANY : R10K_MODES;

    for (unsigned n = 0; n < cpu->counters; n++) {
        const struct qpmu_counter *counter = &cpu->counter[n];

        /* On the R10000 a counter of all modes still stops at ERL. */
        if (counter->enabled && counter->modes != 0 && counter->event != QPMU_NO_EVENT &&
            (counter->modes != all || cpu->kind != QPMU_X86))
            return true;
    }
    return false;
}

void qpmu_cpu_mode(struct qpmu_cpu *cpu, unsigned mode)
{
    bool change = false;

    if (mode == cpu->mode)
        return;
    settle(cpu);
    for (unsigned n = 0; n < cpu->counters; n++) {
        const struct qpmu_counter *counter = &cpu->counter[n];

        change |= counter->enabled && ((counter->modes & mode) != 0) != counter->running;
    }
    if (change)
        stop_all(cpu);
    cpu->mode = mode;
    if (change)
        start_all(cpu);
}

/* COUNTER's next overflow up to raw count RAW, if there is one: reports and reloads. */
static bool overflow_once(struct qpmu_cpu *cpu, unsigned n, uint64_t raw)
{
    struct qpmu_counter *counter = &cpu->counter[n];
    uint64_t limit = qpmu_counter_limit(counter);
    struct qpmu_overflow overflow = {
        .counter = n,
        .event = (enum qpmu_event)counter->event,
        .mode = cpu->mode,
        .interrupt = counter->interrupt,
        .reloaded = (cpu->reload_on >> n & 1) != 0,
    };

    if (!counter->running || raw < limit)
        return false;
    overflow.value = qpmu_counter_value(counter, raw);
    /* From here on it counts from the instant of overflow. */
    counter->value = counter->overflow_at & ((1ull << counter->width) - 1);
    if (overflow.reloaded)
        counter->value = cpu->reload[n] & ((1ull << counter->width) - 1);
    counter->start = limit;
    if (cpu->kind == QPMU_X86)
        cpu->global_status |= global_bit(n);
    if (cpu->overflow != NULL)
        cpu->overflow(cpu->context, &overflow);
    return true;
}

unsigned qpmu_cpu_overflow(struct qpmu_cpu *cpu, enum qpmu_event event)
{
    uint64_t raw = cpu->raw[event];
    unsigned overflows = 0;

    for (unsigned n = 0; n < cpu->counters; n++) {
        if (cpu->counter[n].event != event)
            continue;
        while (overflow_once(cpu, n, raw))
            overflows++;
    }
    set_limit(cpu, event);
    return overflows;
}

uint32_t qpmu_cpu_pending(const struct qpmu_cpu *cpu)
{
    uint32_t pending = 0;

    for (unsigned n = 0; n < cpu->counters; n++) {
        const struct qpmu_counter *counter = &cpu->counter[n];
        bool over = cpu->kind == QPMU_X86
                        ? (cpu->global_status & global_bit(n)) != 0
                        : (qpmu_counter_value(counter, raw_of(cpu, counter)) & 1u << 31) != 0;

        if (counter->interrupt && over)
            pending |= 1u << n;
    }
    return pending;
}
