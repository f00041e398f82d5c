/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a profile stands on: a counter with a period of N reports floor(events / N) overflows, each
 * at the instruction where it happened.
 */
#include <arch/interrupt_flag.h>
#include <sys/pmc.h>
#include "kernel/device/late.h"
#include "tests/kernel/selftest.h"
#include "kernel/base/symbol.h"
#include "lib/string.h"
#include "stats/pmc/pmu_class.h"
#include "stats/pmc/pmu_owner.h"

#define PERIOD  10000u
#define PERIODS 400u /* fewer than the ring of an emulated PMU holds */

static struct {
    uint64_t samples, outside, inexact;
    uint64_t stray; /* a place outside, for the report */
} seen;

/* Three instructions a turn on the PC, five on the Malta. */
static __attribute__((noinline, noclone)) void profile_spin(unsigned long turns)
{
    while (turns != 0) {
        turns--;
        __asm__ volatile("" : "+r"(turns));
    }
}

static void profile_overflow_take(const struct pmc_sample *sample)
{
    uintptr_t offset;
    const char *name = symbol_find((uintptr_t)sample->pc, &offset);

    if (sample->kernel || sample->l != curlwp)
        return;
    seen.samples += sample->count;
    if (!sample->known || !sample->exact)
        seen.inexact++;
    if (name == NULL || strcmp(name, "profile_spin") != 0) {
        seen.outside++;
        seen.stray = sample->pc;
    }
}

static const struct pmu_owner sampler = {.name = "profile-overflow",
                                         .sample = profile_overflow_take};

/* A counter of the first class that can count instructions; -1: there is none. */
static int find(pmc_evid_t *code)
{
    const struct pmu_class *class;
    int base;

    late_start();
    class = pmu_class_at(0, &base);
    if (class == NULL || (class->capabilities & PMU_VIRTUAL) != 0 ||
        (class->capabilities & PMU_EXACT_PC) == 0)
        return -1;
    for (unsigned i = 0; i < class->event_count; i++) {
        const struct pmu_event *event = &class->events[i];

        if (strcmp(event->name, "instructions") == 0 && event->supported) {
            *code = event->code;
            return base + __builtin_ctz(event->counters);
        }
    }
    return -1;
}

/* Interrupts are off meanwhile, so all that is counted is the loop, the calls around it, and that
 * they wait for a lock, if another CPU has it: every instruction of that is counted, too. */
static int run_counted(int ctr, unsigned long turns, uint64_t *value, uint64_t *overflows)
{
    uintptr_t state = interrupts_save();
    int result = pmc_enable_as(&sampler, curlwp, 1u << ctr, true);

    if (result == 0) {
        profile_spin(turns);
        pmc_enable_as(&sampler, curlwp, 1u << ctr, false);
        result = pmc_get_counter_value(curlwp, ctr, 0, value);
    }
    if (result == 0)
        result = pmc_get_overflows(curlwp, ctr, overflows);
    interrupts_restore(state);
    return result;
}

/* What TURNS count where nothing had to wait, so the least of some runs. */
static int profile_measure(int ctr, pmc_evid_t code, unsigned long turns, uint64_t *least)
{
    struct pmc_counter_cfg plain = {.event_id = code};
    uint64_t value, overflows;
    int result = 0;

    *least = UINT64_MAX;
    for (unsigned run = 0; run < 8 && result == 0; run++) {
        result = pmc_configure_as(&sampler, curlwp, ctr, &plain, NULL);
        if (result == 0)
            result = run_counted(ctr, turns, &value, &overflows);
        if (result == 0 && value < *least)
            *least = value;
    }
    return result;
}

/* The loop, sampled, in which PERIODS end, each LOOP events for 1000 turns; once more if it has
 * waited, which is far more than the CALLS around it. */
static int run_sampled(int ctr, const struct pmc_counter_cfg *sampled, uint64_t loop,
                       uint64_t calls, uint64_t *value, uint64_t *overflows)
{
    uint64_t turns = (PERIODS * PERIOD + PERIOD / 2) * 1000ull / loop;
    int result;

    for (unsigned run = 0; run < 10; run++) {
        seen.samples = seen.outside = seen.inexact = 0;
        result = pmc_configure_as(&sampler, curlwp, ctr, sampled, NULL);
        if (result == 0)
            result = run_counted(ctr, (unsigned long)turns, value, overflows);
        if (result != 0 || *value < PERIODS * PERIOD + PERIOD / 2 + 2 * calls)
            break;
    }
    return result;
}

SELFTEST_COUNTERS(profile_overflow, "profile-overflow",
                  "a counter with a period overflows floor(events / period) times, inside the loop")
{
    struct pmc_counter_cfg sampled = {.reset_value = PERIOD};
    uint64_t value = 0, overflows = 0, less = 0, more = 0;
    int ctr = find(&sampled.event_id), result;

    if (ctr < 0)
        return selftest_skip("there is no hardware PMU");
    result = profile_measure(ctr, sampled.event_id, 1000, &less);
    if (result == 0)
        result = profile_measure(ctr, sampled.event_id, 2000, &more);
    if (result == 0)
        result = run_sampled(ctr, &sampled, more - less, 2 * less - more, &value, &overflows);
    pmc_release_as(&sampler, curlwp, ctr);
    SELFTEST_EQUAL(result, 0);
    SELFTEST_EQUAL((more - less) % 1000, 0); /* whole instructions a turn */
    if (overflows != PERIODS || value / PERIOD != overflows)
        return selftest_fail("%lu overflows, not %u, of %lu events", (unsigned long)overflows,
                             PERIODS, (unsigned long)value);
    SELFTEST_EQUAL(seen.samples, overflows);
    SELFTEST_EQUAL(seen.inexact, 0);
    if (seen.outside != 0)
        return selftest_fail("%lu of %lu outside the loop, one at 0x%lx",
                             (unsigned long)seen.outside, (unsigned long)seen.samples,
                             (unsigned long)seen.stray);
    return 0;
}
