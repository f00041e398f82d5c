/* SPDX-License-Identifier: BSD-2-Clause */
/* Threads, each a CPU of its own, that count, attach, detach, list and read at the same time. */
#include <sys/evcnt.h>

#include "lib/errno.h"
#include "stats/evcnt/evcnt_export.h"
#include "tests/host/test.h"

#include <pthread.h>
#include <quipu_host.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#define CPUS  6u
#define COUNT 20000u

static struct evcnt counter, share[CPUS], passing;
static int running; /* threads that count */
static unsigned wrong;

static bool is_running(void)
{
    return __atomic_load_n(&running, __ATOMIC_ACQUIRE) != 0;
}

static void note_wrong(bool is)
{
    if (is)
        __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
}

static void *count(void *cpu)
{
    host_cpu_set((unsigned)(uintptr_t)cpu);
    for (unsigned i = 0; i < COUNT; i++)
        evcnt_incr(&counter);
    __atomic_fetch_sub(&running, 1, __ATOMIC_RELEASE);
    return NULL;
}

/* Values never go back, and shares are read before their whole. */
static void *watch(void *unused)
{
    uint64_t before = 0;

    while (is_running()) {
        uint64_t parts = 0;
        uint64_t now;

        for (unsigned cpu = 0; cpu < CPUS; cpu++)
            parts += evcnt_value(&share[cpu]);
        now = evcnt_value(&counter);
        note_wrong(parts > now || now < before);
        before = now;
    }
    return unused;
}

static void *come_and_go(void *unused)
{
    host_cpu_set(CPUS);
    while (is_running()) {
        evcnt_attach_dynamic(&passing, EVCNT_TYPE_MISC, &counter, "threads", "passing");
        evcnt_incr(&passing);
        note_wrong(evcnt_value(&passing) != 1);
        evcnt_detach(&passing);
        note_wrong(evcnt_value(&passing) != 1);
    }
    return unused;
}

static void *list(void *unused)
{
    while (is_running()) {
        void *buffer;
        size_t size;
        size_t capacity;
        int error =
            evcnt_export_alloc(EVCNT_TYPE_ANY, KERN_EVCNT_COUNT_ANY, &buffer, &size, &capacity);

        note_wrong(error != 0 || evcnt_lookup("threads", "counter") != &counter);
        if (error == 0)
            evcnt_export_free(buffer, capacity);
    }
    return unused;
}

TEST(thread_counts_are_exact_beside_all_else)
{
    static void *(*const others[])(void *) = {watch, come_and_go, list};
    pthread_t thread[CPUS + 3];

    wrong = 0;
    running = CPUS;
    evcnt_attach_dynamic(&counter, EVCNT_TYPE_MISC, NULL, "threads", "counter");
    for (unsigned cpu = 0; cpu < CPUS; cpu++)
        evcnt_attach_share(&share[cpu], &counter, cpu, "threads", "share");
    for (unsigned i = 0; i < CPUS + 3; i++)
        CHECK(pthread_create(&thread[i], NULL, i < CPUS ? count : others[i - CPUS],
                             (void *)(uintptr_t)i) == 0);
    for (unsigned i = 0; i < CPUS + 3; i++)
        pthread_join(thread[i], NULL);
    CHECK_EQUAL(wrong, 0);
    CHECK_EQUAL(evcnt_value(&counter), CPUS * COUNT);
    for (unsigned cpu = 0; cpu < CPUS; cpu++)
        CHECK_EQUAL(evcnt_value(&share[cpu]), COUNT);
}

/* Reads a counter that comes and goes. */
static void *read_on(void *unused)
{
    uint64_t before = 0;

    while (is_running()) {
        uint64_t now = evcnt_value(&counter);

        note_wrong(now < before);
        before = now;
    }
    return unused;
}

TEST(thread_reads_never_go_back_while_detached)
{
    pthread_t reader;

    memset(&counter, 0, sizeof counter);
    wrong = 0;
    running = 1;
    CHECK(pthread_create(&reader, NULL, read_on, NULL) == 0);
    for (unsigned i = 0; i < 2000; i++) {
        host_cpu_set(i % CPUS);
        evcnt_incr(&counter);
        evcnt_attach_dynamic_nozero(&counter, EVCNT_TYPE_MISC, NULL, "threads", "counter");
        evcnt_incr(&counter);
        host_cpu_set((i + 1) % CPUS);
        evcnt_incr(&counter);
        evcnt_detach(&counter);
    }
    __atomic_store_n(&running, 0, __ATOMIC_RELEASE);
    pthread_join(reader, NULL);
    CHECK_EQUAL(wrong, 0);
    CHECK_EQUAL(evcnt_value(&counter), 6000);
}

static uint64_t account[CPUS];

/* Raises a counter that comes and goes, and writes down how often. */
static void *raise_on(void *cpu)
{
    unsigned self = (unsigned)(uintptr_t)cpu;

    host_cpu_set(self);
    while (is_running()) {
        evcnt_incr(&counter);
        __atomic_fetch_add(&account[self], 1, __ATOMIC_RELAXED);
    }
    return NULL;
}

TEST(thread_detaching_loses_nothing)
{
    pthread_t thread[CPUS];
    uint64_t sum = 0;

    memset(&counter, 0, sizeof counter);
    memset(account, 0, sizeof account);
    running = 1;
    for (unsigned i = 0; i < CPUS; i++)
        CHECK(pthread_create(&thread[i], NULL, raise_on, (void *)(uintptr_t)i) == 0);
    for (unsigned i = 0; i < 60; i++) {
        unsigned cpu = 1 + i % (CPUS - 1);
        uint64_t before = __atomic_load_n(&account[cpu], __ATOMIC_RELAXED);

        evcnt_attach_dynamic_nozero(&counter, EVCNT_TYPE_MISC, NULL, "threads", "counter");
        while (__atomic_load_n(&account[cpu], __ATOMIC_RELAXED) < before + 3)
            sched_yield();
        evcnt_detach(&counter);
    }
    __atomic_store_n(&running, 0, __ATOMIC_RELEASE);
    for (unsigned i = 0; i < CPUS; i++) {
        pthread_join(thread[i], NULL);
        sum += account[i];
    }
    CHECK_EQUAL(evcnt_value(&counter), sum);
}
