/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of many processes: their numbers, that nothing of them is left, and families that grow and
 * end on all CPUs at once. The command adds up memory and threads after each test. */
#include "tests/kernel/selftest.h"
#include "kernel/memory/kmem.h"
#include "kernel/process/process.h"
#include "lib/errno.h"
#include "tests/kernel/until.h"

#define MANY 10000u

static struct process **processes;

/* Makes MANY processes at once, without threads: how many there are. */
static unsigned make_many(void)
{
    unsigned count = 0;

    while (count < MANY && process_create("one of many", &processes[count]) == 0)
        count++;
    return count;
}

static void exit_with_own(void *unused)
{
    (void)unused;
    process_exit((int)process_current()->id * 3 + 1);
}

/* Each is found by its number, and numbers are those after the one before, until they begin anew.
 */
static int check_numbers(unsigned count)
{
    for (unsigned n = 0; n < count; n++) {
        struct process *found = process_find(processes[n]->id);

        SELFTEST_CHECK(found == processes[n]);
        process_release(found);
        SELFTEST_CHECK(n == 0 || found->id > processes[n - 1]->id || processes[n - 1]->id > 20000);
    }
    return 0;
}

/* Ends the process, and waits for it; every other one for any that has ended. */
static int end_one(unsigned n)
{
    struct process *process = processes[n];
    uint32_t id = process->id;
    int status = 0;

    SELFTEST_EQUAL(
        process_thread_create(process, "one", THREAD_PRIORITY_NORMAL, exit_with_own, NULL), 0);
    process_release(process);
    SELFTEST_EQUAL(process_wait(n % 2 ? id : PROCESS_ANY, 0, &status), id);
    SELFTEST_EQUAL(status, (int)id * 3 + 1);
    SELFTEST_CHECK(process_find(id) == NULL);
    return 0;
}

SELFTEST_ONE_CPU(
    process_many, "process-many",
    "10,000 processes at a time: found, ended, waited for, and nothing is left of them")
{
    unsigned count;
    int result;

    processes = kmem_alloc(MANY * sizeof(struct process *));
    if (processes == NULL)
        return selftest_skip("no memory");
    count = make_many();
    result = check_numbers(count);
    for (unsigned n = 0; n < count && result == 0; n++)
        result = end_one(n);
    kmem_free(processes);
    if (result == 0 && count < MANY)
        return selftest_fail("only %u processes", count);
    return result;
}

/* One after the other: the numbers go on, pass those that are taken, and begin anew. */
SELFTEST(process_numbers, "process-numbers",
         "a number comes again after all others that are free, and never one that is taken")
{
    struct process *kept[3], *process;
    uint32_t before = 0;
    unsigned rounds = 0;

    for (unsigned n = 0; n < 3; n++) {
        SELFTEST_EQUAL(process_create("kept", &kept[n]), 0);
        SELFTEST_EQUAL(process_create("between", &process), 0);
        process_discard(process);
    }
    for (unsigned n = 0; n < 2 * PROCESS_ID_MAX + 100; n++) {
        uint32_t id, expected = before;

        SELFTEST_EQUAL(process_create("passing", &process), 0);
        id = process->id;
        process_discard(process);
        do
            expected = expected < PROCESS_ID_MAX ? expected + 1 : 1;
        while (expected == kept[0]->id || expected == kept[1]->id || expected == kept[2]->id);
        if (before != 0)
            SELFTEST_EQUAL(id, expected);
        rounds += id < before;
        before = id;
    }
    SELFTEST_CHECK(rounds >= 2);
    for (unsigned n = 0; n < 3; n++)
        process_discard(kept[n]);
    return 0;
}

/* All numbers are taken but one, which is given out, and then none is left. */
static int take_last_number(uint32_t *count)
{
    uint32_t id = processes[*count - 1]->id;
    struct process *process;

    process_discard(processes[--*count]);
    SELFTEST_EQUAL(process_create("last", &process), 0);
    processes[(*count)++] = process;
    SELFTEST_EQUAL(process->id, id);
    SELFTEST_EQUAL(process_create("none", &process), -EAGAIN);
    return 0;
}

SELFTEST(process_full, "process-full", "when all numbers are taken there is no other process")
{
    uint32_t count = 0;
    int error = 0, result = 0;

    processes = kmem_alloc((PROCESS_ID_MAX + 1) * sizeof(struct process *));
    if (processes == NULL)
        return selftest_skip("no memory");
    while (count <= PROCESS_ID_MAX && error == 0) {
        error = process_create("filler", &processes[count]);
        count += error == 0;
    }
    if (error == -ENOMEM)
        result = selftest_skip("memory for %u processes only", count);
    else if (error != -EAGAIN || count != PROCESS_ID_MAX)
        result = selftest_fail("%u processes, then %d", count, error);
    else
        result = take_last_number(&count);
    while (count > 0)
        process_discard(processes[--count]);
    kmem_free(processes);
    return result;
}

#define FAMILIES 4
#define CHILDREN 60

static struct wait_queue nobody = WAIT_QUEUE_INITIALIZER(nobody);
static struct spinlock lock = SPINLOCK_INITIALIZER("process test");
static volatile unsigned done, right; /* under the lock */
static uint64_t told[FAMILIES];

static void note_done(bool is_right)
{
    uintptr_t state = spinlock_acquire(&lock);

    done++;
    right += is_right;
    spinlock_release(&lock, state);
}

static void grandchild(void *unused)
{
    (void)unused;
    thread_yield();
    note_done(true);
}

/* Leaves a grandchild behind. */
static void process_many_child(void *argument)
{
    struct process *process;

    if (process_create("grandchild", &process) == 0) {
        if (process_thread_create(process, "grandchild", THREAD_PRIORITY_NORMAL, grandchild,
                                  NULL) == 0)
            process_release(process);
        else
            process_discard(process);
    }
    process_exit((int)(uintptr_t)argument);
}

/* Several children at a time, waited for as they end. */
static void family(void *argument)
{
    uint64_t *sum = argument;
    unsigned begun = 0, ended = 0;

    while (ended < CHILDREN) {
        struct process *process;
        int status;

        while (begun < CHILDREN && begun < ended + 3) {
            if (process_create("child", &process) != 0)
                process_exit(-1);
            if (process_thread_create(process, "child", THREAD_PRIORITY_NORMAL, process_many_child,
                                      (void *)(uintptr_t)(begun + 1)) != 0)
                process_exit(-2);
            process_release(process);
            begun++;
        }
        if (process_wait(PROCESS_ANY, 0, &status) < 0)
            process_exit(-3);
        *sum += (uint64_t)status;
        ended++;
    }
    process_exit(process_wait(PROCESS_ANY, 0, NULL));
}

SELFTEST(process_families, "process-families",
         "families that grow and end at once: each status arrives once, each orphan goes")
{
    uint64_t end = until_deadline();
    int ids[FAMILIES];

    done = 0;
    for (unsigned n = 0; n < FAMILIES; n++) {
        struct process *process;

        told[n] = 0;
        SELFTEST_EQUAL(process_create("family", &process), 0);
        ids[n] = (int)process->id;
        SELFTEST_EQUAL(
            process_thread_create(process, "family", THREAD_PRIORITY_NORMAL, family, &told[n]), 0);
        process_release(process);
    }
    for (unsigned n = 0; n < FAMILIES; n++) {
        int status = 0;

        SELFTEST_EQUAL(process_wait((uint32_t)ids[n], 0, &status), ids[n]);
        SELFTEST_EQUAL(status, -ECHILD);
        SELFTEST_EQUAL(told[n], CHILDREN * (CHILDREN + 1) / 2);
    }
    while (!TAILQ_EMPTY(&process_kernel.children) && clock_now() < end) /* orphans go soon */
        thread_yield();
    SELFTEST_CHECK(TAILQ_EMPTY(&process_kernel.children));
    SELFTEST_EQUAL(done, FAMILIES * CHILDREN);
    return 0;
}

#define THREADS 5

static volatile unsigned begun;

/* Waits for nothing until it is interrupted; one turns instead. */
static void process_many_wait_for_end(void *unused)
{
    uintptr_t state = spinlock_acquire(&lock);
    bool turns = begun++ == 0;
    int result = 0;

    (void)unused;
    while (!turns && result == 0)
        result = wait_interruptible(&nobody, &lock, &state, until_deadline());
    spinlock_release(&lock, state);
    while (turns && !process_ending())
        thread_yield();
    note_done(turns || result == -EINTR);
}

static void end_all(void *unused)
{
    struct process *self = process_current();

    (void)unused;
    for (unsigned n = 0; n < THREADS; n++)
        if (process_thread_create(self, "one of five", THREAD_PRIORITY_NORMAL,
                                  process_many_wait_for_end, NULL) != 0)
            process_exit(-1);
    while (begun < THREADS)
        thread_yield();
    process_end(self, 77);
    if (process_thread_create(self, "too late", THREAD_PRIORITY_NORMAL, process_many_wait_for_end,
                              NULL) != -ESRCH)
        done = 1000;
    process_exit(78); /* said too late */
}

SELFTEST(process_threads, "process-threads",
         "the end of a process is that of all its threads, wherever they are, and the last one's")
{
    struct process *process;
    int status;

    for (unsigned round = 0; round < 20; round++) {
        done = right = begun = 0;
        SELFTEST_EQUAL(process_create("threads", &process), 0);
        SELFTEST_EQUAL(
            process_thread_create(process, "first", THREAD_PRIORITY_NORMAL, end_all, NULL), 0);
        SELFTEST_EQUAL(process_wait(process->id, 0, &status), process->id);
        SELFTEST_EQUAL(status, 77);
        SELFTEST_EQUAL(done, THREADS);
        SELFTEST_EQUAL(right, THREADS);
        SELFTEST_EQUAL(process->thread_count, 0);
        SELFTEST_CHECK(TAILQ_EMPTY(&process->threads) && TAILQ_EMPTY(&process->ended_threads));
        process_release(process);
    }
    SELFTEST_EQUAL(process_create("never", &process), 0);
    process_end(process, 1);
    SELFTEST_EQUAL(process_thread_create(process, "never", THREAD_PRIORITY_NORMAL, end_all, NULL),
                   -ESRCH);
    process_discard(process);
    SELFTEST_EQUAL(process_wait(PROCESS_ANY, 0, NULL), -ECHILD);
    return 0;
}
