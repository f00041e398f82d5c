/* SPDX-License-Identifier: BSD-2-Clause */
/* Attaching and detaching event counters the right way: fields, order, counts that stay or go. */
#include <sys/evcnt.h>

#include "tests/host/test.h"

#include <quipu_host.h>
#include <stddef.h>
#include <string.h>

/* Given to the linker child first, so that start-up has to look for the parent. */
static struct evcnt late_parent;
static struct evcnt early_child =
    EVCNT_INITIALIZER(EVCNT_TYPE_TRAP, &late_parent, "static", "child");
EVCNT_ATTACH_STATIC(early_child);
static struct evcnt late_parent = EVCNT_INITIALIZER(EVCNT_TYPE_TRAP, NULL, "static", "parent");
EVCNT_ATTACH_STATIC(late_parent);
static struct evcnt pair[2] = {
    EVCNT_INITIALIZER(EVCNT_TYPE_MISC, NULL, "static", "first"),
    EVCNT_INITIALIZER(EVCNT_TYPE_INTR, &pair[0], "static", "second"),
};
EVCNT_ATTACH_STATIC2(pair, 0);
EVCNT_ATTACH_STATIC2(pair, 1);

static bool stands_before(const struct evcnt *a, const struct evcnt *b)
{
    const struct evcnt *ev;

    TAILQ_FOREACH (ev, &allevents, ev_list) {
        if (ev == a)
            break;
        if (ev == b)
            return false;
    }
    for (; ev != NULL; ev = TAILQ_NEXT(ev, ev_list)) {
        if (ev == b)
            return true;
    }
    return false;
}

TEST(start_up_attaches_the_linker_set)
{
    CHECK(evcnt_lookup("static", "child") == &early_child);
    CHECK(evcnt_lookup("static", "parent") == &late_parent);
    CHECK(evcnt_lookup("static", "first") == &pair[0]);
    CHECK(evcnt_lookup("static", "second") == &pair[1]);
    CHECK(stands_before(&late_parent, &early_child));
    CHECK(stands_before(&pair[0], &pair[1]));
    evcnt_incr(&early_child);
    host_reset();
    CHECK_EQUAL(evcnt_value(&early_child), 0);
    CHECK(evcnt_lookup("static", "child") == &early_child);
}

TEST(structure_begins_as_published)
{
    CHECK_EQUAL(offsetof(struct evcnt, ev_count), 0);
    CHECK(offsetof(struct evcnt, ev_list) < offsetof(struct evcnt, ev_version));
    CHECK(offsetof(struct evcnt, ev_version) + 1 == offsetof(struct evcnt, ev_type));
    CHECK(offsetof(struct evcnt, ev_type) + 1 == offsetof(struct evcnt, ev_grouplen));
    CHECK(offsetof(struct evcnt, ev_grouplen) + 1 == offsetof(struct evcnt, ev_namelen));
    CHECK(offsetof(struct evcnt, ev_namelen) < offsetof(struct evcnt, ev_parent));
    CHECK(offsetof(struct evcnt, ev_parent) < offsetof(struct evcnt, ev_group));
    CHECK(offsetof(struct evcnt, ev_group) < offsetof(struct evcnt, ev_name));
    CHECK_EQUAL(EVCNT_STRING_MAX, 256);
    CHECK_EQUAL(EVCNT_TYPE_MISC, 0);
    CHECK_EQUAL(EVCNT_TYPE_INTR, 1);
    CHECK_EQUAL(EVCNT_TYPE_TRAP, 2);
    CHECK(EVCNT_TYPE_ANY == -1);
}

TEST(dynamic_fills_and_clears)
{
    static const char group[] = "group";
    static const char name[] = "a name";
    struct evcnt parent;
    struct evcnt ev;

    memset(&parent, 0xff, sizeof parent);
    memset(&ev, 0xa5, sizeof ev);
    evcnt_attach_dynamic(&parent, EVCNT_TYPE_MISC, NULL, "p", "p");
    evcnt_attach_dynamic(&ev, EVCNT_TYPE_TRAP, &parent, group, name);
    CHECK_EQUAL(evcnt_value(&ev), 0);
    CHECK_EQUAL(ev.ev_version, 1);
    CHECK_EQUAL(ev.ev_type, EVCNT_TYPE_TRAP);
    CHECK_EQUAL(ev.ev_grouplen, 5);
    CHECK_EQUAL(ev.ev_namelen, 6);
    CHECK(ev.ev_parent == &parent);
    CHECK(ev.ev_group == group && ev.ev_name == name); /* referenced, not copied */
    CHECK(TAILQ_LAST(&allevents, evcntlist) == &ev);
    evcnt_detach(&ev);
    evcnt_detach(&parent);
}

TEST(static_computes_lengths_and_keeps_the_count)
{
    struct evcnt ev = EVCNT_INITIALIZER(EVCNT_TYPE_INTR, NULL, "com0", "rx bytes");

    CHECK_EQUAL(ev.ev_version, 1);
    ev.ev_count = 40;
    evcnt_incr(&ev);
    evcnt_attach_static(&ev);
    evcnt_incr(&ev);
    CHECK_EQUAL(ev.ev_grouplen, 4);
    CHECK_EQUAL(ev.ev_namelen, 8);
    CHECK_EQUAL(evcnt_value(&ev), 42);
    evcnt_detach(&ev);
    CHECK_EQUAL(evcnt_value(&ev), 42); /* the last value stays readable */
    evcnt_attach_static(&ev);
    CHECK_EQUAL(evcnt_value(&ev), 42);
    evcnt_detach(&ev);
}

TEST(nozero_keeps_and_dynamic_forgets)
{
    struct evcnt ev = EVCNT_INITIALIZER(EVCNT_TYPE_MISC, NULL, "x", "y");

    ev.ev_count = 9;
    evcnt_attach_dynamic_nozero(&ev, EVCNT_TYPE_INTR, NULL, "g", "n");
    CHECK_EQUAL(evcnt_value(&ev), 9);
    CHECK_EQUAL(ev.ev_type, EVCNT_TYPE_INTR);
    CHECK(evcnt_lookup("g", "n") == &ev && evcnt_lookup("x", "y") == NULL);
    evcnt_detach(&ev);
    evcnt_attach_dynamic(&ev, EVCNT_TYPE_INTR, NULL, "g", "n");
    CHECK_EQUAL(evcnt_value(&ev), 0);
    evcnt_detach(&ev);
}

TEST(list_is_in_order_of_attaching)
{
    struct evcnt ev[20];
    const struct evcnt *at;

    for (unsigned i = 0; i < 20; i++)
        evcnt_attach_dynamic(&ev[(i * 7) % 20], EVCNT_TYPE_MISC, NULL, "g", "n");
    evcnt_detach(&ev[0]);
    evcnt_attach_dynamic(&ev[0], EVCNT_TYPE_MISC, NULL, "g", "n");
    CHECK(TAILQ_LAST(&allevents, evcntlist) == &ev[0]); /* attached again: at the end */
    at = &ev[7];
    for (unsigned i = 1; i < 20; i++, at = TAILQ_NEXT(at, ev_list))
        CHECK(at == &ev[(i * 7) % 20]);
    for (unsigned i = 0; i < 20; i++)
        evcnt_detach(&ev[i]);
}

TEST(strings_of_255_characters_are_legal)
{
    char group[EVCNT_STRING_MAX];
    char name[EVCNT_STRING_MAX];
    struct evcnt ev;

    memset(group, 'g', 255);
    memset(name, 'n', 255);
    group[255] = name[255] = '\0';
    evcnt_attach_dynamic(&ev, EVCNT_TYPE_MISC, NULL, group, name);
    CHECK_EQUAL(ev.ev_grouplen, 255);
    CHECK_EQUAL(ev.ev_namelen, 255);
    CHECK(evcnt_lookup(group, name) == &ev);
    evcnt_detach(&ev);
    for (unsigned length = 1; length <= 255; length++) { /* every way out of the unrolled loop */
        group[length] = name[length] = '\0';
        evcnt_attach_dynamic(&ev, EVCNT_TYPE_MISC, NULL, group, name);
        CHECK_EQUAL(ev.ev_grouplen, length);
        CHECK_EQUAL(ev.ev_namelen, length);
        CHECK(evcnt_lookup(group, name) == &ev);
        evcnt_detach(&ev);
        group[length] = 'g';
        name[length] = 'n';
    }
}

TEST(value_sums_cpus_and_direct_counts)
{
    struct evcnt ev;
    uint64_t expected = 0;

    evcnt_attach_dynamic(&ev, EVCNT_TYPE_MISC, NULL, "g", "n");
    for (unsigned cpu = 0; cpu < HOST_CPUS; cpu++) {
        host_cpu_set(cpu);
        for (unsigned i = 0; i <= cpu; i++, expected++)
            evcnt_incr(&ev);
    }
    ev.ev_count++; /* as drivers did before evcnt_incr */
    CHECK_EQUAL(evcnt_value(&ev), expected + 1);
    evcnt_detach(&ev);
    CHECK_EQUAL(evcnt_value(&ev), expected + 1);
    evcnt_attach_dynamic_nozero(&ev, EVCNT_TYPE_MISC, NULL, "g", "n");
    evcnt_incr(&ev);
    CHECK_EQUAL(evcnt_value(&ev), expected + 2);
    evcnt_detach(&ev);
}

TEST(children_do_not_raise_parents)
{
    struct evcnt parent;
    struct evcnt child;

    evcnt_attach_dynamic(&parent, EVCNT_TYPE_INTR, NULL, "ioapic0", "pin 4");
    evcnt_attach_dynamic(&child, EVCNT_TYPE_INTR, &parent, "com0", "intr");
    evcnt_incr(&child);
    CHECK_EQUAL(evcnt_value(&parent), 0);
    evcnt_detach(&child);
    evcnt_detach(&parent);
}

/* What a test forgot to detach does not disturb the next life, even at the same address. */
TEST(reset_forgets_without_touching)
{
    static struct evcnt ev;

    evcnt_attach_dynamic(&ev, EVCNT_TYPE_MISC, NULL, "g", "n");
    host_cpu_set(3);
    evcnt_incr(&ev);
    host_reset();
    CHECK(evcnt_lookup("g", "n") == NULL);
    evcnt_attach_dynamic(&ev, EVCNT_TYPE_MISC, NULL, "g", "n");
    CHECK_EQUAL(evcnt_value(&ev), 0);
    evcnt_detach(&ev);
}

/* When a counter began to count what it holds. */
TEST(since_when)
{
    static struct evcnt early = EVCNT_INITIALIZER(EVCNT_TYPE_MISC, NULL, "g", "early"),
                        late = EVCNT_INITIALIZER(EVCNT_TYPE_MISC, NULL, "g", "late");
    struct evcnt ev, share;

    memset(&ev, 0xa5, sizeof ev); /* whatever the memory held */
    host_clock_set(100);
    evcnt_attach_dynamic(&ev, EVCNT_TYPE_MISC, NULL, "g", "n");
    CHECK_EQUAL(ev.ev_since, 100);
    evcnt_incr(&ev);
    host_clock_set(200);
    evcnt_detach(&ev);
    host_clock_set(300);
    evcnt_attach_dynamic_nozero(&ev, EVCNT_TYPE_MISC, NULL, "g", "n");
    CHECK_EQUAL(ev.ev_since, 100); /* it goes on with what it had */
    host_clock_set(400);
    evcnt_detach(&ev);
    evcnt_attach_dynamic(&ev, EVCNT_TYPE_MISC, NULL, "g", "n");
    CHECK_EQUAL(ev.ev_since, 400);
    host_clock_set(500);
    evcnt_incr(&early);
    evcnt_attach_static(&early);
    CHECK_EQUAL(early.ev_since, 0); /* nobody knows when that was */
    evcnt_attach_static(&late);
    CHECK_EQUAL(late.ev_since, 500);
    host_clock_set(600);
    evcnt_attach_share(&share, &ev, 0, "cpu0", "g n");
    CHECK_EQUAL(share.ev_since, 400); /* a view */
    evcnt_detach(&share);
    evcnt_detach(&ev);
    evcnt_detach(&early);
    evcnt_detach(&late);
}
