/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of counters in the kernel that need interrupts or threads; tests/host has the rest. */
#include <sys/evcnt.h>
#include "kernel/memory/kmem.h"
#include "tests/kernel/selftest.h"
#include "kernel/thread/thread.h"
#include "kernel/thread/wait.h"
#include "lib/errno.h"
#include "lib/string.h"
#include "stats/evcnt/evcnt_export.h"
#include "tests/kernel/storm.h"
#include "tests/kernel/until.h"

#define EVENTS 40

static struct evcnt events[EVENTS];
static struct evcnt direct = EVCNT_INITIALIZER(EVCNT_TYPE_MISC, NULL, "selftest", "direct");

SELFTEST(evcnt_direct, "evcnt-direct",
         "what is added to ev_count directly, as of old, is part of the value")
{
    uint64_t before = evcnt_value(&direct), word = direct.ev_count;

    evcnt_attach_static(&direct);
    direct.ev_count++;
    evcnt_incr(&direct);
    direct.ev_count += 40;
    evcnt_detach(&direct);
    SELFTEST_EQUAL(evcnt_value(&direct) - before, 42);
    SELFTEST_EQUAL(direct.ev_count - word, 41);
    return 0;
}

static struct evcnt oldest = EVCNT_INITIALIZER(EVCNT_TYPE_MISC, NULL, "selftest", "same");
static struct evcnt newest = EVCNT_INITIALIZER(EVCNT_TYPE_INTR, NULL, "selftest", "same");
static volatile unsigned wrong;

static void look_up_oldest(void)
{
    struct evcnt *found = evcnt_lookup("selftest", "same");

    if (found != &oldest || evcnt_lookup("selftest", "nothing of the kind"))
        wrong++;
    else
        evcnt_incr(found);
}

SELFTEST(evcnt_lookup, "evcnt-lookup",
         "interrupts look counters up, and find the oldest, while others come and go")
{
    static struct storm storm;
    uint64_t end = until_deadline(), counted = evcnt_value(&oldest);
    struct evcnt *left;

    wrong = 0;
    evcnt_attach_static(&oldest);
    storm_begin(&storm, look_up_oldest);
    while (storm.strikes < 200 && clock_now() < end) {
        evcnt_attach_static(&newest);
        evcnt_attach_dynamic(&events[0], EVCNT_TYPE_MISC, &oldest, "selftest", "other");
        evcnt_detach(&newest);
        evcnt_detach(&events[0]);
    }
    storm_end(&storm);
    evcnt_attach_static(&newest);
    evcnt_detach(&oldest);
    left = evcnt_lookup("selftest", "same");
    evcnt_detach(&newest);
    SELFTEST_CHECK(storm.strikes >= 200);
    SELFTEST_EQUAL(wrong, 0);
    SELFTEST_EQUAL(evcnt_value(&oldest) - counted, storm.strikes);
    SELFTEST_CHECK(left == &newest && evcnt_lookup("selftest", "same") == NULL);
    return 0;
}

/* The reader: a more urgent thread that the storm wakes, so that it interrupts attaching at any
 * point. */
static struct wait_queue readers = WAIT_QUEUE_INITIALIZER(readers);
static struct spinlock lock = SPINLOCK_INITIALIZER("evcnt test");
static unsigned due;
static bool stop;
static volatile unsigned reports, refused;

/* In the timer's interrupt. */
static void wake_reader(void)
{
    spinlock_lock(&lock);
    due++;
    wait_wake_one(&readers);
    spinlock_unlock(&lock);
}

/* How many of this test's counters are in the report; -1 if it is not in order: a parent missing or
 * behind, a name cut. */
static int count_records(const void *buffer, size_t size)
{
    const struct evcnt_sysctl *record = NULL, *parent;
    int count = 0;

    while ((record = evcnt_export_next(buffer, size, record)) != NULL) {
        if (strlen(evcnt_export_name(record)) != record->ev_namelen ||
            strlen(evcnt_export_group(record)) != record->ev_grouplen)
            return -1;
        count += strcmp(evcnt_export_group(record), "selftest report") == 0;
        if (!record->ev_parent)
            continue;
        parent = NULL;
        do
            parent = evcnt_export_next(buffer, size, parent);
        while (parent && parent != record && parent->ev_addr != record->ev_parent);
        if (!parent || parent == record)
            return -1;
    }
    return count;
}

static void read_report(void)
{
    void *buffer;
    size_t size, capacity;
    int result =
        evcnt_export_alloc(EVCNT_TYPE_ANY, KERN_EVCNT_COUNT_ANY, &buffer, &size, &capacity);
    int count;

    if (result == -EAGAIN)
        refused++; /* allowed: counters went away during every attempt */
    else if (result != 0)
        wrong++;
    if (result != 0)
        return;
    count = count_records(buffer, size);
    if (count < 1 || count > EVENTS) /* the parent is always there */
        wrong++;
    evcnt_export_free(buffer, capacity);
    reports++;
}

static void read_reports(void *unused)
{
    uintptr_t state = spinlock_acquire(&lock);

    (void)unused;
    while (!stop) {
        while (!due && !stop)
            wait_sleep(&readers, &lock, &state, WAIT_FOREVER);
        spinlock_release(&lock, state);
        read_report();
        state = spinlock_acquire(&lock);
        due = 0; /* strikes during the report do not count, or the other thread would never run */
    }
    spinlock_release(&lock, state);
}

static void attach_and_detach(unsigned round)
{
    for (unsigned i = 1; i < EVENTS; i++)
        evcnt_attach_dynamic(&events[i], EVCNT_TYPE_MISC, i % 3 ? &events[i - 1] : &events[0],
                             "selftest report", "child");
    for (unsigned i = EVENTS - 1; i > 0;
         i--) /* the youngest first: parents are detached after their children */
        evcnt_detach(&events[i]);
    evcnt_incr(&events[round % EVENTS]);
}

SELFTEST(evcnt_report, "evcnt-report",
         "reports that interrupt attaching and detaching are whole and in order")
{
    static struct storm storm;
    uint64_t end = until_deadline();
    struct thread *reader;
    uintptr_t state;

    stop = false;
    due = reports = refused = wrong = 0;
    evcnt_attach_dynamic(&events[0], EVCNT_TYPE_MISC, NULL, "selftest report", "parent");
    SELFTEST_EQUAL(thread_create("reader", THREAD_PRIORITY_HIGH, read_reports, NULL, &reader), 0);
    storm_begin(&storm, wake_reader);
    for (unsigned round = 0; reports < 100 && clock_now() < end; round++)
        attach_and_detach(round);
    storm_end(&storm);
    state = spinlock_acquire(&lock); /* the reader may be between its look and its sleep */
    stop = true;
    wait_wake_all(&readers);
    spinlock_release(&lock, state);
    thread_join(reader);
    evcnt_detach(&events[0]);
    SELFTEST_EQUAL(wrong, 0);
    SELFTEST_CHECK(reports >= 100);
    return 0;
}

SELFTEST(evcnt_many, "evcnt-many", "two thousand counters come and go, each found by its name")
{
    enum { MANY = 2000 };
    struct evcnt *many = kmem_zalloc(MANY * sizeof *many);
    char(*names)[8] = kmem_alloc(MANY * sizeof *names);
    unsigned found = 0, gone = 0;

    if (!many || !names) {
        kmem_free(many);
        kmem_free(names);
        return selftest_skip("too little memory");
    }
    for (unsigned i = 0; i < MANY; i++) {
        for (unsigned digit = 0, rest = i; digit < 4; digit++, rest /= 10)
            names[i][digit] = (char)('0' + rest % 10);
        names[i][4] = '\0';
        evcnt_attach_dynamic(&many[i], EVCNT_TYPE_MISC, NULL, "selftest", names[i]);
    }
    for (unsigned i = 0; i < MANY; i++)
        found += evcnt_lookup("selftest", names[i]) == &many[i];
    for (unsigned i = 0; i < MANY; i++)
        evcnt_detach(&many[i * 7 % MANY]);
    for (unsigned i = 0; i < MANY; i++)
        gone += evcnt_lookup("selftest", names[i]) == NULL;
    kmem_free(many);
    kmem_free(names);
    SELFTEST_EQUAL(found, MANY);
    SELFTEST_EQUAL(gone, MANY);
    return 0;
}
