/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of several CPUs: affinity, migration, cross calls, TLB shootdown, CPU time. With one CPU
 * they test what is left. */
#include "kernel/cpu/cpu.h"
#include <arch/interrupt_flag.h>
#include <arch/aspace.h>
#include "kernel/time/clock.h"
#include "kernel/time/cpu_time.h"
#include "kernel/cpu/cross_call.h"
#include "kernel/memory/page.h"
#include "tests/kernel/selftest.h"
#include "kernel/thread/thread.h"
#include "lib/errno.h"
#include "lib/string.h"
#include "tests/kernel/until.h"

#define ROUNDS 50

static unsigned visited[CPU_MAX];

static void visit(void *unused)
{
    (void)unused;
    visited[cpu_here.id]++;
}

SELFTEST(cpus_call, "cpus-call",
         "a cross call runs once on each CPU it is for, before its caller goes on")
{
    memset(visited, 0, sizeof visited);
    for (unsigned round = 1; round <= ROUNDS; round++) {
        cross_call_all(visit, NULL);
        for (unsigned cpu = 0; cpu < CPU_MAX; cpu++)
            SELFTEST_EQUAL(visited[cpu], cpu < cpu_count() ? round : 0);
    }
    for (unsigned cpu = 0; cpu < cpu_count(); cpu++) {
        cross_call_one(cpu, visit, NULL);
        SELFTEST_EQUAL(visited[cpu], ROUNDS + 1);
    }
    return 0;
}

static void call_much(void *unused)
{
    (void)unused;
    for (unsigned round = 0; round < ROUNDS; round++)
        cross_call_all(visit, NULL);
}

SELFTEST(cpus_calls, "cpus-calls",
         "cross calls from all CPUs to all CPUs at once end, and each runs")
{
    struct thread *threads[CPU_MAX];
    unsigned count = cpu_count();

    memset(visited, 0, sizeof visited);
    for (unsigned i = 0; i < count; i++) {
        SELFTEST_EQUAL(
            thread_create("caller", THREAD_PRIORITY_NORMAL, call_much, NULL, &threads[i]), 0);
        SELFTEST_EQUAL(thread_set_affinity(threads[i], 1u << i), 0);
    }
    for (unsigned i = 0; i < count; i++)
        thread_join(threads[i]);
    for (unsigned cpu = 0; cpu < count; cpu++)
        SELFTEST_EQUAL(visited[cpu], ROUNDS * count);
    return 0;
}

SELFTEST(cpus_affinity, "cpus-affinity",
         "a thread is where its affinity says when the call returns, and stays there")
{
    struct thread *self = thread_current();
    uint32_t before = thread_affinity(self);

    SELFTEST_EQUAL(thread_set_affinity(self, 0), -EINVAL);
    if (cpu_count() < 32)
        SELFTEST_EQUAL(thread_set_affinity(self, 1u << cpu_count()), -EINVAL);
    SELFTEST_EQUAL(thread_affinity(self), before);
    for (unsigned round = 0; round < ROUNDS; round++) {
        unsigned cpu = round * 7 % cpu_count();

        SELFTEST_EQUAL(thread_set_affinity(self, 1u << cpu), 0);
        for (unsigned i = 0; i < 20; i++) {
            SELFTEST_EQUAL(thread_cpu(), cpu);
            thread_yield();
        }
    }
    SELFTEST_EQUAL(thread_set_affinity(self, before), 0);
    return 0;
}

static volatile bool spinning;

static void spin_where_allowed(void *unused)
{
    (void)unused;
    while (spinning)
        ;
}

/* The other thread is running, queued or asleep when it is moved. */
SELFTEST(cpus_moved, "cpus-moved", "a running thread is moved by another one's call")
{
    struct thread *thread;
    unsigned wrong = 0;

    spinning = true;
    SELFTEST_EQUAL(
        thread_create("moved", THREAD_PRIORITY_NORMAL, spin_where_allowed, NULL, &thread), 0);
    for (unsigned round = 0; round < ROUNDS; round++) {
        unsigned cpu = round * 5 % cpu_count();

        SELFTEST_EQUAL(thread_set_affinity(thread, 1u << cpu), 0);
        if (thread->cpu != cpu)
            wrong++;
    }
    spinning = false;
    thread_join(thread);
    SELFTEST_EQUAL(wrong, 0);
    return 0;
}

static void spin_and_say(void *begun)
{
    *(volatile unsigned *)begun = 1;
    spin_where_allowed(NULL);
}

/* THREADS run, those from COUNT on where they like: bit N of the result, one of them was on CPU N.
 */
static uint32_t cpus_where(struct thread *const *threads, unsigned count)
{
    uint32_t found = 0, all = (1u << count) - 1;
    uint64_t end;

    for (unsigned i = count; i < 3 * count; i++)
        (void)thread_set_affinity(threads[i], CPU_SET_ALL);
    end = until_deadline();
    while (found != all && clock_now() < end)
        for (unsigned i = count; i < 3 * count; i++)
            found |= 1u << *(volatile uint32_t *)&threads[i]->cpu;
    return found;
}

/* One thread stays on each CPU, so that none is idle and takes one; with two more each, all have at
 * least two when no CPU has two more than another. */
SELFTEST(cpus_evened, "cpus-evened", "a CPU with many busy threads gives each other CPU some")
{
    struct thread *self = thread_current(), *threads[3 * CPU_MAX];
    unsigned count = cpu_count(), made = 0, started[3 * CPU_MAX] = {0};
    uint32_t before = thread_affinity(self), found = 0;
    bool begun = true;

    if (count == 1)
        return selftest_skip("there is one CPU");
    SELFTEST_EQUAL(thread_set_affinity(self, 1), 0);
    spinning = true;
    while (made < 3 * count && thread_create("spinner", THREAD_PRIORITY_NORMAL, spin_and_say,
                                             &started[made], &threads[made]) == 0) {
        begun &= thread_set_affinity(threads[made], made < count ? 1u << made : 1) == 0;
        made++;
    }
    for (unsigned i = 0; i < made; i++)
        begun &= until_at_least(&started[i], 1);
    if (made == 3 * count)
        found = cpus_where(threads, count);
    spinning = false;
    for (unsigned i = 0; i < made; i++)
        thread_join(threads[i]);
    SELFTEST_EQUAL(thread_set_affinity(self, before), 0);
    SELFTEST_EQUAL(made, 3 * count);
    SELFTEST_CHECK(begun);
    SELFTEST_EQUAL(found, (1u << count) - 1);
    return 0;
}

static uintptr_t shared_page;
static volatile uint64_t seen[CPU_MAX];

static void cpus_look(void *unused)
{
    (void)unused;
    seen[cpu_here.id] = *(volatile uint64_t *)shared_page;
}

SELFTEST(cpus_shootdown, "cpus-shootdown", "a page that is mapped anew is seen anew by every CPU")
{
    uint64_t *pages[2] = {page_alloc(0), page_alloc(0)};

    if (!shared_page)
        shared_page = aspace_reserve(PAGE_SIZE);
    if (!pages[0] || !pages[1])
        return selftest_fail("no memory");
    for (unsigned round = 0; round < ROUNDS; round++) {
        uint64_t *page = pages[round % 2];

        page[0] = round + 1;
        SELFTEST_EQUAL(aspace_map(&aspace_kernel, shared_page, memory_physical(page), PAGE_SIZE,
                                  ASPACE_READ | ASPACE_WRITE),
                       0);
        cross_call_all(cpus_look, NULL);
        for (unsigned cpu = 0; cpu < cpu_count(); cpu++)
            SELFTEST_EQUAL(seen[cpu], round + 1);
        SELFTEST_EQUAL(aspace_unmap(&aspace_kernel, shared_page, PAGE_SIZE, NULL, NULL), 1);
    }
    page_free(pages[0]);
    page_free(pages[1]);
    return 0;
}

static bool went_back(const struct cpu_time *before, const struct cpu_time *after)
{
    return after->user < before->user || after->system < before->system ||
           after->interrupt < before->interrupt || after->idle < before->idle ||
           after->elapsed < before->elapsed;
}

SELFTEST(cpus_time, "cpus-time",
         "user, system, interrupt and idle add up to elapsed on each CPU, and never go back")
{
    static struct cpu_time before[CPU_MAX], after;
    uint64_t end = clock_now() + 200000000;

    for (unsigned cpu = 0; cpu < cpu_count(); cpu++)
        cpu_time_get(cpu, &before[cpu]);
    while (clock_now() < end) {
        for (unsigned cpu = 0; cpu < cpu_count(); cpu++) {
            cpu_time_get(cpu, &after);
            SELFTEST_EQUAL(after.user + after.system + after.interrupt + after.idle, after.elapsed);
            if (went_back(&before[cpu], &after))
                return selftest_fail(
                    "cpu%u: system %lu to %lu, interrupt %lu to %lu, idle %lu to %lu", cpu,
                    before[cpu].system, after.system, before[cpu].interrupt, after.interrupt,
                    before[cpu].idle, after.idle);
            before[cpu] = after;
        }
    }
    return 0;
}

/* The clock is the witness: a thread that keeps its CPU busy for so long used so much, or was
 * interrupted meanwhile. */
SELFTEST(cpus_busy, "cpus-busy",
         "what a busy thread and its CPU's interrupts used is the time that passed")
{
    struct thread *self = thread_current();
    uint32_t affinity = thread_affinity(self);
    unsigned cpu = cpu_count() - 1;
    struct cpu_time before, after;
    uint64_t start, end, inner_start, inner_end, used;

    SELFTEST_EQUAL(thread_set_affinity(self, 1u << cpu), 0);
    start = clock_now();
    cpu_time_get(cpu, &before);
    inner_start = clock_now();
    while (clock_now() < start + 100000000)
        ;
    inner_end = clock_now();
    cpu_time_get(cpu, &after);
    end = clock_now();
    SELFTEST_EQUAL(thread_set_affinity(self, affinity), 0);
    used = after.system - before.system + after.interrupt - before.interrupt;
    if (used > end - start + 8 || after.idle != before.idle || used + 8 < inner_end - inner_start)
        return selftest_fail("%lu ns passed, %lu were used, %lu idle", end - start, used,
                             after.idle - before.idle);
    return 0;
}

static void count_wakes(void *unused)
{
    (void)unused;
    for (unsigned i = 0; i < ROUNDS; i++)
        thread_sleep(1000);
}

SELFTEST(cpus_sleepers, "cpus-sleepers", "many threads that sleep and move at random all come back")
{
    struct thread *threads[40];
    uint32_t mask = (uint32_t)((1ull << cpu_count()) - 1), random = 12345;

    for (unsigned i = 0; i < 40; i++)
        SELFTEST_EQUAL(
            thread_create("sleeper", THREAD_PRIORITY_NORMAL, count_wakes, NULL, &threads[i]), 0);
    for (unsigned i = 0; i < 400; i++) {
        random = random * 1103515245 + 12345;
        uint32_t set = random >> 8 & mask;

        thread_set_affinity(threads[i % 40], set ? set : mask);
    }
    for (unsigned i = 0; i < 40; i++)
        thread_join(threads[i]);
    return 0;
}

/* Between the two looks at the clock when a CPU began, and while this looks. */
#define BEGUN_NS 20000000ull

SELFTEST(cpus_begun, "cpus-begun", "a CPU's time is the time since it began to run threads")
{
    if (cpu_count() == 1)
        return selftest_skip("the first one began before the clock did");
    for (unsigned n = 1; n < cpu_count(); n++) {
        uint64_t least = clock_now() - cpu_of(n)->started, most;
        struct cpu_time time;

        cpu_time_get(n, &time);
        most = clock_now() - cpu_of(n)->started;
        if (time.elapsed + BEGUN_NS < least || time.elapsed > most + BEGUN_NS)
            return selftest_fail("cpu%u: %lu ns, not %lu to %lu", n, (unsigned long)time.elapsed,
                                 (unsigned long)least, (unsigned long)most);
    }
    return 0;
}
