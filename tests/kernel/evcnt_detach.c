/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A counter that comes and goes while threads and timer interrupts of every CPU raise it: whoever
 * raised it has an account that nobody else writes, and no count may be missing, nor turn up in
 * another counter that has been given the same cells since.
 */
#include <sys/evcnt.h>
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/cross_call.h"
#include "kernel/memory/kmem.h"
#include "tests/kernel/selftest.h"
#include "kernel/thread/thread.h"
#include "lib/string.h"
#include "tests/kernel/storm.h"
#include "tests/kernel/until.h"

#define PER_CPU 2
#define MOST    (PER_CPU * CPU_MAX)
#define ROUNDS  (48u / cpu_count()) /* a life takes as many interrupts as there are CPUs */
#define STRAYS  20000u              /* at least so many by each thread */

static struct evcnt *raised, *heir;
static volatile uint64_t by_thread[MOST], by_timer[CPU_MAX];
static struct storm storms[CPU_MAX];
static struct thread *threads[MOST];
static unsigned thread_count;
static volatile bool over;

static void evcnt_detach_strike(void)
{
    unsigned cpu = cpu_here.id;

    evcnt_incr(raised);
    by_timer[cpu] = by_timer[cpu] + 1;
}

static void evcnt_detach_begin_storm(void *unused)
{
    (void)unused;
    storm_begin(&storms[cpu_here.id], evcnt_detach_strike);
}

/* The argument is the thread's account. */
static void evcnt_detach_raise_on(void *argument)
{
    volatile uint64_t *account = argument;
    struct evcnt *ev = raised;

    thread_set_affinity(thread_current(), 1u << (account - by_thread) % cpu_count());
    while (!over || *account < STRAYS) {
        evcnt_incr(ev);
        *account = *account + 1;
    }
}

static uint64_t accounts(void)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < thread_count; i++)
        sum += by_thread[i];
    for (unsigned cpu = 0; cpu < cpu_count(); cpu++)
        sum += by_timer[cpu];
    return sum;
}

static bool evcnt_detach_start(bool with_storms)
{
    over = false;
    memset((void *)by_thread, 0, sizeof by_thread);
    memset((void *)by_timer, 0, sizeof by_timer);
    raised = kmem_zalloc(sizeof *raised);
    heir = kmem_zalloc(sizeof *heir);
    thread_count = 0;
    if (!raised || !heir)
        return false;
    for (unsigned cpu = 0; cpu < cpu_count() && with_storms; cpu++)
        cross_call_one(cpu, evcnt_detach_begin_storm, NULL);
    for (; thread_count < PER_CPU * cpu_count(); thread_count++)
        if (thread_create("raiser", THREAD_PRIORITY_NORMAL, evcnt_detach_raise_on,
                          (void *)&by_thread[thread_count], &threads[thread_count]) != 0)
            return false;
    return true;
}

static void evcnt_detach_end(bool with_storms)
{
    over = true;
    for (unsigned i = 0; i < thread_count; i++)
        thread_join(threads[i]);
    for (unsigned cpu = 0; cpu < cpu_count() && with_storms; cpu++)
        storm_end(&storms[cpu]);
}

/* One life of the counter. It is not quiet when it ends, and its cells have a new owner at once. */
static int come_and_go(void)
{
    uint64_t before, after;

    evcnt_attach_dynamic_nozero(raised, EVCNT_TYPE_MISC, NULL, "selftest", "comes and goes");
    before = accounts();
    thread_sleep(200000);
    evcnt_detach(raised);
    evcnt_attach_dynamic(heir, EVCNT_TYPE_MISC, NULL, "selftest", "heir");
    before = accounts() - before;
    after = accounts();
    SELFTEST_CHECK(evcnt_value(raised) >= after);
    thread_yield();
    evcnt_detach(heir);
    SELFTEST_EQUAL(evcnt_value(heir), 0);
    return before > 0 ? 0 : SELFTEST_SKIPPED; /* nobody came to raise it */
}

static unsigned busy; /* lives in which it was raised */
static int result;

static void detach_on(void *unused)
{
    uint64_t deadline = until_deadline();

    (void)unused;
    while (busy < ROUNDS && result <= 0 && clock_now() < deadline) {
        result = come_and_go();
        busy += result == 0;
    }
}

SELFTEST(evcnt_detached, "evcnt-detached",
         "a counter that is raised while it is detached loses nothing, and gives nothing away")
{
    struct thread *detacher;
    uint64_t value;

    busy = 0;
    result = 0;
    if (evcnt_detach_start(true) && thread_create("detacher", THREAD_PRIORITY_HIGH, detach_on, NULL,
                                                  &detacher) == 0) /* as soon as it wants to */
        thread_join(detacher);
    evcnt_detach_end(true);
    value = evcnt_value(raised);
    kmem_free(heir);
    kmem_free(raised);
    if (result > 0)
        return result;
    SELFTEST_EQUAL(value, accounts());
    SELFTEST_EQUAL(busy, ROUNDS);
    return selftest_note("%lu raised, detached %u times", (unsigned long)value, busy);
}

SELFTEST(evcnt_strays, "evcnt-strays",
         "all CPUs at once raise a counter that has no cells, exactly")
{
    bool complete = evcnt_detach_start(false);
    uint64_t value;

    evcnt_detach_end(false);
    value = evcnt_value(raised);
    kmem_free(heir);
    kmem_free(raised);
    SELFTEST_CHECK(complete);
    SELFTEST_EQUAL(value, accounts());
    return selftest_note("%lu raised", (unsigned long)value);
}
