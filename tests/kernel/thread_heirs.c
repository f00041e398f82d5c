/* SPDX-License-Identifier: BSD-2-Clause */
/* A test of what becomes of threads that outlive their creator. */
#include "kernel/thread/thread.h"
#include "tests/kernel/selftest.h"

static volatile bool over;
static struct thread *last;
static int errors;

static void thread_heirs_end(void *unused)
{
    (void)unused;
}

static void thread_heirs_stay(void *unused)
{
    (void)unused;
    while (!over)
        thread_sleep(100000);
}

/* Has two, of whom one ends before it does. */
static void thread_heirs_create(void *unused)
{
    struct thread *first;

    (void)unused;
    errors |= thread_create("first", THREAD_PRIORITY_NORMAL, thread_heirs_end, NULL, &first);
    errors |= thread_create("last", THREAD_PRIORITY_NORMAL, thread_heirs_stay, NULL, &last);
    if (errors == 0)
        thread_join(first);
}

SELFTEST(thread_heirs, "thread-heirs",
         "who outlives its creator is the creator's creator's, whoever has ended before")
{
    const struct thread *parent;
    struct thread *creator;

    over = false;
    errors = 0;
    SELFTEST_EQUAL(
        thread_create("creator", THREAD_PRIORITY_NORMAL, thread_heirs_create, NULL, &creator), 0);
    thread_join(creator);
    SELFTEST_EQUAL(errors, 0);
    parent = last->parent;
    over = true;
    thread_join(last);
    SELFTEST_CHECK(parent == thread_current());
    return 0;
}
