/* SPDX-License-Identifier: BSD-2-Clause */
/* The system calls about time, but for timers. */
#include "kernel/cpu/cpu.h"
#include "kernel/process/process.h"
#include "kernel/thread/thread.h"
#include "kernel/time/clock.h"
#include "linux/program/program_private.h"
#include "linux/time/timer.h"

#define NS 1000000000ull

static uint64_t time_of_thread(struct thread *thread)
{
    return clock_cycles_to_ns(cpu_time_of_thread(thread));
}

uint64_t time_of_program(struct program *program)
{
    struct program_usage usage;

    program_usage(program, &usage);
    return program_user_ns(&usage) + program_system_ns(&usage);
}

/* CPU clocks: the low bits of a negative number say what it measures; ~it >> 3 is whose, 0 the
 * caller's. */
#define CPU_CLOCK_SCHED  2
#define CPU_CLOCK_THREAD 4

int32_t time_cpu_clock(int32_t clock)
{
    uint32_t process = task_current()->program->id, thread = task_current()->id;

    if (clock == CLOCK_PROCESS_CPUTIME_ID)
        clock = CPU_CLOCK_SCHED | -8;
    else if (clock == CLOCK_THREAD_CPUTIME_ID)
        clock = CPU_CLOCK_SCHED | CPU_CLOCK_THREAD | -8;
    if (clock >= 0 || ~(uint32_t)clock >> 3 != 0)
        return clock;
    return (int32_t)(~(clock & CPU_CLOCK_THREAD ? thread : process) << 3 | ((uint32_t)clock & 7));
}

int time_of_cpu_clock(int32_t clock, const struct program *asker, uint64_t *ns)
{
    uint32_t id = ~(uint32_t)clock >> 3;
    struct program *program;
    struct task *task;

    if ((clock & 3) == 3)
        return -EINVAL;
    if (clock & CPU_CLOCK_THREAD) {
        task = task_find(id);
        if (!task || task->program != asker)
            return -EINVAL;
        *ns = task->thread ? time_of_thread(task->thread) : 0; /* it is to begin */
    } else {
        program = program_find(id);
        if (!program)
            return -EINVAL;
        *ns = time_of_program(program);
    }
    return 0;
}

int time_of_clock(int32_t clock, uint64_t *ns)
{
    uintptr_t state;
    int error;

    switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_TAI:
        *ns = clock_wall();
        return 0;
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_BOOTTIME:
        *ns = clock_now();
        return 0;
    default:
        break;
    }
    clock = time_cpu_clock(clock);
    if (clock >= 0)
        return -EINVAL;
    state = spinlock_acquire(&program_lock);
    error = time_of_cpu_clock(clock, task_current()->program, ns);
    spinlock_release(&program_lock, state);
    return error;
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
    uint64_t ns;
    int error;

    if (ARG_INT(0) < 0 ? time_of_clock(ARG_INT(0), &ns) != 0 : ARG_INT(0) != CLOCK_REALTIME)
        return -EINVAL;
    error = call_timespec_in(ARG_PTR(1), &ns);
    return error != 0 ? error : -EPERM;
}

CALL(settimeofday)
{
    struct abi_timeval time = {0, 0};
    uint32_t zone[2];

    if (ARG(0) != 0 && copyin(ARG_PTR(0), &time, sizeof time) != 0)
        return -EFAULT;
    if (time.sec < 0 || time.usec < 0 || time.usec >= 1000000)
        return -EINVAL;
    if (ARG(1) != 0 && copyin(ARG_PTR(1), zone, sizeof zone) != 0)
        return -EFAULT;
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

/* A sleep by a CPU clock. A timer looks at it when as many threads as there are CPUs may have
 * brought it there, and at each tick near that: who sleeps would make it go on by looking itself.
 */
struct cpu_sleep {
    struct timer timer;
    struct wait_queue queue;
    const struct program *asker;
    uint64_t deadline, now; /* of the clock */
    int32_t clock;
    int error; /* there is no such clock any more */
};

static bool time_calls_cpu_sleep_is_over(const struct cpu_sleep *sleep)
{
    return sleep->error != 0 || sleep->now >= sleep->deadline;
}

static void time_calls_cpu_sleep_due(struct timer *timer);

/* With program_lock. */
static void time_calls_cpu_sleep_look(struct cpu_sleep *sleep)
{
    uint64_t left;

    sleep->error = time_of_cpu_clock(sleep->clock, sleep->asker, &sleep->now);
    if (time_calls_cpu_sleep_is_over(sleep)) {
        wait_wake_all(&sleep->queue);
        return;
    }
    left = (sleep->deadline - sleep->now) / cpu_count();
    timer_set(&sleep->timer, clock_after(clock_now(), left > CLOCK_TICK_NS ? left : CLOCK_TICK_NS),
              time_calls_cpu_sleep_due);
}

static void time_calls_cpu_sleep_due(struct timer *timer)
{
    spinlock_lock(&program_lock);
    time_calls_cpu_sleep_look(
        (struct cpu_sleep *)((char *)timer - __builtin_offsetof(struct cpu_sleep, timer)));
    spinlock_unlock(&program_lock);
}

/* Until a CPU clock that is at NOW has come to NS, or NS further. */
static long time_sleep_cpu(struct trap_frame *frame, uint64_t ns, uint64_t now)
{
    bool absolute = (ARG_U32(1) & TIMER_ABSTIME) != 0;
    struct cpu_sleep sleep = {.asker = task_current()->program,
                              .deadline = absolute ? ns : clock_after(now, ns),
                              .clock = time_cpu_clock(ARG_INT(0))};
    int error = 0;
    uintptr_t state;

    if (sleep.clock == time_cpu_clock(CLOCK_THREAD_CPUTIME_ID))
        return -EINVAL;
    wait_queue_init(&sleep.queue);
    state = spinlock_acquire(&program_lock);
    time_calls_cpu_sleep_look(&sleep);
    while (error == 0 && !time_calls_cpu_sleep_is_over(&sleep))
        error = wait_interruptible(&sleep.queue, &program_lock, &state, WAIT_FOREVER);
    spinlock_release(&program_lock, state);
    timer_cancel_wait(&sleep.timer);
    if (sleep.error != 0)
        return sleep.error;
    if (error == 0 || absolute)
        return error == 0 ? 0 : -RESTART_UNHANDLED;
    if (time_of_clock(sleep.clock, &now) != 0)
        return -EINVAL;
    if (ARG(3) != 0 &&
        call_timespec_out(ARG_PTR(3), sleep.deadline > now ? sleep.deadline - now : 0) != 0)
        return -EFAULT;
    return -EINTR;
}

/* Those that are only read. */
static bool time_may_sleep(int32_t clock)
{
    return clock != CLOCK_MONOTONIC_RAW && clock != CLOCK_MONOTONIC_COARSE &&
           clock != CLOCK_REALTIME_COARSE;
}

CALL(clock_nanosleep)
{
    uint64_t ns, now;
    int error = call_timespec_in(ARG_PTR(2), &ns);

    if (error == 0)
        error = time_of_clock(ARG_INT(0), &now);
    if (error != 0)
        return error;
    if (!time_may_sleep(ARG_INT(0)))
        return -EOPNOTSUPP;
    if (time_cpu_clock(ARG_INT(0)) < 0)
        return time_sleep_cpu(frame, ns, now);
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
    out = (struct abi_tms){(int64_t)(program_user_ns(&own) / CLOCK_TICK_NS),
                           (int64_t)(program_system_ns(&own) / CLOCK_TICK_NS),
                           (int64_t)(program_user_ns(&children) / CLOCK_TICK_NS),
                           (int64_t)(program_system_ns(&children) / CLOCK_TICK_NS)};
    if (ARG(0) != 0 && copyout(&out, ARG_PTR(0), sizeof out) != 0)
        return -EFAULT;
    return (long)(clock_now() / CLOCK_TICK_NS);
}
