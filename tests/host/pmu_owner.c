/* SPDX-License-Identifier: BSD-2-Clause */
/* Who may have a counter: each pair of owners by a table worked out by hand; what a loser keeps. */
#include "stats/pmc/pmu_owner.h"

#include "lib/errno.h"
#include "tests/host/between.h"
#include "tests/host/pmc_check.h"

#include <quipu_host.h>
#include <stddef.h>
#include <string.h>

static struct lwp a, b, child;
static struct pmc_counter_cfg cycles = {HOST_PMU_CYCLES, 0, 0};
static struct pmu_refusal refusal;
static uint64_t lost_value[2], samples;
static struct lwp *loser;
static uint32_t lost_mask;
static unsigned losses;

static void note_loss(struct lwp *l, uint32_t mask)
{
    struct pmc_cpu_value value;

    loser = l;
    lost_mask = mask;
    losses++;
    for (unsigned cpu = 0; l == NULL && cpu < 2; cpu++) {
        pmc_get_lost_value(0, cpu, &value);
        lost_value[cpu] = value.value;
    }
}

static void note_sample(const struct pmc_sample *sample)
{
    samples += sample->count;
}

static const struct pmu_owner pmc = {.name = "pmc", .lost = note_loss};
static const struct pmu_owner set = {.name = "set", .lost = note_loss};
static const struct pmu_owner tprof = {.name = "tprof",
                                       .rank = PMU_RANK_PROFILE,
                                       .system = true,
                                       .profiles = true,
                                       .sample = note_sample,
                                       .lost = note_loss};
static const struct pmu_owner whole = {
    .name = "whole", .rank = PMU_RANK_SYSTEM, .system = true, .lost = note_loss};
static const struct pmu_owner mode = {.name = "mode", .rank = PMU_RANK_MODE, .system = true};

static void start(void)
{
    host_pmu_attach(
        &(struct host_pmu){.counters = 2, .width = 32, .interrupts = true, .swaps = true});
    a = b = child = (struct lwp){0};
    losses = 0;
    samples = 0;
    lost_mask = 0;
    loser = NULL;
    host_pmu_switch(0, &a);
}

static int take(const struct pmu_owner *owner, int ctr, enum pmu_how how)
{
    struct pmc_counter_cfg cfg = {HOST_PMU_CYCLES, owner->profiles ? 10 : 0, 0};

    return pmc_take(owner, 1u << ctr, &cfg, how, &refusal);
}

static int get(const struct pmu_owner *owner, struct lwp *l)
{
    return owner->system ? take(owner, 0, PMU_IF_FREE)
                         : pmc_configure_as(owner, l, 0, &cycles, &refusal);
}

static int give(const struct pmu_owner *owner, struct lwp *l)
{
    return owner->system ? pmc_give(owner, 0) : pmc_release_as(owner, l, 0);
}

static void count_on(const struct pmu_owner *owner, struct lwp *l, int ctr)
{
    GIVES(pmc_configure_as(owner, l, ctr, &cycles, NULL), 0);
    GIVES(pmc_enable_as(owner, l, 1u << ctr, true), 0);
}

static uint64_t value(struct lwp *l, int ctr)
{
    uint64_t count = UINT64_MAX;

    GIVES(pmc_get_counter_value(l, ctr, 0, &count), 0);
    return count;
}

/*
 * Whoever has the counter (a row) and whoever asks for it (a column): 1 gets it. Threads share with
 * other threads, but not one owner with another in the same thread; the system's share with nobody.
 */
static const struct asker {
    const struct pmu_owner *owner;
    struct lwp *l;
} askers[] = {{&pmc, &a}, {&pmc, &b}, {&set, &a}, {&set, &b}, {&tprof, NULL}, {&whole, NULL}};
static const char *const granted[] = {
    "110100", /* pmc of a; itself again: configured anew */
    "111000", /* pmc of b */
    "011100", /* set of a */
    "101100", /* set of b */
    "000000", /* tprof */
    "000000", /* the whole system */
};
#define ASKERS 6

TEST(pmu_owners_grants_by_hand)
{
    for (unsigned has = 0; has < ASKERS; has++)
        for (unsigned asks = 0; asks < ASKERS; asks++) {
            const struct asker *holder = &askers[has], *asker = &askers[asks];
            bool gets = granted[has][asks] == '1';

            start();
            GIVES(get(holder->owner, holder->l), 0);
            CHECK(pmu_owner_refused(asker->owner, asker->l, 0, &refusal) == !gets);
            GIVES(get(asker->owner, asker->l), gets ? 0 : EBUSY);
            CHECK(refusal.counter == 0);
            CHECK(refusal.holder == (gets ? NULL : holder->owner));
            if (!gets && holder->owner != asker->owner)
                CHECK(give(asker->owner, asker->l) == EBUSY || asker->l != holder->l);
            GIVES(give(holder->owner, holder->l), 0);
            if (gets && holder != asker)
                GIVES(give(asker->owner, asker->l), 0);
            GIVES(take(&whole, 0, PMU_IF_FREE), 0); /* nothing is left behind */
            GIVES(pmc_give(&whole, 0), 0);
            GIVES(losses, 0);
        }
}

/* By force: only from a lower rank. Threads that do not run: from them by PMU_IF_IDLE too. */
TEST(pmu_owners_force_by_hand)
{
    static const struct pmu_owner *const takers[] = {&tprof, &whole, &mode};
    static const char *const forced[] = {"111", "111", "111", "111", "011", "001"};

    for (unsigned has = 0; has < ASKERS; has++)
        for (unsigned t = 0; t < 3; t++) {
            const struct asker *holder = &askers[has];
            bool gets = forced[has][t] == '1';

            start();
            GIVES(get(holder->owner, holder->l), 0);
            GIVES(take(takers[t], 0, PMU_BY_FORCE), gets ? 0 : EBUSY);
            CHECK(refusal.holder == (gets ? NULL : holder->owner));
            if (gets)
                GIVES(give(holder->owner, holder->l), holder->l != NULL ? 0 : EBUSY);
            GIVES(pmc_give(gets ? takers[t] : holder->owner, 0), holder->l && !gets ? ENXIO : 0);
        }
}

TEST(pmu_owners_of_one_thread_leave_each_other_alone)
{
    start();
    count_on(&set, &a, 0);
    GIVES(pmc_enable_counter(&a, 0), EBUSY);
    GIVES(pmc_disable_counter(&a, 0), EBUSY);
    GIVES(pmc_release_counter(&a, 0), EBUSY);
    GIVES(pmc_configure_counter(&a, 0, &cycles), EBUSY);
    host_pmu_count(0, 0, 7);
    GIVES(value(&a, 0), 7); /* looking is free */
    GIVES(pmc_fork(&a, &child), 0);
    GIVES(pmc_enable_as(&pmc, &child, 1, false), EBUSY); /* it has inherited the owner too */
    GIVES(pmc_enable_as(&set, &child, 1, false), 0);
    pmc_process_exit(&child);
    GIVES(pmc_release_as(&set, &a, 0), 0);
}

/* The loser runs on CPU 0, and has counted until the very event. */
TEST(pmu_owners_takeover_is_exact)
{
    start();
    count_on(&pmc, &a, 0);
    count_on(&pmc, &a, 1);
    count_on(&set, &b, 0);
    GIVES(pmc_generation(&a), 1);
    host_pmu_count(0, 0, 100);
    host_pmu_switch(1, &b);
    host_pmu_count(1, 0, 33);
    host_pmu_switch(1, NULL);
    host_pmu_count(1, 0, 500); /* goes on running for nobody */
    CHECK(pmu_owner_taker(0) == NULL);
    GIVES(take(&mode, 0, PMU_BY_FORCE), 0);
    CHECK(pmu_owner_taker(0) == &mode && pmu_owner_taker(1) == NULL);
    CHECK(losses == 1 && loser == &a && lost_mask == 1); /* b is told when it is back */
    host_pmu_count(0, 0, 11);
    host_pmu_count(0, 1, 4);
    host_pmu_switch(1, &b);
    CHECK(losses == 2 && loser == &b && lost_mask == 1);
    host_pmu_count(1, 0, 22);
    GIVES(value(&a, 0), 100);
    GIVES(value(&b, 0), 33);
    GIVES(value(&a, 1), 4); /* the other counter is its own still */
    GIVES(value(NULL, 0), 33);
    GIVES(pmc_generation(&a), 2);
    GIVES(pmc_generation(&b), 2);
    GIVES(pmc_generation(&child), 1);
    GIVES(pmc_generation(NULL), 2);
    GIVES(pmc_enable_as(&pmc, &a, 1, true), EBUSY);
    GIVES(pmc_give(&mode, 0), 0);
    host_pmu_count(0, 0, 1000);
    GIVES(pmc_enable_as(&pmc, &a, 1, true), ENXIO); /* it must ask anew */
    CHECK(!pmc_counter_isconfigured(&a, 0) && pmc_counter_isconfigured(&a, 1));
    GIVES(value(&a, 0), 100);
    count_on(&pmc, &a, 0);
    host_pmu_count(0, 0, 5);
    GIVES(value(&a, 0), 5);
    GIVES(value(&b, 0), 33);
    GIVES(pmc_generation(&a), 2);
    GIVES(losses, 2);
}

/* A period's remainder goes with the count: floor(events / period) overflows until then. */
TEST(pmu_owners_lost_samples_are_all_reported)
{
    struct pmc_cpu_value unused;

    start();
    GIVES(take(&tprof, 0, PMU_IF_FREE), 0);
    CHECK(pmu_owner_taker(0) == NULL); /* from nobody */
    host_pmu_count(0, 0, 45);
    host_pmu_count(1, 0, 29);
    GIVES(take(&mode, 0, PMU_BY_FORCE), 0);
    GIVES(samples, 6);
    CHECK(losses == 1 && loser == NULL && lost_mask == 1);
    GIVES(lost_value[0], 45);
    GIVES(lost_value[1], 29);
    host_pmu_count(0, 0, 100);
    GIVES(samples, 6);
    GIVES(value(NULL, 0), 100);
    GIVES(pmc_give(&tprof, 0), EBUSY);
    GIVES(pmc_give(&mode, 0), 0);
    GIVES(pmc_give(&tprof, 0), ENXIO);
    GIVES(pmc_get_cpu_value(0, 0, &unused), ENXIO);
}

TEST(pmu_owners_idle_threads_give_way)
{
    start();
    count_on(&pmc, &a, 0);
    host_pmu_count(0, 0, 9);
    GIVES(take(&whole, 0, PMU_IF_IDLE), EBUSY);
    CHECK(refusal.holder == &pmc);
    GIVES(pmc_generation(&a), 1);
    host_pmu_switch(0, NULL);
    GIVES(take(&whole, 0, PMU_IF_FREE), EBUSY);
    GIVES(take(&whole, 0, PMU_IF_IDLE), 0);
    host_pmu_switch(0, &a);
    host_pmu_count(0, 0, 1);
    GIVES(value(&a, 0), 9);
    GIVES(pmc_generation(&a), 2);
    GIVES(take(&mode, 0, PMU_IF_IDLE), EBUSY); /* not from the system */
    CHECK(refusal.holder == &whole);
    GIVES(pmc_give(&whole, 0), 0);
}

/* All or none. */
TEST(pmu_owners_take_several_or_none)
{
    struct pmc_counter_cfg two[] = {{HOST_PMU_CYCLES, 0, 0}, {HOST_PMU_CYCLES, 0, 0}};

    start();
    count_on(&pmc, &a, 0);
    GIVES(take(&mode, 1, PMU_IF_FREE), 0);
    GIVES(pmc_take(&whole, 3, two, PMU_BY_FORCE, &refusal), EBUSY);
    CHECK(refusal.counter == 1 && refusal.holder == &mode);
    two[1].event_id = 0xdead;
    GIVES(pmc_give(&mode, 1), 0);
    GIVES(pmc_take(&whole, 3, two, PMU_BY_FORCE, &refusal), ENODEV);
    CHECK(refusal.counter == 1 && refusal.holder == NULL);
    GIVES(pmc_take(&whole, 4, two, PMU_BY_FORCE, &refusal), EINVAL);
    host_pmu_count(0, 0, 3);
    GIVES(value(&a, 0), 3);
    GIVES(pmc_generation(&a), 1);
    GIVES(pmc_generation(NULL), 2);
}

/* A thread's end, also of one that has lost, leaves its counter free. */
TEST(pmu_owners_end_with_their_thread)
{
    start();
    count_on(&pmc, &a, 0);
    count_on(&set, &b, 0);
    host_pmu_switch(0, NULL);
    host_pmu_switch(0, &a);
    GIVES(take(&whole, 0, PMU_IF_FREE), EBUSY);
    pmc_process_exit(&a);
    host_pmu_switch(0, &b);
    GIVES(take(&whole, 0, PMU_IF_FREE), EBUSY);
    GIVES(take(&mode, 0, PMU_BY_FORCE), 0);
    pmc_process_exit(&b);
    GIVES(pmc_give(&mode, 0), 0);
    GIVES(take(&whole, 0, PMU_IF_FREE), 0);
    GIVES(pmc_give(&whole, 0), 0);
    GIVES(PMC_ENABLED(&a), 0);
    host_pmu_switch(0, NULL);
    host_pmu_tick(0);
    CHECK(!host_pmu_active(0));
}

/* What a parent has lost is still counted for its own parent, and its child counts on nothing. */
TEST(pmu_owners_losers_inherit_nothing)
{
    uint64_t children = 0;

    start();
    count_on(&pmc, &b, 0);
    count_on(&pmc, &a, 0);
    host_pmu_count(0, 0, 40);
    GIVES(take(&mode, 0, PMU_BY_FORCE), 0);
    GIVES(pmc_fork(&a, &child), 0);
    CHECK(child.l_pmc == NULL);
    GIVES(pmc_accumulate(&b, &a), 0);
    GIVES(pmc_get_counter_value(&b, 0, PMC_VALUE_FLAGS_CHILDREN, &children), 0);
    GIVES(children, 40);
    GIVES(pmc_give(&mode, 0), 0);
}

TEST(pmu_owners_of_samples)
{
    start();
    GIVES(pmu_samples_take(&tprof, true, &refusal), 0);
    GIVES(pmu_samples_take(&tprof, false, &refusal), EBUSY);
    CHECK(refusal.holder == &tprof && refusal.counter == -1);
    pmu_samples_give(&whole); /* not its own */
    GIVES(pmu_samples_take(&whole, false, &refusal), EBUSY);
    pmu_samples_give(&tprof);
    GIVES(pmc_claim(), 0);
    GIVES(pmu_samples_take(&tprof, true, &refusal), 0); /* the claim is the caller's */
    pmu_samples_give(&tprof);
    host_pmu_switch(0, &b);
    GIVES(pmu_samples_take(&tprof, true, &refusal), EBUSY);
    CHECK(strcmp(refusal.holder->name, "selftest") == 0);
    GIVES(take(&mode, 0, PMU_BY_FORCE), EBUSY);
    CHECK(strcmp(refusal.holder->name, "selftest") == 0);
    GIVES(pmu_samples_take(&tprof, false, &refusal), 0); /* the clock is nobody's counter */
    pmu_samples_give(&tprof);
    pmc_unclaim();
}

static int forced;

static void force(void)
{
    forced = take(&mode, 0, PMU_BY_FORCE);
}

/* In the middle of giving it back: the next who wants it by force gets it, and counts. */
TEST(pmu_owners_taken_while_released)
{
    start();
    host_pmu_switch(1, &b);
    count_on(&pmc, &b, 0);
    host_pmu_count(1, 0, 5);
    forced = -1;
    between_locks(force);
    GIVES(pmc_release_as(&pmc, &b, 0), 0);
    GIVES(forced, 0);
    host_pmu_count(1, 0, 10);
    GIVES(value(NULL, 0), 10);
    GIVES(pmc_give(&mode, 0), 0);
    GIVES(take(&whole, 0, PMU_IF_FREE), 0);
    GIVES(pmc_give(&whole, 0), 0);
}
