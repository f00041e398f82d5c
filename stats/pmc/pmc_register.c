/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The registers of this CPU, and what happens when one overflows. Interrupts off throughout.
 *
 * A counter without a period runs freely: what it counted is the difference of two readings, so it
 * need not be written when it changes hands, nor be stopped. It is read at least at each tick.
 *
 * One with a period is set so that it overflows when the period has passed. Where the hardware can,
 * it reloads itself, and each overflow reported stands for one period by which it was put back;
 * otherwise the count is again the difference of readings, and we put it back.
 */
#include <stddef.h>
#include "stats/pmc/pmc_private.h"
#include "stats/port.h"

struct pmc_cpu *pmc_cpu_here(void)
{
    return &pmc_system.cpus[stats_port_cpu()];
}

void pmc_tally_init(struct pmc_tally *tally, const struct pmc_counter_cfg *cfg, uint32_t serial,
                    const struct pmu_owner *owner)
{
    *tally = (struct pmc_tally){.owner = owner,
                                .code = cfg->event_id,
                                .modes = pmc_config_modes(cfg),
                                .period = cfg->reset_value,
                                .left = cfg->reset_value,
                                .serial = serial};
}

/* Whether the hardware puts the register back by itself. */
static bool pmc_register_reloads(const struct pmc_counter *counter, uint64_t period)
{
    return period != 0 && (counter->class->capabilities & PMU_CAN_RELOAD) &&
           period <= counter->half;
}

static void pmc_register_set_value(struct pmc_cpu *cpu, unsigned n, uint64_t to_overflow)
{
    const struct pmc_counter *counter = &pmc_system.counter[n];
    uint64_t value = (counter->class->overflow_at - to_overflow) & counter->mask;

    counter->class->write(counter->index, value);
    cpu->last[n] = value;
    cpu->reg[n].chunk = to_overflow;
}

/* For a period longer than the register's way, in several steps. */
static void pmc_register_set_left(struct pmc_cpu *cpu, unsigned n, const struct pmc_tally *tally)
{
    uint64_t half = pmc_system.counter[n].half;

    pmc_register_set_value(cpu, n, tally->left < half ? tally->left : half);
}

static void pmc_register_program(struct pmc_cpu *cpu, unsigned n, const struct pmc_tally *tally)
{
    const struct pmc_counter *counter = &pmc_system.counter[n];
    const struct pmu_class *class = counter->class;
    struct pmc_register *reg = &cpu->reg[n];
    bool can = (class->capabilities & PMU_CAN_INTERRUPT) != 0;

    reg->code = tally->code;
    reg->modes = tally->modes;
    reg->period = tally->period;
    reg->programmed = true;
    /* A narrow register could go round between ticks. */
    class->program(counter->index, reg->code, reg->modes,
                   can && (reg->period != 0 || class->width < 32));
    if (class->reload != NULL)
        class->reload(counter->index, pmc_register_reloads(counter, reg->period),
                      (class->overflow_at - reg->period) & counter->mask);
}

static bool pmc_register_is_set_to(const struct pmc_register *reg, const struct pmc_tally *tally)
{
    return reg->programmed && reg->code == tally->code && reg->modes == tally->modes &&
           reg->period == tally->period;
}

void pmu_disturbed(void)
{
    for (unsigned n = 0; pmc_system.cpus != NULL && n < PMC_COUNTERS_MAX; n++)
        pmc_cpu_here()->reg[n].programmed = false;
}

static void pmc_register_start(struct pmc_cpu *cpu, unsigned n)
{
    const struct pmc_counter *counter = &pmc_system.counter[n];

    if (!cpu->reg[n].running)
        counter->class->start(counter->index);
    cpu->reg[n].running = true;
    cpu->reg[n].held = false;
}

void pmc_register_stop(struct pmc_cpu *cpu, unsigned n)
{
    const struct pmc_counter *counter = &pmc_system.counter[n];

    if (cpu->reg[n].running || cpu->reg[n].held)
        counter->class->stop(counter->index);
    cpu->reg[n].running = cpu->reg[n].held = false;
}

/* Those counters of CLASS among MASK that run, or do not, as the class calls them. */
static uint32_t pmc_register_of_class(const struct pmc_cpu *cpu, const struct pmu_class *class,
                                      uint32_t mask, bool running)
{
    uint32_t indices = 0;

    for (unsigned n = 0; n < (unsigned)pmc_system.counters; n++)
        if ((mask >> n & 1) && pmc_system.counter[n].class == class &&
            cpu->reg[n].running == running)
            indices |= 1u << pmc_system.counter[n].index;
    return indices;
}

/* The first class, the hardware's, begins last and ends first. */
void pmc_registers_start(struct pmc_cpu *cpu, uint32_t mask)
{
    for (unsigned i = PMU_CLASSES_MAX; i-- > 0;) {
        const struct pmu_class *class = pmu_class_at(i, NULL);
        uint32_t indices;

        if (class == NULL)
            continue;
        indices = class->start_all != NULL ? pmc_register_of_class(cpu, class, mask, false) : 0;
        for (unsigned n = 0; n < (unsigned)pmc_system.counters; n++) {
            if (!(mask >> n & 1) || pmc_system.counter[n].class != class)
                continue;
            if (class->start_all == NULL)
                pmc_register_start(cpu, n);
            cpu->reg[n].running = true;
            cpu->reg[n].held = false;
        }
        if (indices != 0)
            class->start_all(indices);
    }
}

void pmc_registers_hold(struct pmc_cpu *cpu, uint32_t mask, bool all)
{
    const struct pmu_class *class;

    for (unsigned i = 0; (class = pmu_class_at(i, NULL)) != NULL; i++) {
        uint32_t indices = class->hold != NULL ? pmc_register_of_class(cpu, class, mask, true) : 0;

        if (indices != 0)
            class->hold(indices);
        for (unsigned n = 0; n < (unsigned)pmc_system.counters; n++) {
            if (!(mask >> n & 1) || pmc_system.counter[n].class != class)
                continue;
            if (class->hold != NULL && cpu->reg[n].running) {
                cpu->reg[n].running = false;
                cpu->reg[n].held = true;
            } else if (class->hold == NULL && all) {
                pmc_register_stop(cpu, n);
            }
        }
    }
}

void pmc_register_prepare(struct pmc_cpu *cpu, unsigned n, struct pmc_tally *tally)
{
    const struct pmc_counter *counter = &pmc_system.counter[n];
    struct pmc_register *reg = &cpu->reg[n];
    uint32_t here = stats_port_cpu() + 1;

    if (pmc_register_is_set_to(reg, tally) && tally->period == 0) {
        cpu->last[n] = counter->class->read(counter->index);
        return;
    }
    if (!pmc_register_is_set_to(reg, tally) || reg->holds != tally || tally->where != here) {
        pmc_register_stop(cpu, n);
        if (!pmc_register_is_set_to(reg, tally))
            pmc_register_program(cpu, n, tally);
        if (tally->period != 0)
            pmc_register_set_left(cpu, n, tally);
        else
            pmc_register_set_value(cpu, n, counter->half);
        reg->holds = tally;
        tally->where = here;
    }
}

static struct lwp *pmc_register_owner_of(struct pmc_cpu *cpu)
{
    return cpu->switching != NULL ? cpu->switching : lwp_current();
}

static void pmc_register_report(const struct pmc_tally *tally, const struct pmc_sample *sample)
{
    if (tally->owner->sample != NULL)
        tally->owner->sample(sample);
}

/* PASSED periods of a counter are over, the first of them as OVERFLOW says, if not NULL. */
static void pmc_register_account(struct pmc_cpu *cpu, unsigned n, struct pmc_tally *tally,
                                 uint64_t passed, const struct pmu_overflow *overflow)
{
    struct pmc_sample sample = {.ctr = (int)n,
                                .cpu = stats_port_cpu(),
                                .l = pmc_register_owner_of(cpu),
                                .kernel = (cpu->kernel_mask >> n & 1) != 0,
                                .count = 1};

    tally->overflows += passed;
    if (overflow != NULL && overflow->lost == 0) {
        sample.user = overflow->user;
        sample.exact = overflow->exact;
        sample.pc = overflow->pc;
        sample.value = overflow->value;
        sample.known = true;
        pmc_register_report(tally, &sample);
        passed--;
    }
    if (passed == 0)
        return;
    tally->lost += passed;
    sample.known = sample.exact = false;
    sample.pc = 0;
    sample.count = passed;
    pmc_register_report(tally, &sample);
}

/* Reads the register into COUNT. What has passed of the period of one that we put back ourselves is
 * seen to here. */
static void pmc_register_fold_read(struct pmc_cpu *cpu, unsigned n, struct pmc_tally *tally,
                                   uint64_t *count, const struct pmu_overflow *overflow)
{
    const struct pmc_counter *counter = &pmc_system.counter[n];
    uint64_t now = counter->class->read(counter->index), passed;
    uint64_t since = (now - cpu->last[n]) & counter->mask;

    cpu->last[n] = now;
    if (pmc_register_reloads(counter, tally->period)) {
        if (since >= counter->half)
            since -= counter->mask + 1; /* it was put back */
        *count += since;
        tally->left = (counter->class->overflow_at - now) & counter->mask;
        if (tally->left == 0)
            tally->left = tally->period;
        return;
    }
    *count += since;
    if (tally->period == 0)
        return;
    if (since >= tally->left) {
        passed = 1 + (since - tally->left) / tally->period;
        tally->left = tally->period - (since - tally->left) % tally->period;
        pmc_register_set_left(cpu, n, tally);
        pmc_register_account(cpu, n, tally, passed, overflow);
        return;
    }
    tally->left -= since;
    if (since >= cpu->reg[n].chunk)
        pmc_register_set_left(cpu, n, tally);
    else
        cpu->reg[n].chunk -= since;
}

static void pmc_register_poll_class(const struct pmc_counter *counter)
{
    if (counter->class->poll != NULL)
        counter->class->poll();
}

void pmc_register_poll(void)
{
    const struct pmu_class *class;

    for (unsigned i = 0; (class = pmu_class_at(i, NULL)) != NULL; i++)
        if (class->poll != NULL)
            class->poll();
}

struct pmc_tally *pmc_register_owner(struct pmc_cpu *cpu, unsigned n, uint64_t **count)
{
    struct pmc_state *state;

    if (cpu->kernel_mask >> n & 1) {
        *count = &cpu->kernel_count[n];
        return &cpu->kernel[n];
    }
    state = pmc_register_owner_of(cpu)->l_pmc;
    if (state == NULL || !(state->counts.mask >> n & 1))
        return NULL;
    *count = &state->counts.count[n];
    return &state->tally[n];
}

/* A counter that reloads itself stands still while it is read: an overflow between its last report
 * and the reading would make the count wrong. */
void pmc_register_fold(struct pmc_cpu *cpu, unsigned n, struct pmc_tally *tally, uint64_t *count)
{
    const struct pmc_counter *counter = &pmc_system.counter[n];
    bool stops = pmc_register_reloads(counter, tally->period) && cpu->reg[n].running;

    if (stops)
        pmc_register_stop(cpu, n);
    if (tally->period != 0)
        pmc_register_poll_class(counter);
    pmc_register_fold_read(cpu, n, tally, count, NULL);
    if (stops)
        pmc_register_start(cpu, n);
}

void pmc_register_unload(struct pmc_cpu *cpu, unsigned n, struct pmc_tally *tally, uint64_t *count,
                         bool stop)
{
    if (stop || tally->period != 0)
        pmc_register_stop(cpu, n);
    pmc_register_fold(cpu, n, tally, count);
    if (stop)
        cpu->reg[n].programmed = false;
}

static __attribute__((noinline)) int pmc_register_find(const struct pmu_overflow *overflow)
{
    const struct pmu_class *class;
    int base;

    for (unsigned i = 0; (class = pmu_class_at(i, &base)) != NULL; i++)
        if (class == overflow->class && overflow->counter < class->counters)
            return base + (int)overflow->counter;
    return -1;
}

static inline int pmc_register_number_of(const struct pmu_overflow *overflow)
{
    const struct pmc_counter *of_first = &pmc_system.counter[overflow->counter % PMC_COUNTERS_MAX];

    if (__builtin_expect(of_first->class == overflow->class && of_first->index == overflow->counter,
                         1))
        return (int)overflow->counter; /* the hardware's, as most are */
    return pmc_register_find(overflow);
}

/* One period of a counter that reloads itself, and is the system's: nearly all samples are such. */
static void pmc_register_count_period(struct pmc_cpu *cpu, unsigned n,
                                      const struct pmu_overflow *overflow)
{
    const struct pmc_sample sample = {.ctr = (int)n,
                                      .cpu = overflow->cpu,
                                      .l = pmc_register_owner_of(cpu),
                                      .kernel = true,
                                      .user = overflow->user,
                                      .exact = overflow->exact,
                                      .known = true,
                                      .pc = overflow->pc,
                                      .value = overflow->value,
                                      .count = 1};

    cpu->kernel_count[n] += cpu->kernel[n].period;
    cpu->kernel[n].overflows++;
    pmc_register_report(&cpu->kernel[n], &sample);
}

/* A thread's counter, one that does not reload itself, or periods of which only the number is
 * known. */
static __attribute__((noinline)) void pmc_register_overflow(struct pmc_cpu *cpu, unsigned n,
                                                            const struct pmu_overflow *overflow)
{
    uint64_t *count;
    struct pmc_tally *tally = pmc_register_owner(cpu, n, &count);

    if (tally != NULL && pmc_register_reloads(&pmc_system.counter[n], tally->period)) {
        uint64_t passed = overflow->lost != 0 ? overflow->lost : 1;

        *count += passed * tally->period;
        pmc_register_account(cpu, n, tally, passed, overflow);
        return;
    }
    if (tally != NULL)
        pmc_register_fold_read(cpu, n, tally, count, overflow);
    if (tally == NULL || tally->period == 0) /* it is to overflow again */
        pmc_register_set_value(cpu, n, pmc_system.counter[n].half);
}

void pmc_overflow(const struct pmu_overflow *overflow)
{
    int n = pmc_register_number_of(overflow);
    struct pmc_cpu *cpu;

    if (n < 0 || pmc_system.cpus == NULL)
        return;
    cpu = pmc_cpu_here();
    if (__builtin_expect(overflow->lost == 0 && (cpu->kernel_mask >> n & 1) &&
                             pmc_register_reloads(&pmc_system.counter[n], cpu->kernel[n].period),
                         1))
        pmc_register_count_period(cpu, (unsigned)n, overflow);
    else
        pmc_register_overflow(cpu, (unsigned)n, overflow);
}
