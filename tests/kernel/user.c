/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of user mode: in, out by a call and by a fault, and interrupts in between. */
#include <arch/cpu.h>
#include <arch/interrupt_flag.h>
#include <sys/evcnt.h>
#include "kernel/cpu/preempt.h"
#include "kernel/cpu/cpu_share.h"
#include "tests/kernel/selftest.h"
#include "kernel/thread/thread.h"
#include "tests/kernel/crowd.h"
#include "tests/kernel/pmu_code.h"

#define TURNS 1000

/* Of the counters of exceptions with these names, those that this machine has. */
static uint64_t exceptions(const char *const *names)
{
    uint64_t sum = 0;

    for (; *names; names++) {
        const struct evcnt *counter = evcnt_lookup(cpu_group(), *names);

        sum += counter ? evcnt_value(counter) : 0;
    }
    return sum;
}

static const char *const call_names[] = {"system call", NULL};
static const char *const fault_names[] = {"page fault", "address error load", "address error store",
                                          NULL};

SELFTEST_ONE_CPU(user_call, "user-call", "code runs in user mode and comes back by a call")
{
    uint64_t calls = exceptions(call_names), faults = exceptions(fault_names);
    bool user;

    SELFTEST_CHECK(pmu_code_user_prepare(&pmu_code_memory, TURNS) == 0);
    preempt_disable();
    user = pmu_code_user(USER_MODE_USER, USER_DATA);
    preempt_enable();
    pmu_code_user_done();
    SELFTEST_CHECK(user);
    SELFTEST_EQUAL(exceptions(call_names) - calls, 1);
    SELFTEST_EQUAL(exceptions(fault_names) - faults, 0);
    SELFTEST_CHECK(interrupts_enabled());
    return 0;
}

SELFTEST_ONE_CPU(user_fault, "user-fault",
                 "a user who touches the kernel is thrown out, many times over")
{
    uint64_t calls = exceptions(call_names), faults = exceptions(fault_names);
    unsigned out = 0;

    SELFTEST_CHECK(pmu_code_user_prepare(&pmu_code_memory, TURNS) == 0);
    preempt_disable();
    for (unsigned i = 0; i < 100; i++)
        if (!pmu_code_user(USER_MODE_USER, (uintptr_t)&cpu_self))
            out++;
    preempt_enable();
    pmu_code_user_done();
    SELFTEST_EQUAL(out, 100);
    SELFTEST_EQUAL(exceptions(fault_names) - faults, 100);
    SELFTEST_EQUAL(exceptions(call_names) - calls, 0);
    return 0;
}

SELFTEST_ONE_CPU(user_interrupts, "user-interrupts",
                 "interrupts are served while a user runs, and the user does not notice")
{
    const struct evcnt *timer = evcnt_lookup(cpu_group(), "timer");
    uint64_t turns = 100000, served = 0;
    bool came_back = true;

    if (!timer)
        return selftest_skip("no timer of its own");
    SELFTEST_CHECK(pmu_code_user_prepare(&pmu_code_loop, 0) == 0);
    preempt_disable();
    for (unsigned i = 0; i < 20 && came_back && served < 3; i++, turns *= 2) {
        uint64_t before = evcnt_value(timer);

        came_back = pmu_code_user(USER_MODE_USER, turns);
        served = evcnt_value(timer) - before;
    }
    preempt_enable();
    pmu_code_user_done();
    SELFTEST_CHECK(came_back);
    SELFTEST_CHECK(served >= 3);
    return 0;
}

static volatile bool thrown_out;

static void run_often(void *unused)
{
    (void)unused;
    for (unsigned i = 0; i < 2000; i++)
        if (!pmu_code_user(USER_MODE_USER, 1))
            thrown_out = true;
}

SELFTEST(user_cpus, "user-cpus", "several CPUs are in user mode at once, and all come back")
{
    int result;

    thrown_out = false;
    SELFTEST_CHECK(pmu_code_user_prepare(&pmu_code_loop, 0) == 0);
    result = crowd_run(8, run_often, NULL);
    pmu_code_user_done();
    SELFTEST_CHECK(!thrown_out);
    return result;
}

/* GXemul ends itself when it meets supervisor mode. */
SELFTEST_MEMBER(user_supervisor, "user-supervisor", "the same in supervisor mode", true, true, NULL)
{
    bool back;

    SELFTEST_CHECK(pmu_code_user_prepare(&pmu_code_memory, TURNS) == 0);
    preempt_disable();
    back = pmu_code_user(USER_MODE_SUPERVISOR, USER_DATA);
    preempt_enable();
    pmu_code_user_done();
    SELFTEST_CHECK(back);
    return 0;
}
