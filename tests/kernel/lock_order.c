/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of the order of locks; each planted mistake is to end in a panic. Checked build only. */
#include "kernel/lock/lock_order.h"
#include <arch/interrupt_flag.h>
#include "kernel/console/log_ring.h"
#include "kernel/thread/mutex.h"
#include "tests/kernel/selftest.h"
#include "tests/kernel/until.h"
#include "kernel/cpu/cpu.h"
#include "kernel/lock/spinlock.h"
#include "kernel/time/clock.h"
#include "kernel/thread/thread.h"
#include "lib/format.h"
#include "lib/string.h"

static struct spinlock apple = SPINLOCK_INITIALIZER("apple");
static struct spinlock banana = SPINLOCK_INITIALIZER("banana");
static struct spinlock cherry = SPINLOCK_INITIALIZER("cherry");
static struct spinlock pair[2] = {SPINLOCK_INITIALIZER("pair"), SPINLOCK_INITIALIZER("pair")};

static void take_both(struct spinlock *first, struct spinlock *second)
{
    uintptr_t outer = spinlock_acquire(first), inner = spinlock_acquire(second);

    spinlock_release(second, inner);
    spinlock_release(first, outer);
}

SELFTEST(lock_order_kept, "lock-order-kept",
         "locks taken in one order, several times, and let go in any, are in order")
{
    uintptr_t state;

    for (unsigned i = 0; i < 3; i++) {
        take_both(&apple, &cherry);
        take_both(&pair[0], &pair[1]);
    }
    state = spinlock_acquire(&apple);
    spinlock_lock(&cherry);
    spinlock_unlock(&apple);
    SELFTEST_CHECK(spinlock_held(&cherry) && !spinlock_held(&apple));
    spinlock_release(&cherry, state);
    return 0;
}

/* The report of lock NAME; its numbers are 0 if there is none. *TIMES says how often it is listed.
 */
static struct lock_report find_report(const char *name, unsigned *times)
{
    static struct lock_report reports[192];
    struct lock_report found = {.name = name};
    unsigned count = lock_stats_get(reports, 192);

    *times = 0;
    for (unsigned i = 0; i < count && i < 192; i++)
        if (strcmp(reports[i].name, name) == 0 && (*times)++ == 0)
            found = reports[i];
    return found;
}

static struct lock_report report_of(const char *name)
{
    unsigned times;

    return find_report(name, &times);
}

SELFTEST(lock_stats, "lock-stats", "a lock's statistics move by what is done to it")
{
    struct lock_report before = report_of("banana"), after;

    for (unsigned i = 0; i < 100; i++)
        spinlock_release(&banana, spinlock_acquire(&banana));
    after = report_of("banana");
    SELFTEST_EQUAL(after.counts.acquired - before.counts.acquired, 100);
    SELFTEST_EQUAL(after.counts.contended - before.counts.contended, 0);
    SELFTEST_CHECK(after.counts.held > before.counts.held && after.cpu == 0 && !after.sum);
    SELFTEST_CHECK(after.counts.held_most <= after.counts.held);
    return 0;
}

#define HELD    20000000ull /* ns, by the other thread */
#define WORKED  1000000ull  /* and by the test */
#define ROUNDED 10          /* cycles are summed */

static struct spinlock damson = SPINLOCK_INITIALIZER("damson");
static kmutex_t elder;
static volatile unsigned holds;

static void keep_busy(uint64_t ns)
{
    uint64_t end = clock_now() + ns;

    while (clock_now() < end)
        cpu_relax();
}

static void hold_damson(void *unused)
{
    uintptr_t state = spinlock_acquire(&damson);

    (void)unused;
    holds = 1;
    keep_busy(HELD);
    spinlock_release(&damson, state);
}

static void hold_elder(void *unused)
{
    (void)unused;
    mutex_enter(&elder);
    holds = 1;
    thread_sleep(HELD);
    mutex_exit(&elder);
}

/* NAME was held by two, one after the other, in ELAPSED: the second waited for most of it. */
static int check_times(const struct lock_counts *before, const char *name, uint64_t elapsed)
{
    struct lock_counts after = report_of(name).counts;
    uint64_t held = after.held - before->held, waited = after.waited - before->waited;

    SELFTEST_EQUAL(after.acquired - before->acquired, 2);
    if (held + ROUNDED < HELD + WORKED || held > elapsed || waited > elapsed)
        return selftest_fail("%s: held %lu ns and waited for %lu ns of %lu", name,
                             (unsigned long)held, (unsigned long)waited, (unsigned long)elapsed);
    SELFTEST_EQUAL(after.contended - before->contended, waited > 0);
    return 0;
}

SELFTEST(lock_stats_spin, "lock-stats-spin",
         "a spinlock's holders, one after the other, have it no longer than time passes")
{
    struct lock_counts before = report_of("damson").counts;
    cpu_set_t everywhere = thread_affinity(thread_current());
    struct thread *other;
    uint64_t begin = clock_now();
    uintptr_t state;

    if (cpu_count() == 1)
        return selftest_skip("one CPU");
    holds = 0;
    SELFTEST_EQUAL(thread_create("holder", THREAD_PRIORITY_NORMAL, hold_damson, NULL, &other), 0);
    thread_set_affinity(other, 2);
    thread_set_affinity(thread_current(), 1);
    SELFTEST_CHECK(until_at_least(&holds, 1));
    state = spinlock_acquire(&damson);
    keep_busy(WORKED);
    spinlock_release(&damson, state);
    thread_join(other);
    thread_set_affinity(thread_current(), everywhere);
    return check_times(&before, "damson", clock_now() - begin);
}

SELFTEST(lock_stats_mutex, "lock-stats-mutex",
         "a mutex' owners, one after the other, have it no longer than time passes")
{
    struct lock_counts before;
    struct thread *other;
    uint64_t begin;

    if (!elder.name)
        mutex_init(&elder, "elder");
    before = report_of("elder").counts;
    begin = clock_now();
    holds = 0;
    SELFTEST_EQUAL(thread_create("holder", THREAD_PRIORITY_HIGH, hold_elder, NULL, &other), 0);
    while (!holds)
        thread_sleep(WORKED / 100);
    mutex_enter(&elder);
    keep_busy(WORKED);
    mutex_exit(&elder);
    thread_join(other);
    return check_times(&before, "elder", clock_now() - begin);
}

SELFTEST(lock_stats_once, "lock-stats-once",
         "a lock that two CPUs use for the first time at once is listed once")
{
    static struct spinlock locks[] = {SPINLOCK_INITIALIZER("fig"), SPINLOCK_INITIALIZER("grape")};

    for (unsigned i = 0; i < 2; i++) {
        struct lock_record *record = &locks[i].record;
        uintptr_t state = interrupts_save();
        unsigned times;

        lock_stats_begin(record, locks[i].name, false);
        lock_stats_begin(record, locks[i].name, false); /* the other has not seen the name yet */
        interrupts_restore(state);
        if (record->next == record) { /* or whoever goes through the list never ends */
            record->next = NULL;
            return selftest_fail("it comes after itself");
        }
        find_report(locks[i].name, &times);
        SELFTEST_EQUAL(times, 1);
    }
    return 0;
}

SELFTEST(lock_stats_sum, "lock-stats-sum", "locks that come and go are summed under their name")
{
    struct lock_report before = report_of("passing"), after;

    for (unsigned i = 0; i < 10; i++) {
        kmutex_t mutex;

        mutex_init(&mutex, "passing");
        mutex_enter(&mutex);
        mutex_exit(&mutex);
        mutex_destroy(&mutex);
    }
    after = report_of("passing");
    SELFTEST_EQUAL(after.counts.acquired - before.counts.acquired, 10);
    SELFTEST_CHECK(after.sum && after.sleeping);
    return 0;
}

static __attribute__((noinline)) void plant_forward(void)
{
    take_both(&apple, &banana);
}

static __attribute__((noinline)) void plant_backward(void)
{
    uintptr_t outer = spinlock_acquire(&banana), inner = spinlock_acquire(&apple);

    spinlock_release(&apple, inner);
    spinlock_release(&banana, outer);
}

SELFTEST_ONLY_NAMED(lock_order_planted, "lock-order-planted",
                    "panics: apple before banana, then banana before apple")
{
    plant_forward();
    plant_backward();
    return selftest_fail("nobody noticed");
}

SELFTEST_ONLY_NAMED(lock_order_chain, "lock-order-chain",
                    "panics: apple, banana, cherry in a circle, each only once")
{
    take_both(&apple, &banana);
    take_both(&banana, &cherry);
    take_both(&cherry, &apple);
    return selftest_fail("nobody noticed");
}

SELFTEST_ONLY_NAMED(lock_order_pair, "lock-order-pair",
                    "panics: two locks of one name, one way and the other")
{
    take_both(&pair[0], &pair[1]);
    take_both(&pair[1], &pair[0]);
    return selftest_fail("nobody noticed");
}

SELFTEST_ONLY_NAMED(lock_order_mutex, "lock-order-mutex",
                    "panics: two mutexes, one way and the other")
{
    static kmutex_t mutexes[2];

    mutex_init(&mutexes[0], "date");
    mutex_init(&mutexes[1], "elder");
    for (unsigned i = 0; i < 2; i++) {
        mutex_enter(&mutexes[i]);
        mutex_enter(&mutexes[1 - i]);
        mutex_exit(&mutexes[1 - i]);
        mutex_exit(&mutexes[i]);
    }
    return selftest_fail("nobody noticed");
}

SELFTEST_ONLY_NAMED(lock_order_enter, "lock-order-enter",
                    "panics: a free mutex entered with a spinlock held")
{
    static kmutex_t mutex;

    mutex_init(&mutex, "date");
    spinlock_acquire(&apple);
    mutex_enter(&mutex);
    return selftest_fail("nobody noticed");
}

static void nothing(void *unused)
{
    (void)unused;
}

SELFTEST_ONLY_NAMED(lock_order_join, "lock-order-join",
                    "panics: a thread joined with a spinlock held, though it has ended")
{
    struct thread *thread;

    SELFTEST_EQUAL(thread_create("short", THREAD_PRIORITY_HIGH, nothing, NULL, &thread), 0);
    spinlock_acquire(&cherry);
    thread_join(thread);
    return selftest_fail("nobody noticed");
}

SELFTEST_ONLY_NAMED(lock_order_sleep, "lock-order-sleep",
                    "panics: a sleep that gives up one spinlock, with another one held")
{
    static struct wait_queue queue = WAIT_QUEUE_INITIALIZER(queue);
    uintptr_t state = spinlock_acquire(&apple), inner = spinlock_acquire(&cherry);

    wait_sleep(&queue, &cherry, &inner, 0);
    spinlock_release(&cherry, inner);
    spinlock_release(&apple, state);
    return selftest_fail("nobody noticed");
}

#define MANY (LOCK_CLASSES + 10)

SELFTEST_ONLY_NAMED(lock_order_full, "lock-order-full",
                    "more names than there is room for: the log says so, and locks still work")
{
    static char names[MANY][8];
    static struct spinlock locks[MANY];
    static char text[16384];
    size_t length = 0, offset = 0, more;
    unsigned lines = 0;

    for (unsigned i = 0; i < MANY; i++) {
        format(names[i], sizeof names[i], "full%u", i);
        spinlock_init(&locks[i], names[i]);
        take_both(&apple, &locks[i]);
        SELFTEST_EQUAL(report_of(names[i]).counts.acquired, 1);
    }
    while (length < sizeof text - 1 &&
           (more = log_read(&offset, text + length, sizeof text - 1 - length)) > 0)
        length += more;
    for (const char *line = text; (line = strchr(line, '\n')) != NULL; line++)
        lines += strncmp(line + 16, "lock order: more than", 21) == 0;
    SELFTEST_EQUAL(lines, 1);
    return 0;
}
