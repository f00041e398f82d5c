/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A thread that is moved to another CPU between any two instructions of an increment:
 * single-stepped, and moved on at every step, while the CPU that it has just left raises the same
 * counter. Each add must go to the cell of the CPU that executes it, and none may be lost. The same
 * dance with a cell whose address is found first and added to later must lose.
 */
#include <arch/test/step.h>
#include <sys/evcnt.h>
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/cross_call.h"
#include "kernel/memory/kmem.h"
#include "tests/kernel/selftest.h"
#include "kernel/thread/thread.h"

#define RAISES 20

static struct evcnt static_event =
    EVCNT_INITIALIZER(EVCNT_TYPE_MISC, NULL, "selftest", "moved static event");
static struct evcnt *dynamic_event;

/* What is being raised, for the steps between: how, and each CPU's part of it. */
static void (*raise)(void *);
static uint64_t (*part)(unsigned cpu);
static uint64_t parts[CPU_MAX];
static struct evcnt *shares;
static unsigned steps, strayed, by_others;

static void note_parts(void)
{
    for (unsigned cpu = 0; cpu < cpu_count(); cpu++)
        parts[cpu] = part(cpu);
}

/* The last instruction ran here. The next one runs on the next CPU. */
static void evcnt_migrate_between(void)
{
    unsigned here = thread_cpu(); /* the affinity says so */

    steps++;
    for (unsigned cpu = 0; cpu < cpu_count(); cpu++)
        strayed += cpu != here && part(cpu) != parts[cpu];
    thread_set_affinity(thread_current(), 1u << (here + 1) % cpu_count());
    cross_call_all(raise, NULL);
    by_others += cpu_count();
    note_parts();
}

static __attribute__((noinline)) void evcnt_migrate_raise_static(void *unused)
{
    (void)unused;
    evcnt_incr(&static_event);
}

static __attribute__((noinline)) void raise_dynamic(void *unused)
{
    (void)unused;
    evcnt_incr(dynamic_event);
}

static uint64_t share_part(unsigned cpu)
{
    return evcnt_value(&shares[cpu]);
}

/* The planted one: finds this CPU's cell, loads, adds, stores. */
static volatile uint64_t planted[CPU_MAX];

static __attribute__((noinline)) void raise_planted(void *unused)
{
    volatile uint64_t *cell = &planted[cpu_here.id];
    uint64_t value = *cell;

    (void)unused;
    __asm__ volatile("" : "+r"(value)); /* or the compiler makes one instruction of it */
    *cell = value + 1;
}

static uint64_t planted_part(unsigned cpu)
{
    return planted[cpu];
}

static void raise_often(void *unused)
{
    for (unsigned i = 0; i < RAISES; i++)
        raise(unused);
}

/* False if this machine cannot step. */
static bool dance(void (*raise_one)(void *), uint64_t (*part_of)(unsigned cpu))
{
    struct thread *self = thread_current();
    uint32_t affinity = thread_affinity(self);
    bool possible;

    raise = raise_one;
    part = part_of;
    steps = strayed = by_others = 0;
    thread_set_affinity(self, 1u << thread_cpu());
    note_parts();
    possible = trap_single_step(raise_often, NULL, evcnt_migrate_between);
    thread_set_affinity(self, affinity);
    return possible;
}

static int check_counter(struct evcnt *ev, void (*raise_one)(void *))
{
    uint64_t before = evcnt_value(ev), counted;
    bool possible;

    for (unsigned cpu = 0; cpu < cpu_count(); cpu++)
        evcnt_attach_share(&shares[cpu], ev, cpu, "selftest", "moved share");
    possible = dance(raise_one, share_part);
    counted = evcnt_value(ev) - before;
    for (unsigned cpu = 0; cpu < cpu_count(); cpu++)
        evcnt_detach(&shares[cpu]);
    if (!possible)
        return selftest_skip("this machine has no single step");
    SELFTEST_EQUAL(counted, RAISES + by_others);
    SELFTEST_EQUAL(strayed, 0);
    SELFTEST_CHECK(by_others >= 2 * RAISES);
    return 0;
}

SELFTEST(evcnt_migrated, "evcnt-migrated",
         "a thread that changes its CPU within an increment loses nothing")
{
    int result;

    if (cpu_count() == 1)
        return selftest_skip("there is one CPU");
    dynamic_event = kmem_zalloc(sizeof *dynamic_event);
    shares = kmem_zalloc(cpu_count() * sizeof *shares);
    if (!dynamic_event || !shares)
        return selftest_fail("no memory");
    evcnt_attach_static(&static_event);
    evcnt_attach_dynamic(dynamic_event, EVCNT_TYPE_MISC, NULL, "selftest", "moved dynamic event");
    result = check_counter(&static_event, evcnt_migrate_raise_static);
    if (result == 0)
        result = check_counter(dynamic_event, raise_dynamic);
    evcnt_detach(dynamic_event);
    evcnt_detach(&static_event);
    kmem_free(dynamic_event);
    kmem_free(shares);
    return result;
}

SELFTEST(evcnt_migrated_planted, "planted-migration",
         "... while an increment that finds its cell first loses, or the test above proves nothing")
{
    uint64_t sum = 0;

    if (cpu_count() == 1)
        return selftest_skip("there is one CPU");
    for (unsigned cpu = 0; cpu < CPU_MAX; cpu++)
        planted[cpu] = 0;
    if (!dance(raise_planted, planted_part))
        return selftest_skip("this machine has no single step");
    for (unsigned cpu = 0; cpu < CPU_MAX; cpu++)
        sum += planted[cpu];
    SELFTEST_CHECK(strayed > 0);
    SELFTEST_CHECK(sum < RAISES + by_others);
    return selftest_note("%lu of %u lost, %u went astray", RAISES + by_others - sum,
                         RAISES + by_others, strayed);
}
