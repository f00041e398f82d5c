/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of exceptions: each deliberate one is survived and counted once, under its own name. */
#include <arch/test/provoke.h>
#include "kernel/interrupt/trap.h"
#include <arch/interrupt_flag.h>
#include "kernel/cpu/cpu.h"
#include "kernel/interrupt/interrupt.h"
#include "kernel/interrupt/trap_count.h"
#include "tests/kernel/selftest.h"
#include "kernel/thread/thread.h"
#include "lib/string.h"

#define REPEATS 1000

/* What a provocation is counted as, on one machine or the other. GXemul looks every address up in
 * its TLB. */
#define NAMES 3
static const struct {
    const char *name, *counters[NAMES];
} expectations[] = {
    {"null", {"page fault", "TLB store"}},
    {"div", {"divide error", "trap instruction"}},
    {"ill", {"invalid opcode", "reserved instruction"}},
    {"break", {"breakpoint"}},
    {"align", {"address error load"}},
    {"address", {"general protection", "address error store", "TLB store"}},
    {"text", {"page fault"}},
};

/* Every exception so far; TLB refills are no exception that anybody reports. */
static uint64_t trap_all_traps(void)
{
    const struct evcnt *ev;
    uint64_t sum = 0;

    TAILQ_FOREACH (ev, &allevents, ev_list)
        if (ev->ev_type == EVCNT_TYPE_TRAP && !ev->ev_share && !ev->ev_parent &&
            strcmp(ev->ev_name, "TLB refill") != 0)
            sum += evcnt_value(ev);
    return sum;
}

/* What was counted so far under the names expected for provocation NAME. */
static uint64_t expected_traps(const char *name)
{
    const char *group = cpu_possible() > 1 ? "cpu" : "cpu0";
    uint64_t sum = 0;

    for (unsigned i = 0; i < sizeof expectations / sizeof expectations[0]; i++) {
        for (unsigned n = 0; n < NAMES && strcmp(expectations[i].name, name) == 0; n++) {
            const char *counter = expectations[i].counters[n];
            const struct evcnt *ev = counter ? evcnt_lookup(group, counter) : NULL;

            sum += ev ? evcnt_value(ev) : 0;
        }
    }
    return sum;
}

/* Not inlined, so that the compiler must keep what a trap may not change. */
static __attribute__((noinline)) bool trap_provoke(void (*run)(void *), void *argument)
{
    return trap_try(run, argument);
}

static void trap_call(void *argument)
{
    const struct trap_provocation *provocation = argument;

    provocation->run();
}

static int check_one(const struct trap_provocation *provocation)
{
    uint64_t expected = expected_traps(provocation->name), all = trap_all_traps();

    if (!trap_provoke(trap_call, (void *)provocation))
        return selftest_fail("%s: no exception", provocation->name);
    expected = expected_traps(provocation->name) - expected;
    all = trap_all_traps() - all;
    if (expected != 1 || all != 1)
        return selftest_fail("%s: counted %lu times as expected, %lu in all", provocation->name,
                             (unsigned long)expected, (unsigned long)all);
    return 0;
}

SELFTEST(trap_counted, "trap-counted",
         "every provocation is survived and counted once, under its own name only")
{
    const struct trap_provocation *provocation = trap_provocations;
    unsigned checked = 0;

    for (; provocation->name; provocation++, checked++)
        if (strcmp(provocation->name, "stack") != 0 && check_one(provocation) != 0)
            return 1;
    SELFTEST_CHECK(checked >= 6);
    return 0;
}

static void trap_nothing(void *argument)
{
    ++*(unsigned *)argument;
}

SELFTEST(trap_none, "trap-none", "code without an exception just runs, and nothing is counted")
{
    uint64_t all = trap_all_traps();
    unsigned calls = 0;

    SELFTEST_CHECK(!trap_provoke(trap_nothing, &calls));
    SELFTEST_EQUAL(calls, 1);
    SELFTEST_EQUAL(trap_all_traps() - all, 0);
    return 0;
}

/* Where the stack is when this is called. */
static __attribute__((noinline)) uintptr_t stack_here(void)
{
    return (uintptr_t)__builtin_frame_address(0);
}

SELFTEST(
    trap_many, "trap-many",
    "a thousand exceptions in a row leave the stack, the level and the interrupts as they were")
{
    uintptr_t stack = stack_here();
    uint64_t all = trap_all_traps();
    volatile unsigned kept = 0x12345678;

    for (unsigned i = 0; i < REPEATS; i++) {
        const struct trap_provocation *provocation = &trap_provocations[i % 4];

        if (!trap_provoke(trap_call, (void *)provocation))
            return selftest_fail("%s: no exception, repeat %u", provocation->name, i);
        if (!interrupts_enabled() || interrupt_active() || splraise(IPL_NONE) != IPL_NONE)
            return selftest_fail("%s: left interrupts or level changed", provocation->name);
        if (stack_here() != stack || kept != 0x12345678)
            return selftest_fail("%s: stack moved", provocation->name);
    }
    SELFTEST_EQUAL(trap_all_traps() - all, REPEATS);
    return 0;
}

/* Refills too. */
static uint64_t counted_in_all(void)
{
    const struct evcnt *ev;
    uint64_t sum = 0;

    TAILQ_FOREACH (ev, &allevents, ev_list)
        if (ev->ev_type == EVCNT_TYPE_TRAP && !ev->ev_share && !ev->ev_parent)
            sum += evcnt_value(ev);
    return sum;
}

static uint64_t absent(void)
{
    uint64_t sum = 0;

    for (unsigned n = 0; n < cpu_count(); n++)
        sum += trap_count_memory(n, TRAP_MEMORY_ABSENT);
    return sum;
}

SELFTEST(trap_cpus, "trap-cpus", "the exceptions of all CPUs together are those of the counters")
{
    uint64_t sum = 0, before = absent(), low, high;

    for (unsigned i = 0; i < 10; i++)
        SELFTEST_CHECK(trap_provoke(trap_call, (void *)&trap_provocations[0]));
    SELFTEST_EQUAL(absent() - before, 10);
    low = counted_in_all(); /* a refill may come at any time */
    for (unsigned n = 0; n < cpu_count(); n++)
        sum += trap_count(n);
    high = counted_in_all();
    if (sum < low || sum > high)
        return selftest_fail("%lu, not %lu to %lu", (unsigned long)sum, (unsigned long)low,
                             (unsigned long)high);
    return 0;
}

static void nest(void *argument)
{
    bool *inner = argument;

    *inner = trap_try(trap_call, (void *)&trap_provocations[0]);
    trap_provocations[0].run();
}

SELFTEST(trap_nested, "trap-nested", "an attempt inside an attempt leaves the outer one armed")
{
    bool inner = false;
    uint64_t all = trap_all_traps();

    SELFTEST_CHECK(trap_provoke(nest, &inner));
    SELFTEST_CHECK(inner);
    SELFTEST_EQUAL(trap_all_traps() - all, 2);
    return 0;
}

/* Two threads that lose the CPU to each other in the middle of their attempts. */
static unsigned inside, together;

static void fault_late(void *unused)
{
    (void)unused;
    inside++;
    for (unsigned i = 0; i < 3; i++) {
        together += inside > 1;
        thread_yield();
    }
    inside--;
    trap_provocations[0].run();
}

static void attempt(void *survived)
{
    for (unsigned i = 0; i < REPEATS; i++)
        if (trap_try(fault_late, NULL))
            ++*(unsigned *)survived;
}

SELFTEST_ONE_CPU(trap_threads, "trap-threads", "each thread recovers from its own exceptions")
{
    unsigned survived[2] = {0};
    struct thread *threads[2];
    uint64_t all = trap_all_traps();

    inside = together = 0;
    for (unsigned i = 0; i < 2; i++)
        SELFTEST_CHECK(thread_create("attempt", THREAD_PRIORITY_NORMAL, attempt, &survived[i],
                                     &threads[i]) == 0);
    for (unsigned i = 0; i < 2; i++)
        thread_join(threads[i]);
    SELFTEST_EQUAL(survived[0], REPEATS);
    SELFTEST_EQUAL(survived[1], REPEATS);
    SELFTEST_CHECK(together >= REPEATS);
    SELFTEST_EQUAL(trap_all_traps() - all, 2 * REPEATS);
    return 0;
}
