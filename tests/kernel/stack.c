/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of threads' stacks: no two threads have one, and what is given back comes again. */
#include <arch/aspace.h>
#include "kernel/cpu/preempt.h"
#include "kernel/time/clock.h"
#include "tests/kernel/selftest.h"
#include "kernel/memory/kmem.h"
#include "kernel/memory/page.h"
#include "kernel/memory/stack.h"
#include "kernel/thread/thread.h"
#include "tests/kernel/taken.h"
#include "tests/kernel/until.h"

#define ROUNDS 20000u
#define STACKS 20 /* more than are kept */

#define STACK_ORDER ((unsigned)__builtin_ctz(THREAD_STACK_SIZE / PAGE_SIZE))
#define REFUSALS    50u
#define BESIDE      10u /* stacks' addresses that others may take meanwhile */

static struct thread *volatile disturber_has; /* a thread that has not been joined */
static volatile bool stop;
static bool disturber_failed;

static void stack_nothing(void *unused)
{
    (void)unused;
}

static void disturb_once(void)
{
    struct thread *thread;

    if (disturber_has) {
        thread_join(disturber_has);
        disturber_has = NULL;
    } else if (thread_create("disturbance", THREAD_PRIORITY_HIGH, stack_nothing, NULL, &thread) ==
               0) {
        disturber_has = thread;
    } else {
        disturber_failed = true;
    }
}

/* More urgent than the test: makes and frees stacks wherever that one just is, and leaves it at
 * least as much time as it takes itself, however slow the host is. */
static void stack_disturb(void *unused)
{
    uint64_t part = 0;

    (void)unused;
    while (!stop) {
        uint64_t start = clock_now(), took;

        disturb_once();
        took = clock_now() - start;
        part = (part + 7919) % 10000;
        thread_sleep(4 * took + took * part / 2500);
    }
    if (disturber_has)
        thread_join(disturber_has);
    disturber_has = NULL;
}

/* Rounds in which a new thread had the disturber's stack. */
static unsigned count_shared(void)
{
    unsigned shared = 0;

    for (unsigned round = 0; round < ROUNDS; round++) {
        struct thread *thread;

        if (thread_create("own", THREAD_PRIORITY_NORMAL, stack_nothing, NULL, &thread) != 0)
            return ROUNDS;
        preempt_disable(); /* what the disturber has stays as it is */
        shared += disturber_has && disturber_has->stack == thread->stack;
        preempt_enable();
        if (shared)
            return shared; /* not run: there is no telling what it would do */
        thread_join(thread);
    }
    return 0;
}

SELFTEST_ONE_CPU(stack_own, "stack-own",
                 "threads that are made at the same time have their own stacks")
{
    struct thread *disturber;
    unsigned shared;

    stop = disturber_failed = false;
    SELFTEST_EQUAL(
        thread_create("disturber", THREAD_PRIORITY_HIGH, stack_disturb, NULL, &disturber), 0);
    shared = count_shared();
    stop = true;
    thread_join(disturber);
    SELFTEST_EQUAL(shared, 0);
    SELFTEST_CHECK(!disturber_failed);
    return 0;
}

static bool is_among(const char *stack, char *const *stacks)
{
    for (unsigned i = 0; i < STACKS; i++)
        if (stacks[i] == stack)
            return true;
    return false;
}

SELFTEST(stack_again, "stack-again", "what many stacks need is given back: memory, and addresses")
{
    static char *first[STACKS], *again[STACKS];
    unsigned missing = 0, new = 0;

    for (unsigned i = 0; i < STACKS; i++)
        missing += (first[i] = stack_alloc()) == NULL;
    for (unsigned round = 0; round < 20; round++) {
        char **from = round % 2 ? again : first, **to = round % 2 ? first : again;

        for (unsigned i = 0; i < STACKS; i++)
            if (from[i])
                stack_free(from[i]);
        for (unsigned i = 0; i < STACKS; i++) {
            missing += (to[i] = stack_alloc()) == NULL;
            new += !is_among(to[i], from);
        }
    }
    for (unsigned i = 0; i < STACKS; i++)
        if (first[i])
            stack_free(first[i]);
    SELFTEST_EQUAL(missing, 0);
    SELFTEST_EQUAL(new, 0);
    return 0;
}

/* Asks for stacks where there is memory for one, but none for a table that leads to it; gives back
 * what it took. How many were REFUSED; the others are on STACKS_MADE. */
static unsigned ask_without_tables(struct taken **stacks_made, unsigned *refused)
{
    struct taken *blocks = NULL, *pages = NULL, *small = NULL;
    unsigned made = 0;
    void *block;

    preempt_disable();
    while (taken_push(&blocks, page_alloc(STACK_ORDER)))
        ;
    while (taken_push(&pages, page_alloc(0)))
        ;
    while (taken_push(&small, kmem_alloc(sizeof(struct taken))))
        ;
    while (*refused < REFUSALS && (block = taken_pop(&blocks)) != NULL) {
        page_free(block);
        if (taken_push(stacks_made, stack_alloc()))
            made++;
        else if (++*refused && !taken_push(&blocks, page_alloc(STACK_ORDER)))
            break;
    }
    taken_give_back(&small, kmem_free);
    taken_give_back(&pages, page_free);
    taken_give_back(&blocks, page_free);
    preempt_enable();
    return made;
}

SELFTEST_ONE_CPU(stack_refused, "stack-refused",
                 "what was refused for want of memory leaves no addresses behind")
{
    struct taken *stacks = NULL;
    unsigned refused = 0, made;
    uintptr_t first, last;
    void *stack;

    for (unsigned i = 0; i < STACKS; i++) /* those that are kept with their memory */
        SELFTEST_CHECK(taken_push(&stacks, stack_alloc()));
    first = aspace_reserve(PAGE_SIZE);
    made = ask_without_tables(&stacks, &refused);
    last = aspace_reserve(PAGE_SIZE);
    while ((stack = taken_pop(&stacks)) != NULL)
        stack_free(stack);
    SELFTEST_EQUAL(refused, REFUSALS);
    SELFTEST_CHECK(last - first <= (made + BESIDE) * (THREAD_STACK_SIZE + 2 * PAGE_SIZE));
    return 0;
}
