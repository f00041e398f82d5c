/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of laws: none is violated while threads, timers and calls between CPUs are at work, and
 * what is planted is found. The checked build panics where a law is violated; tests/qemu sees to
 * that. */
#include "kernel/cpu/preempt.h"
#include "kernel/thread/law_check.h"
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/cross_call.h"
#include "tests/kernel/selftest.h"
#include "kernel/thread/standstill.h"
#include "kernel/thread/thread.h"
#include "lib/errno.h"
#include "lib/string.h"
#include "tests/kernel/fake_line.h"

#define WORKERS 6
#define CHECKS  (5 + 40 / cpu_count()) /* with more CPUs each takes longer */

static volatile bool over;
static struct fake_device devices[WORKERS];
static struct evcnt called = EVCNT_INITIALIZER(EVCNT_TYPE_MISC, NULL, "selftest", "laws called");
EVCNT_ATTACH_STATIC(called);

static void law_call(void *unused)
{
    (void)unused;
    evcnt_incr(&called);
}

static void law_rest(void *unused)
{
    (void)unused;
}

/* A handler comes, serves interrupts, and goes: its line keeps what it had. */
static void serve(unsigned number)
{
    struct fake_device *device = &devices[number];

    *device = (struct fake_device){.letter = 'x', .claims = 1};
    if (fake_establish(fake_line(number % 4), IPL_VM, device, "law work") != 0)
        return;
    for (unsigned i = 0; i <= number; i++)
        fake_interrupt(fake_line(number % 4));
    fake_remove(fake_line(number % 4), device);
}

/* Begins and ends threads and handlers, sleeps, yields, and calls other CPUs. */
static void law_work_thread(void *number)
{
    struct thread *thread;

    for (unsigned n = 0; !over; n++) {
        if ((n + (uintptr_t)number) % 3 == 0)
            thread_sleep(100000);
        else
            thread_yield();
        if (n % 16 == 0)
            cross_call_all(law_call, NULL);
        if (n % 4 == 1)
            serve((unsigned)(uintptr_t)number);
        if (n % 64 == 0 &&
            thread_create("brief", THREAD_PRIORITY_NORMAL, law_rest, NULL, &thread) == 0)
            thread_join(thread);
    }
}

static int check_at_work(void)
{
    for (unsigned n = 0; n < CHECKS; n++) {
        struct law_check check = {.only = NULL};
        char text[256];

        SELFTEST_EQUAL(law_check(&check), 0);
        SELFTEST_CHECK(check.subjects > 0);
        if (check.violations != 0) {
            law_describe(&check.first, text, sizeof text);
            return selftest_fail("check %u: %s", n, text);
        }
    }
    return 0;
}

SELFTEST(law_work, "law-work", "no law is violated while threads come, switch, sleep and end")
{
    struct thread *workers[WORKERS];
    unsigned made = 0;
    int result;

    for (unsigned i = 0; i < 4; i++)
        (void)fake_line(i); /* is attached by the first who asks */
    over = false;
    while (made < WORKERS && thread_create("worker", THREAD_PRIORITY_NORMAL, law_work_thread,
                                           (void *)(uintptr_t)made, &workers[made]) == 0)
        made++;
    result = made == WORKERS ? check_at_work() : selftest_fail("%u threads", made);
    over = true;
    while (made > 0)
        thread_join(workers[--made]);
    return result;
}

static void count_told(const struct law_finding *finding, void *count)
{
    (void)finding;
    ++*(uint64_t *)count;
}

SELFTEST(law_subjects, "law-subjects", "every subject of every law is told of and counted, once")
{
    uint64_t told = 0;
    struct law_check check = {.told = count_told, .argument = &told};

    SELFTEST_EQUAL(law_check(&check), 0);
    SELFTEST_CHECK(told > cpu_count());
    SELFTEST_EQUAL(check.subjects, told);
    return 0;
}

#ifdef QUIPU_CHECKED
#define CANNOT_PLANT true
#else
#define CANNOT_PLANT false
#endif

SELFTEST(law_planted, "law-planted", "one too many is found in every law that has something here")
{
    struct law_check after = {.only = NULL};
    const struct law *law = NULL;
    unsigned planted = 0;

    if (CANNOT_PLANT)
        return selftest_skip("a violation panics here");
    while ((law = law_next(law)) != NULL) {
        struct law_check check = {.only = law, .planted = true};
        int error = law_check(&check);

        if (error == -ENOENT) /* nothing of the kind here */
            continue;
        SELFTEST_EQUAL(error, 0);
        if (check.violations == 0)
            return selftest_fail("%s: not found", law->name);
        SELFTEST_CHECK(check.first.law == law && !check.first.holds);
        SELFTEST_EQUAL(check.first.left - check.first.right, 1);
        planted++;
    }
    SELFTEST_EQUAL(law_check(&after), 0);
    SELFTEST_EQUAL(after.violations, 0);
    return selftest_note("%u laws", planted);
}

#define NAMED "line of selftest line 3: deliveries is "

/* A device whose driver counts its own interrupts. */
SELFTEST(law_driver, "law-driver", "a driver that counts an interrupt once more is named")
{
    static struct fake_device device = {.letter = 'x', .claims = 1};
    struct interrupt_line *line = fake_line(3);
    struct law_check check = {.only = law_find("line")};
    char text[256];

    if (CANNOT_PLANT)
        return selftest_skip("a violation panics here");
    SELFTEST_CHECK(check.only != NULL);
    SELFTEST_EQUAL(fake_establish(line, IPL_VM, &device, "law"), 0);
    fake_interrupt(line);
    evcnt_incr(&device.handler.count);
    SELFTEST_EQUAL(law_check(&check), 0);
    law_describe(&check.first, text, sizeof text);
    device.handler.count.ev_count--; /* a test may */
    fake_remove(line, &device);
    SELFTEST_EQUAL(check.violations, 1);
    SELFTEST_EQUAL(check.first.right - check.first.left, 1);
    SELFTEST_CHECK(strncmp(text, NAMED, sizeof NAMED - 1) == 0);
    check = (struct law_check){.only = law_find("line")};
    SELFTEST_EQUAL(law_check(&check), 0);
    SELFTEST_EQUAL(check.violations, 0);
    return 0;
}

/* The watch of the checked build looks every second. */
SELFTEST_ONLY_NAMED(law_left, "law-left",
                    "a wrong count that is left for a while (the checked build panics)")
{
    static struct fake_device device = {.letter = 'x', .claims = 1};
    struct interrupt_line *line = fake_line(3);

    SELFTEST_EQUAL(fake_establish(line, IPL_VM, &device, "law"), 0);
    evcnt_incr(&device.handler.count);
    thread_sleep(3000000000);
    device.handler.count.ev_count--; /* a test may */
    fake_remove(line, &device);
    return 0;
}

/* --- standstill --- */

static volatile uint64_t turns[CPU_MAX];
static uint64_t seen[2][CPU_MAX];
static volatile uint32_t marks[CPU_MAX];
static uint32_t marked; /* CPUs that had done their part */
static uint32_t had[CPU_MAX];

static void turn(void *number)
{
    thread_set_affinity(thread_current(), 1u << (uintptr_t)number);
    while (!over)
        turns[(uintptr_t)number]++;
}

/* Each CPU's part, which takes its time. */
static void law_mark(void)
{
    for (volatile unsigned i = 0; i < 20000; i++)
        ;
    marks[cpu_here.id]++;
}

static void law_look(void *unused)
{
    (void)unused;
    marked = 0;
    for (unsigned n = 0; n < cpu_count(); n++) {
        marked += marks[n] != had[n];
        had[n] = marks[n];
    }
    for (unsigned n = 0; n < CPU_MAX; n++)
        seen[0][n] = turns[n];
    for (volatile unsigned i = 0; i < 100000; i++)
        ;
    for (unsigned n = 0; n < CPU_MAX; n++)
        seen[1][n] = turns[n];
}

static int check_standstill(void)
{
    unsigned late, moved = 0;
    uint64_t last[CPU_MAX] = {0};

    for (uint32_t i = 1; i <= 5; i++) {
        SELFTEST_EQUAL(standstill(law_mark, law_look, NULL, &late), 0);
        SELFTEST_EQUAL(marked, cpu_count());
        for (unsigned n = 0; n < CPU_MAX; n++) {
            SELFTEST_EQUAL(seen[1][n] - seen[0][n], 0);
            moved += seen[0][n] != last[n];
            last[n] = seen[0][n];
        }
        thread_sleep(20000000);
    }
    SELFTEST_CHECK(moved > cpu_count()); /* and between them they ran */
    return 0;
}

SELFTEST(law_standstill, "law-standstill",
         "nothing runs on any CPU during a standstill, but between them")
{
    struct thread *threads[CPU_MAX];
    unsigned made = 0;
    int result;

    over = false;
    while (made < cpu_count() && thread_create("turn", THREAD_PRIORITY_NORMAL, turn,
                                               (void *)(uintptr_t)made, &threads[made]) == 0)
        made++;
    result = made == cpu_count() ? check_standstill() : selftest_fail("%u threads", made);
    over = true;
    while (made > 0)
        thread_join(threads[--made]);
    return result;
}

static volatile bool held_up, let_go;

/* Keeps its CPU from standing still until it is let go. */
static void law_hold_up(void *unused)
{
    (void)unused;
    thread_set_affinity(thread_current(), 2);
    preempt_disable();
    held_up = true;
    while (!let_go)
        cpu_relax();
    preempt_enable();
}

/* Runs on CPU 0 when nobody waits there for a standstill. */
static void let_it_go(void *unused)
{
    (void)unused;
    thread_set_affinity(thread_current(), 1);
    while (!over)
        thread_sleep(100000); /* an emulator that runs one CPU at a time goes on to the others */
    let_go = true;
}

/* A check beside a CPU that does not come until, if OTHER, that one runs. */
static int check_beside(void (*other)(void *), int *error, struct law_check *check)
{
    uint32_t affinity = thread_affinity(thread_current());
    struct thread *holder, *helper = NULL;

    over = held_up = let_go = false;
    thread_set_affinity(thread_current(), 1);
    SELFTEST_EQUAL(thread_create("holder", THREAD_PRIORITY_NORMAL, law_hold_up, NULL, &holder), 0);
    if (other)
        SELFTEST_EQUAL(thread_create("helper", THREAD_PRIORITY_NORMAL, other, NULL, &helper), 0);
    while (!held_up)
        thread_sleep(100000);
    over = true;
    *error = law_check(check);
    let_go = true;
    thread_join(holder);
    if (helper)
        thread_join(helper);
    thread_set_affinity(thread_current(), affinity);
    return 0;
}

SELFTEST(law_late, "law-late", "a CPU that can only come when those that stand go on is waited for")
{
    struct law_check check = {.only = NULL};
    int error;

    if (cpu_count() == 1)
        return selftest_skip("needs a second CPU");
    if (check_beside(let_it_go, &error, &check) != 0)
        return 1;
    SELFTEST_EQUAL(error, 0);
    SELFTEST_CHECK(check.subjects > 0 && check.violations == 0);
    return 0;
}

SELFTEST_ONLY_NAMED(law_never, "law-never", "a CPU that never comes is named (ten seconds)")
{
    struct law_check check = {.only = NULL}, after = check;
    int error;

    if (cpu_count() == 1)
        return selftest_skip("needs a second CPU");
    if (check_beside(NULL, &error, &check) != 0)
        return 1;
    SELFTEST_EQUAL(error, -EBUSY);
    SELFTEST_EQUAL(check.late, 1);
    SELFTEST_EQUAL(check.subjects, 0);
    SELFTEST_EQUAL(law_check(&after), 0);
    SELFTEST_CHECK(after.subjects > 0 && after.violations == 0);
    return 0;
}
