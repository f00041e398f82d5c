/* SPDX-License-Identifier: BSD-2-Clause */
/* Finding counters: the oldest of equal names, and in constant time however many there are. */
#include <sys/evcnt.h>

#include "tests/host/test.h"

#include <quipu_host.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define MANY 100000u

struct named {
    struct evcnt ev;
    char name[64];
};

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

TEST(lookup_tells_group_from_name)
{
    struct evcnt a;
    struct evcnt b;

    evcnt_attach_dynamic(&a, EVCNT_TYPE_MISC, NULL, "ab", "c");
    evcnt_attach_dynamic(&b, EVCNT_TYPE_MISC, NULL, "a", "bc");
    CHECK(evcnt_lookup("ab", "c") == &a);
    CHECK(evcnt_lookup("a", "bc") == &b);
    CHECK(evcnt_lookup("abc", "") == NULL);
    CHECK(evcnt_lookup("ab", "cd") == NULL);
    CHECK(evcnt_lookup("c", "ab") == NULL);
    evcnt_detach(&a);
    evcnt_detach(&b);
}

TEST(lookup_finds_the_oldest)
{
    struct evcnt ev[6];

    for (unsigned i = 0; i < 6; i++)
        evcnt_attach_dynamic(&ev[i], EVCNT_TYPE_MISC, NULL, "same", "name");
    CHECK(evcnt_lookup("same", "name") == &ev[0]);
    evcnt_detach(&ev[2]);
    evcnt_detach(&ev[0]);
    CHECK(evcnt_lookup("same", "name") == &ev[1]);
    evcnt_attach_dynamic(&ev[0], EVCNT_TYPE_MISC, NULL, "same", "name");
    evcnt_detach(&ev[1]);
    CHECK(evcnt_lookup("same", "name") == &ev[3]);
    evcnt_detach(&ev[5]);
    evcnt_detach(&ev[3]);
    evcnt_detach(&ev[4]);
    CHECK(evcnt_lookup("same", "name") == &ev[0]);
    evcnt_detach(&ev[0]);
    CHECK(evcnt_lookup("same", "name") == NULL);
}

/* Equal names of which some were looked up before the others came, detached from both kinds. */
TEST(lookup_between_attachments)
{
    struct evcnt ev[9];

    CHECK(evcnt_lookup("same", "even") == NULL);     /* leaves nothing pending */
    for (unsigned round = 0; round < 512; round++) { /* every order of looking up in between */
        for (unsigned i = 0; i < 9; i++) {
            evcnt_attach_dynamic(&ev[i], EVCNT_TYPE_MISC, NULL, "same", i & 1 ? "odd" : "even");
            if ((round >> i) & 1)
                CHECK(evcnt_lookup("same", "even") == &ev[0]);
        }
        evcnt_detach(&ev[8]);
        evcnt_detach(&ev[0]);
        CHECK(evcnt_lookup("same", "even") == &ev[2]);
        for (unsigned i = 1; i < 8; i++)
            evcnt_detach(&ev[i]);
        CHECK(evcnt_lookup("same", "even") == NULL);
        CHECK(evcnt_lookup("same", "odd") == NULL);
    }
}

/*
 * A search goes through the names of one bucket. The hops from each counter to the end of its
 * bucket, over all counters, say how long searches are; times would say how large caches are.
 */
static void check_buckets(const struct named *named, unsigned count)
{
    uint64_t hops = 0;
    unsigned longest = 0;

    for (unsigned i = 0; i < count; i++) {
        unsigned chain = 0;

        for (const struct hash_link *at = &named[i].ev.ev_link; at->next != NULL; at = at->next)
            chain++;
        hops += chain;
        longest = chain > longest ? chain : longest;
    }
    CHECK(hops <= count); /* about a half is expected of one name a bucket */
    CHECK(longest <= 12);
}

static void check_many(struct named *named, unsigned count, const char *format)
{
    for (unsigned i = 0; i < count; i++) {
        snprintf(named[i].name, sizeof named[i].name, format, i);
        evcnt_attach_dynamic(&named[i].ev, EVCNT_TYPE_MISC, NULL, "many", named[i].name);
    }
    for (unsigned i = 0; i < count; i++)
        CHECK(evcnt_lookup("many", named[i].name) == &named[i].ev);
    check_buckets(named, count);
    CHECK(evcnt_lookup("many", "none of them") == NULL);
    for (unsigned i = 0; i < count; i++) /* neither first to last nor last to first */
        evcnt_detach(&named[(i * 7919u) % count].ev);
    for (unsigned i = 0; i < count; i++)
        CHECK(evcnt_lookup("many", named[i].name) == NULL);
}

TEST(a_hundred_thousand_names)
{
    static const char *const formats[] = {
        "name %u", "%08x", "%u, and then a rather long common part of the names",
        "a rather long common part of the names, and then %06u", "%u%%"};
    struct named *named = calloc(MANY, sizeof *named);

    CHECK(named != NULL);
    for (unsigned i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        host_reset(); /* the table begins small again */
        check_many(named, MANY, formats[i]);
    }
    check_many(named, 1000, "fewer, in a large table: %u");
    free(named);
}

/* Each name twice, so that buckets lose their first while others stand behind it. */
TEST(twins_take_over_in_shared_buckets)
{
    const unsigned names = 5000;
    struct named *named = calloc(names * 2, sizeof *named);

    CHECK(named != NULL);
    for (unsigned i = 0; i < names * 2; i++) {
        snprintf(named[i].name, sizeof named[i].name, "twin %u", i % names);
        evcnt_attach_dynamic(&named[i].ev, EVCNT_TYPE_MISC, NULL, "many", named[i].name);
    }
    CHECK(evcnt_lookup("many", "twin 7") == &named[7].ev);
    for (unsigned i = 0; i < names; i += 2)
        evcnt_detach(&named[i].ev);
    for (unsigned i = 0; i < names; i++)
        CHECK(evcnt_lookup("many", named[i].name) == &named[i & 1 ? i : i + names].ev);
    host_reset();
    free(named);
}

TEST(a_hundred_thousand_equal_names)
{
    struct evcnt *ev = calloc(MANY, sizeof *ev);
    double start;

    CHECK(ev != NULL);
    start = seconds();
    for (unsigned i = 0; i < MANY; i++)
        evcnt_attach_dynamic(&ev[i], EVCNT_TYPE_MISC, NULL, "same", "name");
    for (unsigned i = 0; i < MANY; i++) {
        CHECK(evcnt_lookup("same", "name") == &ev[0]);
    }
    for (unsigned i = MANY; i-- > MANY / 2;) /* youngest first, then oldest first */
        evcnt_detach(&ev[i]);
    for (unsigned i = 0; i < MANY / 2; i++) {
        CHECK(evcnt_lookup("same", "name") == &ev[i]);
        evcnt_detach(&ev[i]);
    }
    CHECK(evcnt_lookup("same", "name") == NULL);
    CHECK(seconds() - start < 10); /* quadratic would be minutes */
    free(ev);
}
