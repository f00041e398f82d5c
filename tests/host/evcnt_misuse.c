/* SPDX-License-Identifier: BSD-2-Clause */
/* Misuse of event counters panics, names the counter, and changes nothing. */
#include <sys/evcnt.h>

#include "tests/host/test.h"

#include <quipu_host.h>
#include <stdlib.h>
#include <string.h>

struct attachment {
    struct evcnt *ev;
    int type;
    const struct evcnt *parent;
    const char *group;
    const char *name;
};

static void attach_dynamic(void *arg)
{
    const struct attachment *a = arg;

    evcnt_attach_dynamic(a->ev, a->type, a->parent, a->group, a->name);
}

static void attach_nozero(void *arg)
{
    const struct attachment *a = arg;

    evcnt_attach_dynamic_nozero(a->ev, a->type, a->parent, a->group, a->name);
}

static void attach_static(void *arg)
{
    evcnt_attach_static(arg);
}

static void detach(void *arg)
{
    evcnt_detach(arg);
}

static void init(void *arg)
{
    (void)arg;
    evcnt_init();
}

/* Every way to attach refuses the same, and neither the counter nor the list changes. */
static void check_refused(struct attachment a, const char *text)
{
    struct evcnt ev = EVCNT_INITIALIZER((unsigned char)a.type, a.parent, a.group, a.name);
    struct evcnt before;
    struct evcnt *last = TAILQ_LAST(&allevents, evcntlist);

    a.ev = &ev;
    ev.ev_count = 77;
    memcpy(&before, &ev, sizeof ev);
    CHECK_PANIC(attach_dynamic, &a, text);
    CHECK_PANIC(attach_nozero, &a, text);
    CHECK_PANIC(attach_static, &ev, text);
    CHECK(memcmp(&before, &ev, sizeof ev) == 0);
    CHECK(TAILQ_LAST(&allevents, evcntlist) == last);
}

TEST(misuse_strings)
{
    char *longest = malloc(256); /* exactly: a byte read beyond would be seen */
    char over[300];

    CHECK(longest != NULL);
    memset(over, 'o', sizeof over);
    over[256] = '\0';
    memset(longest, 'l', 256); /* 256 characters and no NUL at all */
    check_refused((struct attachment){NULL, 0, NULL, "", "name"}, "\"name\": group is empty");
    check_refused((struct attachment){NULL, 0, NULL, "group", ""}, "\"group\" \"\": name is empty");
    check_refused((struct attachment){NULL, 0, NULL, over, "name"},
                  "\" \"name\": group has 256 or more characters");
    check_refused((struct attachment){NULL, 0, NULL, "group", over}, "\"group\" \"oooo");
    check_refused((struct attachment){NULL, 0, NULL, longest, "name"},
                  "llll\" \"name\": group has");
    check_refused((struct attachment){NULL, 0, NULL, "group", longest}, "name has 256 or more");
    check_refused((struct attachment){NULL, 0, NULL, NULL, "name"}, "\"name\": group is NULL");
    check_refused((struct attachment){NULL, 0, NULL, "group", NULL}, "\"group\" \"(null)\": name");
    CHECK(evcnt_lookup(longest, "name") == NULL);
    CHECK(evcnt_lookup("", "") == NULL);
    CHECK(evcnt_lookup(NULL, "name") == NULL);
    CHECK(evcnt_lookup("group", NULL) == NULL);
    free(longest);
}

TEST(misuse_types)
{
    check_refused((struct attachment){NULL, 3, NULL, "group", "name"},
                  "\"group\" \"name\": no such");
    check_refused((struct attachment){NULL, EVCNT_TYPE_ANY, NULL, "group", "name"}, "no such type");
    check_refused((struct attachment){NULL, 255, NULL, "group", "name"}, "no such type");
}

TEST(misuse_parents)
{
    struct evcnt parent = EVCNT_INITIALIZER(EVCNT_TYPE_INTR, NULL, "parent", "p");
    struct evcnt child;
    struct evcnt copy;
    struct attachment a = {&child, EVCNT_TYPE_INTR, &child, "child", "c"};

    memset(&child, 0xee, sizeof child);
    CHECK_PANIC(attach_dynamic, &a, "\"child\" \"c\": parent is not attached"); /* its own */
    a.parent = &parent;
    check_refused(a, "\"child\" \"c\": parent is not attached");
    evcnt_attach_static(&parent);
    copy = parent; /* bytes of an attached counter are not an attached counter */
    a.parent = &copy;
    check_refused(a, "\"child\" \"c\": parent is not attached");
    evcnt_attach_dynamic(&child, EVCNT_TYPE_INTR, &parent, "child", "c");
    CHECK_PANIC(detach, &parent, "\"parent\" \"p\": detached before its children");
    CHECK(evcnt_lookup("parent", "p") == &parent);
    evcnt_detach(&child);
    evcnt_detach(&parent);
    a.parent = &parent;
    check_refused(a, "parent is not attached");
}

TEST(misuse_twice)
{
    struct evcnt ev = EVCNT_INITIALIZER(EVCNT_TYPE_INTR, NULL, "twice", "t");
    struct attachment a = {&ev, EVCNT_TYPE_MISC, NULL, "again", "a"};
    struct evcnt before;

    evcnt_attach_static(&ev);
    ev.ev_count = 5;
    memcpy(&before, &ev, sizeof ev);
    CHECK_PANIC(attach_static, &ev, "\"twice\" \"t\": attached already");
    CHECK_PANIC(attach_dynamic, &a, "\"again\" \"a\": attached already");
    CHECK_PANIC(attach_nozero, &a, "\"again\" \"a\": attached already");
    CHECK(memcmp(&before, &ev, sizeof ev) == 0);
    evcnt_detach(&ev);
    CHECK_PANIC(detach, &ev, "\"twice\" \"t\": not attached");
    CHECK_PANIC(detach, &ev, "\"twice\" \"t\": not attached");
}

TEST(misuse_detach_of_what_never_was)
{
    struct evcnt ev = EVCNT_INITIALIZER(EVCNT_TYPE_INTR, NULL, "never", "n");
    struct evcnt copy;

    CHECK_PANIC(detach, &ev, "\"never\" \"n\": not attached");
    evcnt_attach_static(&ev);
    copy = ev;
    CHECK_PANIC(detach, &copy, "\"never\" \"n\": not attached");
    CHECK(evcnt_lookup("never", "n") == &ev);
    evcnt_detach(&ev);
    ev = copy; /* what stood there while it was attached */
    CHECK_PANIC(detach, &ev, "not attached");
    for (int byte = 0; byte < 256; byte++) { /* memory that never was a counter */
        memset(&ev, byte, sizeof ev);
        CHECK_PANIC(detach, &ev, "not attached");
    }
}

TEST(misuse_init_twice)
{
    CHECK_PANIC(init, NULL, "attached already");
    CHECK(evcnt_lookup("static", "child") != NULL);
}

TEST(panics_nest_and_leave_the_library_usable)
{
    struct evcnt ev;

    memset(&ev, 0, sizeof ev);
    for (int i = 0; i < 1000; i++)
        CHECK_PANIC(detach, &ev, "not attached");
    evcnt_attach_dynamic(&ev, EVCNT_TYPE_MISC, NULL, "g", "n");
    CHECK(host_panics(detach, &ev) == 0);
}

static void use_cpu(void *arg)
{
    host_cpu_set(*(unsigned *)arg);
}

TEST(cpu_out_of_range_panics)
{
    unsigned cpu = HOST_CPUS;

    CHECK_PANIC(use_cpu, &cpu, "no CPU 64");
    cpu--;
    CHECK(host_panics(use_cpu, &cpu) == 0);
}
