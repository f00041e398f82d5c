/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests of overflows: every Nth instruction of a user's loop, at its exact address; each is
 * counted, if need be as lost; and they interrupt.
 */
#include <arch/interrupt_flag.h>
#include <sys/evcnt.h>
#include "kernel/cpu/preempt.h"
#include "kernel/time/clock.h"
#include "kernel/pmc/pmu_slot.h"
#include "tests/kernel/selftest.h"
#include "kernel/thread/thread.h"
#include "stats/pmc/pmu_owner.h"
#include "tests/kernel/pmu_measure.h"
#include "tests/kernel/until.h"

#define SAMPLES 600

/* The user's instructions in order: the stub's before the function, the loop, the rest. */
#ifdef __mips__
#define BEFORE     2u /* bal and its delay slot */
#define TURN       3u
#define ADDRESS(n) (USER_CODE + 4 * (n))
#define IN_LOOP(n) (USER_CODE + 64 + 4 * (n))
#else
#define BEFORE     1u /* call */
#define TURN       2u
#define ADDRESS(n) USER_CODE
#define IN_LOOP(n) (USER_CODE + 64 + 3 * (n))
#endif

static struct pmc_sample samples[SAMPLES];
static enum {
    OPEN,
    OFF,
    HIGH
} kept; /* while the user's code runs: the CPU's interrupts, or splhigh */
static unsigned taken;
static uint64_t all;             /* overflows that the samples stand for */
static const struct evcnt *line; /* with HIGH: where they interrupt; it has to come meanwhile */
static uint64_t taken_high, counted;

static void pmu_overflow_take(const struct pmc_sample *sample)
{
    all += sample->count;
    if (sample->known && taken < SAMPLES)
        samples[taken++] = *sample;
}

static const struct pmu_owner sampler = {.name = "a self-test",
                                         .rank = PMU_RANK_PROFILE,
                                         .system = true,
                                         .profiles = true,
                                         .sample = pmu_overflow_take};

static bool pmu_overflow_high(uint64_t turns)
{
    uint64_t before = evcnt_value(line), deadline = until_deadline();
    int level = splhigh();
    bool back = pmu_code_user(USER_MODE_USER, turns);

    while (evcnt_value(line) == before && clock_now() < deadline)
        cpu_relax();
    taken_high = all;
    splx(level);
    return back;
}

static bool pmu_overflow_off(uint64_t turns)
{
    uintptr_t state = interrupts_save();
    bool back = pmu_code_user(USER_MODE_USER, turns);

    interrupts_restore(state);
    return back;
}

/* Overflows that were taken or lost as the driver's counters have it. */
static uint64_t pmu_overflow_events(void)
{
    const struct evcnt *reported = evcnt_lookup("pmu", "overflows"),
                       *dropped = evcnt_lookup("pmu", "dropped");

    return (reported ? evcnt_value(reported) : 0) + (dropped ? evcnt_value(dropped) : 0);
}

/* Samples every PERIODth user instruction of TURNS turns. */
static int sample(uint64_t period, uint64_t turns)
{
    struct pmc_counter_cfg cfg = {CODE_INSTRUCTIONS, period, PMC_MODE_U};
    int result = pmc_take(&sampler, 1u << ON_INSTRUCTIONS, &cfg, PMU_IF_FREE, NULL);
    bool back;

    taken = 0;
    all = 0;
    if (result != 0)
        return result;
    if (kept == HIGH)
        back = pmu_overflow_high(turns);
    else if (kept == OFF)
        back = pmu_overflow_off(turns);
    else
        back = pmu_code_user(USER_MODE_USER, turns);
    result = pmc_get_counter_value(NULL, ON_INSTRUCTIONS, 0, &counted);
    pmc_give(&sampler, ON_INSTRUCTIONS);
    return back ? result : -1;
}

/* Where user instruction N (from 1 on) lies; 0: behind the loop. */
static uint64_t address_of(uint64_t n, uint64_t turns)
{
    if (n <= BEFORE)
        return ADDRESS(n - 1);
    n -= BEFORE + 1;
    return n < turns * TURN ? IN_LOOP(n % TURN) : 0;
}

/* Where the interrupt of instruction N comes, if it does at once: before the next one, but never
 * between a branch and its delay slot. */
static uint64_t interrupted_at(uint64_t n, uint64_t turns)
{
    uint64_t pc = address_of(n + 1, turns);

#ifdef __mips__
    if (pc == ADDRESS(BEFORE - 1) || pc == IN_LOOP(TURN - 1))
        pc = address_of(n + 2, turns);
#endif
    return pc;
}

static int check_samples(uint64_t period, uint64_t turns)
{
    bool exact = pmu_hardware()->capabilities & PMU_EXACT_PC;
    uint64_t events = CODE_USER_STUB + CODE_LOOP_TURN * turns + CODE_LOOP_MORE;
    uint64_t before = pmu_overflow_events(), more;
    int result = sample(period, turns);

    if (result != 0)
        return selftest_fail("period %lu: error %d", (unsigned long)period, result);
    if (all != events / period)
        return selftest_fail("period %lu: %lu overflows, not %lu", (unsigned long)period,
                             (unsigned long)all, (unsigned long)(events / period));
    more = pmu_overflow_events() - before;
    if (exact && more != all) /* else the register tells, and there are no records */
        return selftest_fail("period %lu: %lu overflows were counted, not %lu",
                             (unsigned long)period, (unsigned long)more, (unsigned long)all);
    if (counted != events)
        return selftest_fail("period %lu: %lu events, not %lu", (unsigned long)period,
                             (unsigned long)counted, (unsigned long)events);
    for (unsigned i = 0; i < taken && taken == all; i++) {
        uint64_t n = (i + 1) * period;
        uint64_t pc = exact ? address_of(n, turns) : interrupted_at(n, turns);

        if ((pc && samples[i].pc != pc) || samples[i].exact != exact || !samples[i].user)
            return selftest_fail("period %lu: overflow %u at 0x%lx, not 0x%lx",
                                 (unsigned long)period, i, (unsigned long)samples[i].pc,
                                 (unsigned long)pc);
    }
    return 0;
}

static int with_handler(int (*check)(void))
{
    int result;

    if (pmu_code_user_prepare(&pmu_code_loop, 0) != 0)
        return selftest_fail("no memory");
    preempt_disable();
    result = check();
    preempt_enable();
    pmu_code_user_done();
    return result;
}

static int check_exact(void)
{
    static const uint64_t periods[] = {1, 2, 3, 7, 100, 997};

    for (unsigned i = 0; i < sizeof periods / sizeof periods[0]; i++) {
        if (check_samples(periods[i], periods[i] * 50) != 0)
            return 1;
        SELFTEST_EQUAL(taken, all); /* the ring has room for them, so each was looked at */
    }
    return 0;
}

SELFTEST_COUNTERS_ONE_CPU(pmu_overflow, "pmu-overflow",
                          "every Nth instruction overflows, at its own address")
{
    if (!pmu_hardware() || !(pmu_hardware()->capabilities & PMU_EXACT_PC))
        return selftest_skip("no exact overflows");
    return with_handler(check_exact);
}

static int check_lost(void)
{
    const struct evcnt *dropped = evcnt_lookup("pmu", "dropped");
    uint64_t before = evcnt_value(dropped);
    int result;

    kept = OFF; /* nobody empties the ring */
    result = check_samples(1, 2000);
    kept = OPEN;
    if (result != 0)
        return result;
    SELFTEST_CHECK(taken < all);
    SELFTEST_EQUAL(evcnt_value(dropped) - before, all - taken);
    return 0;
}

SELFTEST_COUNTERS_ONE_CPU(pmu_lost, "pmu-lost", "overflows that found the ring full are counted")
{
    if (!pmu_hardware() || !(pmu_hardware()->capabilities & PMU_EXACT_PC))
        return selftest_skip("no exact overflows");
    return with_handler(check_lost);
}

static int check_interrupt(void)
{
    const struct evcnt *served = evcnt_lookup("pmu", "intr");
    uint64_t before = evcnt_value(served), deadline = until_deadline();

    while (evcnt_value(served) == before && clock_now() < deadline)
        if (check_samples(1000, 10000) != 0)
            return 1;
    SELFTEST_CHECK(evcnt_value(served) != before);
    return 0;
}

SELFTEST_COUNTERS_ONE_CPU(pmu_interrupt, "pmu-interrupt", "overflows interrupt")
{
    if (!pmu_hardware() || !evcnt_lookup("pmu", "intr"))
        return selftest_skip("no overflow interrupts");
    return with_handler(check_interrupt);
}

/* The line that stands until somebody serves it has to be kept off meanwhile. */
static int check_high(void)
{
    uint64_t came;
    int result;

    line = evcnt_lookup("pmu", "intr")->ev_parent;
    came = evcnt_value(line);
    kept = HIGH;
    result = check_samples(1000, 10000);
    kept = OPEN;
    if (result != 0)
        return result;
    SELFTEST_EQUAL(taken_high, 0);
    SELFTEST_CHECK(evcnt_value(line) > came); /* a tick, where they share its pin */
    return 0;
}

SELFTEST_COUNTERS_ONE_CPU(pmu_interrupt_high, "pmu-interrupt-high",
                          "overflows that interrupt at splhigh are served once it is over")
{
    if (!pmu_hardware() || !evcnt_lookup("pmu", "intr"))
        return selftest_skip("no overflow interrupts");
    return with_handler(check_high);
}
