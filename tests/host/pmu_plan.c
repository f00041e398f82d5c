/* SPDX-License-Identifier: BSD-2-Clause */
/* Slices of more events than counters: what each one's share must be is worked out here by trying
 * every set of counters. */
#include "stats/read/pmu_plan.h"

#include "tests/host/test.h"

#include <stdio.h>
#include <string.h>

#define INTEL_CTRS   7u
#define SOFT_CTRS    4u
#define SOFT_BASE(c) ((int)(c)->counters)

static const struct pmu_class r10k = {.name = "r10k", .counters = 2, .width = 32};
static const struct pmu_class intel = {.name = "intel", .counters = INTEL_CTRS, .width = 48};
static const struct pmu_class soft = {.name = "soft", .counters = SOFT_CTRS, .width = 64};

/* As the machines have them: on an R10000 an event has a number on each counter. */
static const struct pmu_event r10k_events[] = {
    {.name = "left", .code = 6, .counters = 1},
    {.name = "right", .code = 25, .counters = 2},
    {.name = "either", .code = 0, .counters = 1},
    {.name = "either", .code = 16, .counters = 2},
};
static const struct pmu_event intel_events[] = {
    {.name = "branches", .code = 0xc4, .counters = 0x0f},
    {.name = "instructions", .code = 0xc0, .counters = 0x1f},
    {.name = "cycles", .code = 0x3c, .counters = 0x2f},
    {.name = "ref-cycles", .code = 0x13c, .counters = 0x4f},
};
static const struct pmu_event soft_event = {
    .name = "interrupts", .code = 0x10001, .counters = 0x0f};

static struct pmu_event_request list[PMU_EVENTS_MAX];
static unsigned counters[PMU_EVENTS_MAX]; /* that each may have */
static unsigned length;
static struct pmu_plan plan;

static void ask(const struct pmu_class *class, int base, const struct pmu_event *event,
                unsigned choices, int pinned)
{
    struct pmu_event_request *request = &list[length];

    *request = (struct pmu_event_request){
        .class = class, .base = base, .choice_count = choices, .counter = pinned};
    counters[length] = 0;
    for (unsigned c = 0; c < choices; c++) {
        request->choices[c] = &event[c];
        counters[length] |= event[c].counters << base;
    }
    if (pinned >= 0)
        counters[length] &= 1u << pinned;
    length++;
}

/* One letter an event: l(eft), r(ight), e(ither) of the R10000; b(ranches), i(nstructions),
 * c(ycles), f (reference cycles), 0 (branches on counter 0) of Intel; s(oft), behind either. */
static void lay_out(const char *letters, const struct pmu_class *first)
{
    length = 0;
    for (; *letters; letters++) {
        switch (*letters) {
        case 'l':
            ask(&r10k, 0, &r10k_events[0], 1, -1);
            break;
        case 'r':
            ask(&r10k, 0, &r10k_events[1], 1, -1);
            break;
        case 'e':
            ask(&r10k, 0, &r10k_events[2], 2, -1);
            break;
        case '0':
            ask(&intel, 0, &intel_events[0], 1, 0);
            break;
        case 's':
            ask(&soft, SOFT_BASE(first), &soft_event, 1, -1);
            break;
        default:
            ask(&intel, 0, &intel_events[strchr("bicf", *letters) - "bicf"], 1, -1);
        }
    }
}

static int counter_in(unsigned slice, unsigned event)
{
    return pmu_plan_assignment(&plan, list, slice, event).counter;
}

struct share {
    unsigned of, in; /* so many slices of so many */
};

/* The events that can have nothing but COUNTERS outside those that are gone. */
static unsigned confined(unsigned set, unsigned gone, unsigned todo)
{
    unsigned number = 0;

    for (unsigned e = 0; e < length; e++)
        number += (todo >> e & 1) && (counters[e] & ~gone & ~set) == 0;
    return number;
}

/* The fairest shares: nobody's can grow but at the cost of one who has no more. The counters most
 * in demand are shared out to those who can have no other, then the rest in the same way. */
static void fairest(struct share share[PMU_EVENTS_MAX], unsigned free)
{
    unsigned todo = (1u << length) - 1, gone = ~free, best, best_of, best_in;

    while (todo != 0) {
        best = best_in = 0;
        best_of = 1;
        for (unsigned set = free & ~gone; set != 0; set = (set - 1) & free & ~gone) {
            unsigned in = confined(set, gone, todo);
            unsigned of = (unsigned)__builtin_popcount(set);

            if (in > 0 && (best == 0 || of * best_in < best_of * in)) {
                best = set;
                best_of = of;
                best_in = in;
            }
        }
        if (best_of >= best_in)
            best_of = best_in = 1;
        for (unsigned e = 0; e < length; e++) {
            if (!(todo >> e & 1) || (best_in > 1 && (counters[e] & ~gone & ~best) != 0))
                continue;
            share[e] = (struct share){best_of, best_in};
            todo &= ~(1u << e);
        }
        gone |= best;
    }
}

/* Every counter has one event at most, of those that it can hold. */
static bool possible(unsigned slice, unsigned free)
{
    unsigned held = 0;

    for (unsigned e = 0; e < length; e++) {
        int counter = counter_in(slice, e);

        if (counter < 0)
            continue;
        if ((held | ~free | ~counters[e]) >> counter & 1)
            return false;
        held |= 1u << counter;
    }
    return true;
}

/* In SLICES slices, which come again and again, the event has its share, and never waits longer
 * than one has to for such a share. */
static bool fair(unsigned event, struct share share, unsigned slices)
{
    unsigned had = 0, waited = 0, longest = 0;

    for (unsigned slice = 0; slice < 2 * slices; slice++) {
        if (counter_in(slice, event) < 0) {
            waited++;
            continue;
        }
        had++;
        longest = waited > longest ? waited : longest;
        waited = 0;
    }
    return had * share.in == 2 * slices * share.of &&
           longest <= (share.in + share.of - 1) / share.of - 1;
}

static bool is_fair(const char *letters, const struct pmu_class *first, unsigned free,
                    unsigned slices)
{
    struct share share[PMU_EVENTS_MAX];

    lay_out(letters, first);
    if (pmu_plan_make(&plan, list, length, free) != -1)
        return false;
    fairest(share, free);
    slices = slices ? slices : plan.slices;
    for (unsigned slice = 0; slice < slices; slice++)
        if (!possible(slice, free))
            return false;
    for (unsigned e = 0; e < length; e++) {
        if (!fair(e, share[e], slices)) {
            printf("%s: event %u should have %u of %u\n", letters, e, share[e].of, share[e].in);
            return false;
        }
    }
    return true;
}

/* All lists of LETTERS with up to MOST events; SORTED: one for all orders of the same. */
static unsigned unfair_lists(const char *letters, unsigned most, bool sorted,
                             const struct pmu_class *first, unsigned free)
{
    unsigned kinds = (unsigned)strlen(letters), unfair = 0, digit[PMU_EVENTS_MAX];
    char text[PMU_EVENTS_MAX + 1];

    for (unsigned count = 1; count <= most; count++) {
        unsigned d = 0;

        memset(digit, 0, sizeof digit);
        while (d < count) {
            for (unsigned e = 0; e < count; e++)
                text[e] = letters[digit[e]];
            text[count] = '\0';
            unfair += !is_fair(text, first, free, 0);
            for (d = 0; d < count && ++digit[d] == kinds; d++)
                digit[d] = 0;
            for (unsigned e = d; sorted && d < count && e-- > 0;)
                digit[e] = digit[d];
        }
    }
    return unfair;
}

/* Worked out by hand. */
TEST(pmu_plan_shares)
{
    static const struct {
        const char *letters;
        unsigned slices;
        const char *shares; /* slices that each one has */
    } lists[] = {
        {"eelr", 2, "1111"},   /* cycles,instructions,branches,branch-misses */
        {"eell", 2, "1111"},   /* not cycles all the time and the others a third */
        {"elll", 3, "3111"},   /* counter 1 is wanted by nobody else */
        {"eelll", 6, "33222"}, /* 2 share one, 3 the other */
        {"eeelr", 5, "22222"}, /* 5 want two */
        {"lrrr", 3, "3111"},         {"llrrr", 6, "33222"},
        {"icfbbbb", 1, "1111111"},   /* each has its counter */
        {"icfbbbbb", 5, "55544444"}, /* 5 want the general ones */
        {"iiicbbbb", 7, "55575555"}, /* 7 want these and the one for instructions */
        {"0000b", 4, "11114"},       /* a counter chosen by number */
    };

    for (unsigned n = 0; n < sizeof lists / sizeof *lists; n++) {
        lay_out(lists[n].letters, NULL);
        CHECK(pmu_plan_make(&plan, list, length, 0x7f) == -1);
        for (unsigned e = 0; e < length; e++) {
            unsigned had = 0;

            for (unsigned slice = 0; slice < 420; slice++)
                had += counter_in(slice, e) >= 0;
            if (had * lists[n].slices != 420 * (unsigned)(lists[n].shares[e] - '0'))
                printf("%s: event %u has %u of 420\n", lists[n].letters, e, had);
            CHECK_EQUAL(had * lists[n].slices, 420 * (unsigned)(lists[n].shares[e] - '0'));
        }
    }
}

TEST(pmu_plan_is_fair_on_an_r10000)
{
    CHECK_EQUAL(unfair_lists("ler", 7, false, NULL, 3), 0);
    CHECK_EQUAL(unfair_lists("ler", PMU_EVENTS_MAX, true, NULL, 3), 0);
    CHECK_EQUAL(unfair_lists("le", 8, false, NULL, 1), 0); /* the other is taken */
}

TEST(pmu_plan_is_fair_on_intel)
{
    CHECK_EQUAL(unfair_lists("bc0", 7, false, NULL, 0x7f), 0);
    CHECK_EQUAL(unfair_lists("bicf", 12, true, NULL, 0x7f), 0);
    CHECK_EQUAL(unfair_lists("bc", PMU_EVENTS_MAX, true, NULL, 0x7f), 0);
    CHECK_EQUAL(unfair_lists("bic", 10, true, NULL, 0x36), 0); /* two general and two fixed */
}

/* Those of one class do not wait for those of another. */
TEST(pmu_plan_is_fair_to_each_class)
{
    CHECK(is_fair("ellssssss", &r10k, 0x3f, 6));
    CHECK(is_fair("eelllsssssss", &r10k, 0x3f, 6 * 7));
    CHECK(is_fair("lllllllrrrrsssss", &r10k, 0x3f, 7 * 4 * 5));
    CHECK(is_fair("bbbbbbcsssss", &intel, 0x7ff, 3 * 5));
}
