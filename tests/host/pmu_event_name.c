/* SPDX-License-Identifier: BSD-2-Clause */
/* Events as they are asked for on a command line, and the counters that they get. */
#include "stats/read/pmu_event_name.h"

#include "lib/errno.h"
#include "stats/read/pmu_plan.h"
#include "tests/host/test.h"

#include <quipu_host.h>

#include <string.h>

/* As an R10000's: cycles and instructions on either counter, by different numbers. */
static const struct pmu_event r10k_events[] = {
    {"cycles", "cycles", 0, 1, PMU_EXACT, true, PMU_ITS_OWN},
    {"branches-resolved", "conditional branches resolved", 6, 1, PMU_EXACT, true, PMU_ITS_OWN},
    {"ecc", "single-bit errors", 8, 1, PMU_ALWAYS_ZERO, true, PMU_ITS_OWN},
    {"instructions", "instructions graduated", 15, 1, PMU_EXACT, true, PMU_ITS_OWN},
    {"cycles", "cycles", 16, 2, PMU_EXACT, true, PMU_ITS_OWN},
    {"instructions", "instructions graduated", 17, 2, PMU_EXACT, true, PMU_ITS_OWN},
    {"branch-misses", "branches mispredicted", 24, 2, PMU_MODELLED, true, PMU_ITS_OWN},
    {"L1-dcache-misses", "D-cache misses", 25, 2, PMU_MODELLED, true, PMU_ITS_OWN},
    {"upgrades", "upgrade requests", 30, 2, PMU_MODELLED, false, PMU_ITS_OWN},
};
static const struct pmu_event soft_events[] = {
    {"context-switches", "thread switches", 0x10000, 15, PMU_EXACT, true, PMU_ITS_OWN},
    {"interrupts", "interrupts", 0x10001, 15, PMU_EXACT, true, PMU_ITS_OWN},
};
static const struct pmu_class r10k = {.name = "r10k",
                                      .counters = 2,
                                      .width = 32,
                                      .modes = PMC_MODE_ALL,
                                      .events = r10k_events,
                                      .event_count = 9};
static const struct pmu_class soft = {
    .name = "soft", .counters = 4, .width = 64, .events = soft_events, .event_count = 2};

static struct pmu_event_request list[PMU_EVENTS_MAX];
static struct pmu_event_error error;

static void attach(void)
{
    host_pmu_detach();
    pmu_attach(&r10k);
    pmu_attach(&soft);
}

TEST(pmu_event_names)
{
    attach();
    CHECK(pmu_event_list("cycles,instructions:u,r10k.25,context-switches", list, 4, &error) == 4);
    CHECK_TEXT(list[0].text, "cycles");
    CHECK(list[0].choice_count == 2 && list[0].class == &r10k && list[0].modes == 0);
    CHECK(list[0].choices[0]->code == 0 && list[0].choices[1]->code == 16);
    CHECK(list[0].role == PMC_STAT_CYCLES);
    CHECK_TEXT(list[1].text, "instructions:u");
    CHECK(list[1].modes == PMC_MODE_U && list[1].role == PMC_STAT_INSTRUCTIONS);
    CHECK(list[2].choice_count == 1 && list[2].choices[0]->code == 25);
    CHECK(list[2].base == 0);
    CHECK(list[3].class == &soft && list[3].base == 2);
}

TEST(pmu_event_numbers_and_aliases)
{
    attach();
    CHECK(pmu_event_list("25,0x19,r10k.0x19,soft.1,soft.0x10001,r10k.ecc,ins-retired,cs", list, 16,
                         &error) == 8);
    for (unsigned i = 0; i < 3; i++)
        CHECK(list[i].choice_count == 1 && list[i].choices[0]->code == 25);
    CHECK(list[3].choices[0]->code == 0x10001);
    CHECK(list[4].choices[0]->code == 0x10001);
    CHECK(list[5].choices[0]->code == 8);
    CHECK(list[6].choices[0]->code == 15 && list[6].role == PMC_STAT_INSTRUCTIONS);
    CHECK(list[7].choices[0]->code == 0x10000);
    CHECK(pmu_event_list("task-clock,cpu-migrations", list, 16, &error) == 2);
    CHECK(list[0].kind == PMU_EVENT_CLOCK && list[0].role == PMC_STAT_TASK_CLOCK);
    CHECK(list[1].kind == PMU_EVENT_MIGRATIONS);
}

TEST(pmu_event_modes)
{
    attach();
    CHECK(pmu_event_list("cycles:k,cycles:uk,cycles:usk,cycles:s,cycles:e", list, 16, &error) == 5);
    CHECK_EQUAL(list[0].modes, PMC_MODE_K | PMC_MODE_EXL);
    CHECK_EQUAL(list[1].modes, PMC_MODE_U | PMC_MODE_K | PMC_MODE_EXL);
    CHECK_EQUAL(list[2].modes, 0);
    CHECK_EQUAL(list[3].modes, PMC_MODE_S);
    CHECK_EQUAL(list[4].modes, PMC_MODE_EXL);
    /* soft tells no modes apart: it can count none of them alone */
    CHECK(pmu_event_list("interrupts:u", list, 16, &error) == 1);
    CHECK(list[0].choice_count == 0);
}

TEST(pmu_event_without_hardware)
{
    host_pmu_detach();
    pmu_attach(&soft);
    CHECK(pmu_event_list("cycles,instructions:u,branch-misses,context-switches", list, 16,
                         &error) == 4);
    CHECK(list[0].choice_count == 0 && list[1].choice_count == 0 && list[2].choice_count == 0);
    CHECK(list[3].choice_count == 1);
    CHECK(list[3].base == 0);
}

/* A generic name is not given to what is only a part of it. */
TEST(pmu_event_of_its_own)
{
    attach();
    CHECK(pmu_event_list("branches,branch-instructions:u,r10k.branches-resolved,6", list, 16,
                         &error) == 4);
    CHECK(list[0].choice_count == 0 && list[0].role == PMC_STAT_BRANCHES);
    CHECK(list[1].choice_count == 0);
    CHECK(list[2].choice_count == 1 && list[2].role == PMC_STAT_CONDITIONAL);
    CHECK(list[3].choice_count == 1 && list[3].role == PMC_STAT_CONDITIONAL);
}

TEST(pmu_event_not_supported)
{
    attach();
    CHECK(pmu_event_list("upgrades,r10k.30", list, 16, &error) == 2);
    CHECK(list[0].choice_count == 0 && list[1].choice_count == 0);
    CHECK_TEXT(pmu_event_source(&r10k_events[8]), "<not supported>");
    CHECK_TEXT(pmu_event_source(&r10k_events[2]), "always zero");
}

static void refused(const char *text, const char *message)
{
    CHECK(pmu_event_list(text, list, 4, &error) == -1);
    CHECK_TEXT(error.text, message);
}

TEST(pmu_event_refusals)
{
    attach();
    refused("cycle", "unknown event \"cycle\"");
    CHECK(error.number == EINVAL);
    refused("", "unknown event \"\"");
    refused("cycles,", "unknown event \"\"");
    refused("cycles:", "no mode behind the colon of \"cycles\"");
    refused("cycles:x", "unknown mode (u, k, s, e) in \"x\"");
    refused("r10k.99", "unknown event \"r10k.99\"");
    refused("r10k.", "unknown event \"r10k.\"");
    refused("intel.0", "unknown event \"intel.0\"");
    refused("0x", "unknown event \"0x\"");
    refused("99999999999999999999999", "unknown event \"99999999999999999999999\"");
    refused("0,0,0,0,1", "too many events before \"1\"");
    CHECK(error.number == E2BIG);
    refused("a-name-that-is-longer-than-any-event-could-ever-be-named",
            "too long a name \"a-name-that-is-longer-than-any-event-could-ever-be-named\"");
}

/* As a counted event whose class has no modes. */
TEST(pmu_event_of_threads_in_a_mode)
{
    attach();
    CHECK(pmu_event_list("task-clock:u,cpu-migrations:k,interrupts:k,cpu-clock:uk", list, 4,
                         &error) == 4);
    for (unsigned e = 0; e < 3; e++)
        CHECK(list[e].kind == PMU_EVENT_COUNTED && list[e].choice_count == 0 &&
              list[e].no_such_modes);
    CHECK(list[3].kind == PMU_EVENT_CLOCK && !list[3].no_such_modes);
}

TEST(pmu_event_periods)
{
    attach();
    CHECK(pmu_event_sampled("cycles:uk,1000", list, &error) == 0);
    CHECK_EQUAL(list[0].period, 1000);
    CHECK_TEXT(list[0].text, "cycles:uk");
    CHECK(pmu_event_sampled("r10k.25=0x10", list, &error) == 0);
    CHECK_EQUAL(list[0].period, 16);
    CHECK(pmu_event_sampled("cpu-clock", list, &error) == 0);
    CHECK(list[0].kind == PMU_EVENT_CLOCK && list[0].period == 0);
    CHECK(pmu_event_sampled("cycles,0", list, &error) == -1);
    CHECK_TEXT(error.text, "bad period \"0\"");
    CHECK(pmu_event_sampled("cycles,", list, &error) == -1);
    CHECK(pmu_event_sampled("cycles,5x", list, &error) == -1);
}

TEST(pmu_event_on_a_counter)
{
    attach();
    CHECK(pmu_event_list("cycles@1,cycles:u@0,interrupts@5", list, 4, &error) == 3);
    CHECK(list[0].counter == 1 && list[0].choice_count == 1 && list[0].choices[0]->code == 16);
    CHECK(list[1].counter == 0 && list[1].modes == PMC_MODE_U);
    CHECK(list[2].counter == 5);
    refused("r10k.25@0", "this event cannot be held by counter \"0\"");
    CHECK(error.number == ENODEV);
    refused("interrupts@1", "this event cannot be held by counter \"1\"");
    refused("cycles@6", "no such counter: \"6\"");
    CHECK(error.number == EINVAL);
    refused("cycles@", "no such counter: \"\"");
    refused("cycles@-1", "no such counter: \"-1\"");
}

TEST(pmu_event_aliases)
{
    CHECK_TEXT(pmu_event_alias("instructions", 0), "ins-retired");
    CHECK(pmu_event_alias("instructions", 2) == NULL && pmu_event_alias("x", 0) == NULL);
}

static struct pmu_plan plan;

static int planned(const char *text, uint32_t free)
{
    int count = pmu_event_list(text, list, PMU_EVENTS_MAX, &error);

    CHECK(count > 0);
    return pmu_plan_make(&plan, list, (unsigned)count, free);
}

/* The counters that events have in a turn, such as "01-". */
static const char *turn(unsigned number, unsigned count)
{
    static char text[PMU_EVENTS_MAX + 1];

    for (unsigned e = 0; e < count; e++) {
        int counter = pmu_plan_assignment(&plan, list, number, e).counter;

        text[e] = counter < 0 ? '-' : (char)('0' + counter);
    }
    text[count] = '\0';
    return text;
}

TEST(pmu_plan_moves_what_can_move)
{
    attach();
    CHECK(planned("cycles,branches-resolved", 0x3f) == -1);
    CHECK(plan.slices == 1);
    CHECK_TEXT(turn(0, 2), "10"); /* cycles make room on counter 0 */
    CHECK_EQUAL(pmu_plan_assignment(&plan, list, 0, 0).code, 16);
    CHECK(planned("cycles,branch-misses,context-switches,interrupts", 0x3f) == -1);
    CHECK(plan.slices == 1);
    CHECK_TEXT(turn(0, 4), "0123");
}

TEST(pmu_plan_takes_turns)
{
    attach();
    CHECK(planned("cycles,instructions,branches-resolved,branch-misses,cs", 0x3f) == -1);
    CHECK(plan.slices == 2);
    CHECK_TEXT(turn(0, 5), "01--2");
    CHECK_TEXT(turn(1, 5), "--012");
    CHECK(planned("branches-resolved,ecc,cycles", 0x3f) == -1);
    CHECK(plan.slices == 2);
    CHECK_TEXT(turn(0, 3), "0-1");
    CHECK_TEXT(turn(1, 3), "-01"); /* cycles go on: nobody else wants that counter */
}

TEST(pmu_plan_with_busy_counters)
{
    attach();
    CHECK(planned("cycles,branches-resolved", 0x3e) == 1);
    CHECK(planned("cycles", 0x3e) == -1);
    CHECK_TEXT(turn(0, 1), "1");
    CHECK(planned("interrupts@4,context-switches@4,cycles@1", 0x3f) == -1);
    CHECK(plan.slices == 2);
    CHECK_TEXT(turn(0, 3), "4-1");
    CHECK_TEXT(turn(1, 3), "-41");
    CHECK(planned("cycles,task-clock,upgrades", 0) == 0);
    CHECK(planned("task-clock,upgrades", 0) == -1);
    CHECK_EQUAL(plan.slices, 0);
}
