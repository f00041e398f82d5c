/* SPDX-License-Identifier: BSD-2-Clause */
/* A test of the list of threads while threads in it end: each that stays is in it, once. */
#include "kernel/thread/thread.h"
#include "kernel/memory/kmem.h"
#include "tests/kernel/selftest.h"

#define PAIRS  40 /* of one that stays and one that goes */
#define ROUNDS 20
#define ROOM   400

static volatile bool over;
static volatile bool gone[PAIRS];

static void thread_list_stay(void *unused)
{
    (void)unused;
    while (!over)
        thread_sleep(1000000);
}

/* More urgent than who copies the list: it ends between two steps of that. */
static void thread_list_go(void *number)
{
    thread_sleep(300000 + (uintptr_t)number * 20000);
    gone[(uintptr_t)number] = true;
}

static unsigned thread_list_count(const struct thread_info *list, size_t count, uint32_t id)
{
    unsigned times = 0;

    for (size_t i = 0; i < count; i++)
        times += list[i].id == id;
    return times;
}

static int thread_list_check(struct thread_info *list, struct thread *const stay[PAIRS])
{
    size_t count = thread_snapshot(list, ROOM);

    SELFTEST_CHECK(count <= ROOM);
    for (size_t i = 1; i < count; i++)
        SELFTEST_CHECK(list[i - 1].id < list[i].id);
    for (unsigned i = 0; i < PAIRS; i++)
        SELFTEST_EQUAL(thread_list_count(list, count, stay[i]->id), 1);
    return 0;
}

static int thread_list_round(struct thread_info *list)
{
    struct thread *stay[PAIRS], *go[PAIRS];
    int result = 0;

    over = false;
    for (unsigned i = 0; i < PAIRS; i++) {
        gone[i] = false;
        SELFTEST_EQUAL(
            thread_create("stay", THREAD_PRIORITY_NORMAL, thread_list_stay, NULL, &stay[i]), 0);
        SELFTEST_EQUAL(
            thread_create("go", THREAD_PRIORITY_HIGH, thread_list_go, (void *)(uintptr_t)i, &go[i]),
            0);
    }
    while (result == 0 && !gone[PAIRS - 1])
        result = thread_list_check(list, stay);
    over = true;
    for (unsigned i = 0; i < PAIRS; i++) {
        thread_join(stay[i]);
        thread_join(go[i]);
    }
    return result;
}

SELFTEST(thread_list, "thread-list",
         "while others end, every thread that stays is listed once, in order, and all are counted")
{
    struct thread_info *list = kmem_alloc(ROOM * sizeof *list);
    size_t before = thread_population();
    int result = 0;

    SELFTEST_CHECK(list != NULL);
    for (unsigned i = 0; i < ROUNDS && result == 0; i++)
        result = thread_list_round(list);
    kmem_free(list);
    SELFTEST_EQUAL(thread_population(), before);
    return result;
}
