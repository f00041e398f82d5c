/* SPDX-License-Identifier: BSD-2-Clause */
/* The system calls about time, but for timers. */
#include "kernel/process/process.h"
#include "kernel/thread/thread.h"
#include "kernel/time/clock.h"
#include "linux/program_private.h"
#include "linux/timer.h"

#define NS 1000000000ull

int call_timespec_in(const void *user, uint64_t *ns)
{
    struct abi_timespec time;

    if (copyin(user, &time, sizeof time) != 0)
        return -EFAULT;
    if (time.sec < 0 || time.nsec < 0 || time.nsec >= (int64_t)NS)
        return -EINVAL;
    *ns = time.sec > (int64_t)(INT64_MAX / NS) ? INT64_MAX
                                               : (uint64_t)time.sec * NS + (uint64_t)time.nsec;
    return 0;
}

int call_timespec_out(void *user, uint64_t ns)
{
    struct abi_timespec time = call_timespec(ns);

    return copyout(&time, user, sizeof time);
}

int call_timeval_out(void *user, uint64_t ns)
{
    struct abi_timeval time = call_timeval(ns);

    return copyout(&time, user, sizeof time);
}

static uint64_t time_of_thread(struct thread *thread)
{
    return clock_cycles_to_ns(cpu_time_of_thread(thread));
}

uint64_t time_of_program(struct program *program)
{
    struct program_usage usage;

    program_usage(program, &usage);
    return usage.user_ns + usage.system_ns;
}

/* CPU clocks: the low bits of a negative number say what it measures; ~it >> 3 is whose. */
static int time_cpu_clock(int32_t clock, uint64_t *ns)
{
    uint32_t id = ~(uint32_t)clock >> 3;
    bool of_thread = (clock & 4) != 0;
    struct program *program;
    struct task *task;
    uintptr_t state;
    int error = -EINVAL;

    if ((clock & 3) == 3)
        return -EINVAL;
    state = spinlock_acquire(&program_lock);
    if (of_thread) {
        task = id == 0 ? task_current() : task_find(id);
        if (task && task->program == task_current()->program && task->thread) {
            *ns = time_of_thread(task->thread);
            error = 0;
        }
    } else {
        program = id == 0 ? task_current()->program : program_find(id);
        if (program) {
            *ns = time_of_program(program);
            error = 0;
        }
    }
    spinlock_release(&program_lock, state);
    return error;
}

int time_of_clock(int32_t clock, uint64_t *ns)
{
    switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
        *ns = clock_wall();
        return 0;
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_BOOTTIME:
        *ns = clock_now();
        return 0;
    case CLOCK_PROCESS_CPUTIME_ID:
        return time_cpu_clock(-6, ns);
    case CLOCK_THREAD_CPUTIME_ID:
        return time_cpu_clock(-2, ns);
    default:
        return clock < 0 ? time_cpu_clock(clock, ns) : -EINVAL;
    }
}

CALL(clock_gettime)
{
    uint64_t ns;
    int error = time_of_clock(ARG_INT(0), &ns);

    return error != 0 ? error : call_timespec_out(ARG_PTR(1), ns);
}

CALL(clock_getres)
{
    uint64_t ns;
    int32_t clock = ARG_INT(0);
    int error = time_of_clock(clock, &ns);

    if (error != 0)
        return error;
    ns = clock == CLOCK_REALTIME_COARSE || clock == CLOCK_MONOTONIC_COARSE ? CLOCK_TICK_NS : 1;
    return ARG(1) != 0 ? call_timespec_out(ARG_PTR(1), ns) : 0;
}

/* The clock runs with the board's. */
CALL(clock_settime)
{
    (void)frame;
    return -EPERM;
}

CALL(settimeofday)
{
    (void)frame;
    return -EPERM;
}

CALL(gettimeofday)
{
    uint32_t zone[2] = {0, 0};

    if (ARG(0) != 0 && call_timeval_out(ARG_PTR(0), clock_wall()) != 0)
        return -EFAULT;
    return ARG(1) != 0 ? copyout(zone, ARG_PTR(1), sizeof zone) : 0;
}

CALL(time)
{
    int64_t seconds = (int64_t)(clock_wall() / NS);

    if (ARG(0) != 0 && copyout(&seconds, ARG_PTR(0), sizeof seconds) != 0)
        return -EFAULT;
    return seconds;
}

/* Until the clock reaches DEADLINE. */
static long time_sleep(uint64_t deadline)
{
    uint64_t now;
    int error = 0;

    while (error == 0 && (now = clock_now()) < deadline)
        error = thread_sleep(deadline - now);
    return error;
}

/* restart_syscall's, and the first time. TO: where the rest is told, or 0. */
static long time_sleep_rest(struct task *task)
{
    uint64_t deadline = task->remainder_until, now;

    if (time_sleep(deadline) == 0)
        return 0;
    now = clock_now();
    if (task->remainder_to != 0 &&
        call_timespec_out((void *)task->remainder_to, deadline > now ? deadline - now : 0) != 0)
        return -EFAULT;
    return -RESTART_REMAINDER;
}

static long time_sleep_for(uint64_t ns, uint64_t rest_at)
{
    struct task *task = task_current();

    task->remainder = time_sleep_rest;
    task->remainder_until = clock_after(clock_now(), ns);
    task->remainder_to = rest_at;
    return time_sleep_rest(task);
}

CALL(nanosleep)
{
    uint64_t ns;
    int error = call_timespec_in(ARG_PTR(0), &ns);

    return error != 0 ? error : time_sleep_for(ns, ARG(1));
}

CALL(clock_nanosleep)
{
    uint64_t ns, now;
    int error = call_timespec_in(ARG_PTR(2), &ns);

    if (error == 0)
        error = time_of_clock(ARG_INT(0), &now);
    if (error != 0)
        return error;
    if (ARG_INT(0) == CLOCK_THREAD_CPUTIME_ID)
        return -EINVAL;
    if (!(ARG_U32(1) & TIMER_ABSTIME))
        return time_sleep_for(ns, ARG(3));
    return time_sleep(ns > now ? clock_after(clock_now(), ns - now) : 0) == 0 ? 0
                                                                              : -RESTART_UNHANDLED;
}

CALL(times)
{
    struct program *program = task_current()->program;
    struct program_usage own, children;
    struct abi_tms out;
    uintptr_t state = spinlock_acquire(&program_lock);

    program_usage(program, &own);
    children = program->children_usage;
    spinlock_release(&program_lock, state);
    out = (struct abi_tms){
        (int64_t)(own.user_ns / CLOCK_TICK_NS), (int64_t)(own.system_ns / CLOCK_TICK_NS),
        (int64_t)(children.user_ns / CLOCK_TICK_NS), (int64_t)(children.system_ns / CLOCK_TICK_NS)};
    if (ARG(0) != 0 && copyout(&out, ARG_PTR(0), sizeof out) != 0)
        return -EFAULT;
    return (long)(clock_now() / CLOCK_TICK_NS);
}
