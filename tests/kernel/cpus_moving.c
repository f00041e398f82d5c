/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Threads that are moved while others look at them, wake them, and move them again. Each test is a
 * race that was once lost: a CPU time that ran backwards while its thread changed CPUs, a wake-up
 * that overtook a new affinity, a report refused because others went on detaching.
 */
#include <sys/evcnt.h>
#include "kernel/time/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/memory/kmem.h"
#include "tests/kernel/selftest.h"
#include "kernel/thread/thread.h"
#include "lib/string.h"
#include "stats/evcnt/evcnt_export.h"

#define LOOKS    4000
#define SETTINGS 150
#define SLEEPERS 4
#define MANY     2000
#define REPORTS  20
#define INFOS    64

static volatile bool stop;

static void move_about(void *unused)
{
    (void)unused;
    for (unsigned n = 0; !stop; n++)
        thread_set_affinity(thread_current(), 1u << n % cpu_count());
}

/* What LAST and NOW of a thread say that cannot be; NULL if nothing. */
static const char *impossible(const struct thread_info *last, const struct thread_info *now,
                              uint64_t age)
{
    if (now->system_ns < last->system_ns)
        return "its time went back";
    if (now->system_ns > age)
        return "it used more time than has passed";
    if (now->voluntary > UINT64_MAX / 2)
        return "fewer switches than involuntary ones";
    return NULL;
}

SELFTEST(cpus_moving_time, "cpus-moving-time",
         "the CPU time of a thread that changes CPUs all the time never goes back")
{
    static struct thread_info infos[INFOS], last;
    struct thread *thread;
    uint64_t start = clock_now();
    const char *wrong = NULL;

    stop = false;
    memset(&last, 0, sizeof last);
    SELFTEST_EQUAL(thread_create("mover", THREAD_PRIORITY_NORMAL, move_about, NULL, &thread), 0);
    for (unsigned look = 0; look < LOOKS && !wrong; look++) {
        size_t count = thread_snapshot(infos, INFOS);

        if (look % 64 == 0)
            thread_yield();
        for (size_t i = 0; i < count && i < INFOS; i++)
            if (infos[i].id == thread->id) {
                wrong = impossible(&last, &infos[i], clock_now() - start);
                last = infos[i];
            }
    }
    stop = true;
    thread_set_affinity(thread, CPU_SET_ALL);
    thread_join(thread);
    return wrong ? selftest_fail("%s", wrong) : 0;
}

/* For each sleeper: a number that changes with each setting, and the CPU that it may use then; 0:
 * any. */
static volatile uint32_t wanted[SLEEPERS];
static volatile unsigned elsewhere[SLEEPERS];

static void sleep_and_look(void *argument)
{
    unsigned self = *(const unsigned *)argument;

    while (!stop) {
        thread_sleep(20000);
        for (unsigned i = 0; i < 400; i++) {
            uint32_t before = wanted[self];
            unsigned cpu = thread_cpu();

            if (before && before == wanted[self] && (before & 255) != cpu)
                elsewhere[self]++;
        }
    }
}

/* Binds THREAD to where it is just now, and gives it time to be found elsewhere. */
static void bind(struct thread *thread, unsigned number, uint32_t setting)
{
    uint64_t end;
    uint32_t cpu;

    wanted[number] = 0;
    thread_set_affinity(thread, CPU_SET_ALL);
    for (volatile unsigned i = 0; i < setting * 1103515245u >> 20; i = i + 1)
        ;
    cpu = *(volatile uint32_t *)&thread->cpu;
    thread_set_affinity(thread, 1u << cpu);
    wanted[number] = setting << 8 | cpu;
    end = clock_now() + 2000000;
    while (clock_now() < end)
        cpu_relax();
}

SELFTEST(cpus_moving_wake, "cpus-moving-wake",
         "a thread that is woken while it is bound runs where it is bound to")
{
    static const unsigned numbers[SLEEPERS] = {0, 1, 2, 3};
    struct thread *threads[SLEEPERS];
    unsigned found = 0;

    stop = false;
    for (unsigned i = 0; i < SLEEPERS; i++) {
        wanted[i] = elsewhere[i] = 0;
        SELFTEST_EQUAL(thread_create("bound", THREAD_PRIORITY_NORMAL, sleep_and_look,
                                     (void *)&numbers[i], &threads[i]),
                       0);
    }
    for (uint32_t setting = 1; setting <= SETTINGS; setting++)
        bind(threads[setting % SLEEPERS], setting % SLEEPERS, setting);
    stop = true;
    for (unsigned i = 0; i < SLEEPERS; i++) {
        wanted[i] = 0;
        thread_set_affinity(threads[i], CPU_SET_ALL);
        thread_join(threads[i]);
        found += elsewhere[i];
    }
    SELFTEST_EQUAL(found, 0);
    return 0;
}

static struct evcnt restless;

static void attach_and_detach(void *unused)
{
    (void)unused;
    while (!stop) {
        evcnt_attach_dynamic(&restless, EVCNT_TYPE_MISC, NULL, "selftest", "restless");
        evcnt_detach(&restless);
        thread_yield();
    }
}

SELFTEST(evcnt_never_refused, "evcnt-never-refused",
         "a long report is made however often others detach meanwhile")
{
    struct evcnt *many = kmem_zalloc(MANY * sizeof *many);
    struct thread *thread;
    unsigned refused = 0;

    SELFTEST_CHECK(many != NULL);
    for (unsigned i = 0; i < MANY; i++)
        evcnt_attach_dynamic(&many[i], EVCNT_TYPE_MISC, NULL, "selftest", "one of many");
    stop = false;
    SELFTEST_EQUAL(
        thread_create("restless", THREAD_PRIORITY_NORMAL, attach_and_detach, NULL, &thread), 0);
    for (unsigned i = 0; i < REPORTS; i++) {
        void *buffer;
        size_t size, capacity;

        if (evcnt_export_alloc(EVCNT_TYPE_ANY, KERN_EVCNT_COUNT_ANY, &buffer, &size, &capacity) ==
            0)
            evcnt_export_free(buffer, capacity);
        else
            refused++;
    }
    stop = true;
    thread_join(thread);
    for (unsigned i = 0; i < MANY; i++)
        evcnt_detach(&many[i]);
    kmem_free(many);
    SELFTEST_EQUAL(refused, 0);
    return 0;
}
