/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of the time that threads spend in user mode. */
#include <arch/cpu.h>
#include <arch/interrupt_flag.h>
#include "kernel/cpu/cpu.h"
#include "kernel/thread/thread.h"
#include "kernel/time/clock.h"
#include "kernel/time/cpu_time.h"
#include "tests/kernel/pmu_code.h"
#include "tests/kernel/selftest.h"
#include "tests/kernel/until.h"

#define TURNS 2000000u
#define TRIES 20u

/* Cycles of this CPU and of the caller in user mode, and all of the caller's, at one moment; the
 * nanoseconds that are told of the two. */
struct moment {
    uint64_t cpu, thread, all;
    uint64_t cpu_told, thread_told;
};

static void user_time_look(struct moment *out)
{
    uintptr_t state = interrupts_save();
    struct thread_time time;
    struct cpu_time told;

    out->cpu = cpu_here.time_user;
    out->thread = thread_current()->user_cycles;
    thread_time_get(thread_current(), &time);
    out->all = time.all;
    out->thread_told = clock_cycles_to_ns(time.user);
    cpu_time_get(cpu_here.id, &told);
    out->cpu_told = told.user;
    interrupts_restore(state);
}

static int user_time_run(uint64_t turns, struct moment *spent)
{
    struct moment before, after;
    bool back;

    SELFTEST_CHECK(pmu_code_user_prepare(&pmu_code_loop, 0) == 0);
    user_time_look(&before);
    back = pmu_code_user(USER_MODE_USER, turns);
    user_time_look(&after);
    pmu_code_user_done();
    SELFTEST_CHECK(back);
    spent->cpu = after.cpu - before.cpu;
    spent->thread = after.thread - before.thread;
    spent->all = after.all - before.all;
    spent->cpu_told = after.cpu_told - before.cpu_told;
    spent->thread_told = after.thread_told - before.thread_told;
    return 0;
}

static bool user_time_is_told(const struct moment *spent)
{
    uint64_t ns = clock_cycles_to_ns(spent->thread), cpu = spent->cpu_told - ns;

    return cpu + 1 <= 2 && spent->thread_told - ns + 1 <= 2; /* each rounds by itself */
}

SELFTEST_ONE_CPU(user_time, "user-time",
                 "a program's time is user time, of its thread and of its CPU, and no other is")
{
    struct moment few, many, kernel[2];

    for (unsigned i = 0; i < TRIES; i++) { /* the host may have been away meanwhile */
        SELFTEST_CHECK(user_time_run(TURNS, &few) == 0 && user_time_run(TURNS * 2, &many) == 0);
        if (many.thread > few.thread)
            break;
    }
    user_time_look(&kernel[0]);
    pmu_code_kernel(&pmu_code_loop, TURNS);
    user_time_look(&kernel[1]);
    SELFTEST_CHECK(few.thread > 0 && many.thread > few.thread);
    SELFTEST_EQUAL(few.thread, few.cpu); /* nobody else was in user mode */
    SELFTEST_EQUAL(many.thread, many.cpu);
    SELFTEST_CHECK(user_time_is_told(&few) && user_time_is_told(&many));
    SELFTEST_CHECK(few.thread < few.all && many.thread < many.all);
    SELFTEST_EQUAL(kernel[1].thread - kernel[0].thread, 0);
    SELFTEST_EQUAL(kernel[1].cpu - kernel[0].cpu, 0);
    return selftest_note("%lu ns more for %u turns more",
                         (unsigned long)clock_cycles_to_ns(many.thread - few.thread), TURNS);
}

/* What another thread reads of one that is in user mode now. */
static volatile bool ending;

static void user_time_stay(void *unused)
{
    (void)unused;
    while (!ending)
        if (!pmu_code_user(USER_MODE_USER, 20000))
            break;
}

SELFTEST(user_time_read, "user-time-read",
         "times read while a thread is in user mode grow, add up, and never go back")
{
    struct thread_time last = {0}, now;
    struct thread *thread;
    uint64_t end = clock_now() + 200000000, limit = until_deadline();
    int error;

    SELFTEST_CHECK(pmu_code_user_prepare(&pmu_code_loop, 0) == 0);
    ending = false;
    error = thread_create("user", THREAD_PRIORITY_NORMAL, user_time_stay, NULL, &thread);
    for (unsigned i = 0;
         error == 0 && (clock_now() < end || (last.user == 0 && clock_now() < limit)); i++) {
        uintptr_t state = interrupts_save();

        thread_time_get(thread, &now);
        interrupts_restore(state);
        if (now.user < last.user || now.all < last.all || now.user > now.all ||
            now.all - now.user < last.all - last.user) {
            error = 1;
            break;
        }
        last = now;
        thread_yield();
    }
    ending = true;
    thread_join(thread);
    pmu_code_user_done();
    SELFTEST_EQUAL(error, 0);
    SELFTEST_CHECK(last.user > 0);
    return 0;
}
