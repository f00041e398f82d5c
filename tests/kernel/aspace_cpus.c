/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of address spaces on several CPUs: each thread sees its own, and every CPU sees changes. */
#include <arch/aspace.h>
#include <arch/cpu.h>
#include <sys/evcnt.h>
#include "kernel/cpu/cpu.h"
#include "kernel/memory/page.h"
#include "kernel/thread/thread.h"
#include "tests/kernel/crowd.h"
#include "tests/kernel/selftest.h"
#include "tests/kernel/until.h"
#include "tests/kernel/user_word.h"

#define AT     0x120000000ul /* where static programs for MIPS lie */
#define RW     (ASPACE_READ | ASPACE_WRITE)
#define SPACES 2
#define ROUNDS 300

static struct aspace *spaces[SPACES];
static uint64_t *pages[SPACES];
static volatile unsigned wrong;

static int make_all(void)
{
    for (unsigned i = 0; i < SPACES; i++) {
        spaces[i] = aspace_create();
        pages[i] = page_alloc(0);
        SELFTEST_CHECK(spaces[i] != NULL && pages[i] != NULL);
        pages[i][0] = 1000 + i;
        SELFTEST_EQUAL(aspace_map(spaces[i], AT, memory_physical(pages[i]), PAGE_SIZE, RW), 0);
    }
    wrong = 0;
    return 0;
}

static void free_all(void)
{
    for (unsigned i = 0; i < SPACES; i++) {
        aspace_unmap(spaces[i], AT, PAGE_SIZE, NULL, NULL);
        aspace_destroy(spaces[i]);
        page_free(pages[i]);
    }
}

/* One in each address space, turn and turn about, from CPU to CPU. */
static void aspace_cpus_look_often(void *unused)
{
    unsigned which = thread_current()->id % SPACES;

    (void)unused;
    thread_set_aspace(spaces[which]);
    for (unsigned i = 0; i < ROUNDS; i++) {
        uint64_t value = 0;

        if (!user_word_read(AT, &value) || value != 1000 + which)
            wrong++;
        if (i % 16 == 0)
            thread_set_affinity(thread_current(), 1u << (i / 16 + which) % cpu_count());
        thread_yield();
    }
    thread_set_aspace(NULL);
}

SELFTEST(aspace_contents, "aspace-contents",
         "two address spaces have different contents at one address, whichever threads and CPUs")
{
    int result;

    if (make_all() != 0)
        return 1;
    result = crowd_run(CROWD_MOST, aspace_cpus_look_often, NULL);
    free_all();
    SELFTEST_EQUAL(wrong, 0);
    return result;
}

/* A thread on each CPU, which has used the page, and tries again after the change. */
static volatile bool changed;
static bool (*volatile attempt)(uint64_t *value);
static bool survived[CPU_MAX];
static volatile unsigned ready;

static bool try_write(uint64_t *value)
{
    return user_word_write(AT, *value);
}

static bool try_read(uint64_t *value)
{
    return user_word_read(AT, value);
}

static void use_and_wait(void *argument)
{
    unsigned cpu = (unsigned)(uintptr_t)argument;
    uint64_t value = cpu;

    thread_set_affinity(thread_current(), 1u << cpu);
    thread_set_aspace(spaces[0]);
    survived[cpu] = !attempt(&value);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    ready++; /* one after the other */
    while (!changed)
        thread_yield();
    if (!survived[cpu])
        survived[cpu] = attempt(&value);
    thread_set_aspace(NULL);
}

static uint64_t aspace_cpus_count_of(const char *name)
{
    const struct evcnt *counter = evcnt_lookup(cpu_possible() > 1 ? "cpu" : "cpu0", name);

    return counter ? evcnt_value(counter) : 0;
}

/* Of exceptions, by this machine's names. */
static uint64_t aspace_cpus_faults(void)
{
    return aspace_cpus_count_of("page fault") + aspace_cpus_count_of("TLB load") +
           aspace_cpus_count_of("TLB store") + aspace_cpus_count_of("TLB modified");
}

static int change_seen(bool (*how)(uint64_t *), int (*change)(void))
{
    struct thread *threads[CPU_MAX];
    uint64_t before, shootdowns;
    unsigned count = cpu_count(), alive = 0;
    int result = 0;

    changed = false;
    ready = 0;
    attempt = how;
    before = aspace_cpus_faults();
    for (uintptr_t cpu = 0; cpu < count; cpu++) {
        SELFTEST_EQUAL(
            thread_create("user", THREAD_PRIORITY_NORMAL, use_and_wait, (void *)cpu, &threads[cpu]),
            0);
        SELFTEST_CHECK(until_at_least(&ready, (unsigned)cpu + 1));
    }
    shootdowns = aspace_cpus_count_of("TLB shootdown"); /* new threads' stacks have had some */
    result = change();
    shootdowns = aspace_cpus_count_of("TLB shootdown") - shootdowns;
    changed = true;
    for (unsigned cpu = 0; cpu < count; cpu++) {
        thread_join(threads[cpu]);
        alive += survived[cpu];
    }
    SELFTEST_EQUAL(result, 0);
    SELFTEST_EQUAL(alive, 0);
    SELFTEST_EQUAL(aspace_cpus_faults() - before, count);
    if (count > 1)
        SELFTEST_EQUAL(shootdowns, count - 1);
    return 0;
}

static int take_writing(void)
{
    return aspace_protect(spaces[0], AT, PAGE_SIZE, ASPACE_READ);
}

static int take_page(void)
{
    return aspace_unmap(spaces[0], AT, PAGE_SIZE, NULL, NULL) == 1 ? 0 : -1;
}

SELFTEST(aspace_seen, "aspace-seen",
         "a page that may not be written any more, or is gone, faults once on each CPU")
{
    int result;

    if (make_all() != 0)
        return 1;
    result = change_seen(try_write, take_writing);
    if (result == 0)
        result = change_seen(try_read, take_page);
    free_all();
    return result;
}

/* This thread has it active on one CPU after another; which of them are asked? */
static int check_asked(void)
{
    uint64_t before = aspace_cpus_count_of("TLB shootdown"), value;

    thread_set_aspace(spaces[1]);
    for (unsigned cpu = 0; cpu < cpu_count(); cpu++) {
        SELFTEST_EQUAL(thread_set_affinity(thread_current(), 1u << cpu), 0);
        SELFTEST_CHECK(user_word_read(AT, &value));
        SELFTEST_EQUAL(aspace_protect(spaces[0], AT, PAGE_SIZE, cpu % 2 ? RW : ASPACE_READ), 0);
    }
    SELFTEST_EQUAL(aspace_cpus_count_of("TLB shootdown") - before,
                   0); /* the other one is active nowhere */
    thread_set_aspace(spaces[0]);
    SELFTEST_EQUAL(aspace_protect(spaces[0], AT, PAGE_SIZE, 0), 0);
    SELFTEST_EQUAL(aspace_cpus_count_of("TLB shootdown") - before, 0); /* here only */
    SELFTEST_EQUAL(aspace_protect(spaces[1], AT, PAGE_SIZE, 0), 0);
    SELFTEST_EQUAL(aspace_cpus_count_of("TLB shootdown") - before,
                   cpu_count() - 1); /* where it still is */
    for (unsigned cpu = 0; cpu < cpu_count(); cpu++)
        SELFTEST_EQUAL(thread_set_affinity(thread_current(), 1u << cpu), 0);
    before = aspace_cpus_count_of("TLB shootdown");
    SELFTEST_EQUAL(aspace_protect(spaces[1], AT, PAGE_SIZE, RW), 0);
    SELFTEST_EQUAL(aspace_cpus_count_of("TLB shootdown") - before, 0); /* no more */
    return 0;
}

SELFTEST(aspace_asked, "aspace-asked",
         "only CPUs on which an address space is active are asked to forget")
{
    struct thread *self = thread_current();
    uint32_t affinity = thread_affinity(self);
    int result;

    if (make_all() != 0)
        return 1;
    result = check_asked();
    thread_set_aspace(NULL);
    thread_set_affinity(self, affinity);
    free_all();
    return result;
}
