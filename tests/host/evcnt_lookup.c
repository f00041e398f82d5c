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

/* Attaches, finds and detaches `count` counters; returns the seconds it took. */
static double exercise(struct named *named, unsigned count, const char *format)
{
    double start;

    for (unsigned i = 0; i < count; i++)
        snprintf(named[i].name, sizeof named[i].name, format, i);
    start = seconds();
    for (unsigned i = 0; i < count; i++)
        evcnt_attach_dynamic(&named[i].ev, EVCNT_TYPE_MISC, NULL, "many", named[i].name);
    for (unsigned i = 0; i < count; i++) {
        if (evcnt_lookup("many", named[i].name) != &named[i].ev) {
            CHECK(!"found");
            break;
        }
    }
    CHECK(evcnt_lookup("many", "none of them") == NULL);
    for (unsigned i = 0; i < count; i++) /* neither first to last nor last to first */
        evcnt_detach(&named[(i * 7919u) % count].ev);
    CHECK(evcnt_lookup("many", named[0].name) == NULL);
    return seconds() - start;
}

/* Ten times the counters may take thirty times the time, with caches; a linear search, a hundred.
 */
static void check_linear(struct named *named, const char *format)
{
    double best = 1e9;
    double all;

    for (int i = 0; i < 5; i++) {
        double took = exercise(named, MANY / 10, format);

        best = took < best ? took : best;
    }
    all = exercise(named, MANY, format);
    if (all > best * 30)
        fprintf(stderr, "%u: %f s, %u: %f s\n", MANY / 10, best, MANY, all);
    CHECK(all <= best * 30);
}

TEST(a_hundred_thousand_names)
{
    struct named *named = calloc(MANY, sizeof *named);

    CHECK(named != NULL);
    check_linear(named, "name %u");
    check_linear(named, "%u, and then a rather long common part of the names");
    check_linear(named, "%08x");
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
