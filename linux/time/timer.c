/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Timers of programs. Those that follow a clock are timers of the kernel; those that follow the CPU
 * time of a program or a thread look at it now and then: at the earliest moment at which it can
 * have been reached, and at each tick near that.
 */
#include "linux/time/timer.h"
#include "kernel/cpu/cpu.h"
#include "kernel/memory/kmem.h"
#include "kernel/time/clock.h"
#include "lib/string.h"
#include "linux/program/program_part.h"
#include "linux/program/program_private.h"
#include "linux/time/timer_private.h"

struct program_timers *timers_of(struct program *program)
{
    struct program_timers *new, *timers;
    uintptr_t state;

    if (program->timers)
        return program->timers;
    new = kmem_zalloc(sizeof *new);
    if (new)
        mutex_init(&new->lock, "timers");
    state = spinlock_acquire(&program_lock);
    if (!program->timers && new) {
        new->program = program;
        program->timers = new;
        new = NULL;
    }
    timers = program->timers;
    spinlock_release(&program_lock, state);
    if (new)
        mutex_destroy(&new->lock);
    kmem_free(new);
    return timers;
}

/* How often INTERVAL fits until NOW, behind DEADLINE, which moves behind NOW. */
static uint64_t timer_advance(uint64_t *deadline, uint64_t interval, uint64_t now)
{
    uint64_t times = now >= *deadline ? (now - *deadline) / interval + 1 : 0;

    *deadline += times * interval;
    return times;
}

/* When a timer that is due at DEADLINE again is looked at: what it has missed by then is counted,
 * and whoever asks for a nanosecond does not stop the machine. */
static uint64_t timer_again(uint64_t deadline)
{
    uint64_t earliest = clock_after(clock_now(), REPEAT_LEAST);

    return deadline > earliest ? deadline : earliest;
}

static void timer_real(struct timer *timer)
{
    struct program_timers *timers =
        (struct program_timers *)((char *)timer - __builtin_offsetof(struct program_timers, real));
    struct interval_timer *real = &timers->real_time;

    spinlock_lock(&program_lock);
    if (real->deadline != 0) {
        signal_send_program(timers->program, SIGALRM, NULL);
        if (real->interval != 0) {
            timer_advance(&real->deadline, real->interval, clock_now());
            timer_set(timer, timer_again(real->deadline), timer_real);
        } else {
            real->deadline = 0;
        }
    }
    spinlock_unlock(&program_lock);
}

/* Sends SIGNAL if TIMER is due at NOW; the time that is left. */
static uint64_t timer_cpu_check(struct program *program, struct interval_timer *timer, uint64_t now,
                                int signal)
{
    if (timer->deadline == 0)
        return UINT64_MAX;
    if (now >= timer->deadline) {
        signal_send_program(program, signal, NULL);
        if (timer->interval == 0) {
            timer->deadline = 0;
            return UINT64_MAX;
        }
        timer_advance(&timer->deadline, timer->interval, now);
    }
    return timer->deadline - now;
}

static uint64_t timer_limit_check(struct program_timers *timers, uint64_t now)
{
    struct program *program = timers->program;
    const struct abi_rlimit *limit = &program->limits[RLIMIT_CPU];
    uint64_t seconds = now / NS;

    if (limit->now == RLIM_INFINITY && limit->max == RLIM_INFINITY)
        return UINT64_MAX;
    if (seconds >= limit->max) {
        program_end(program, SIGKILL);
        return UINT64_MAX;
    }
    if (seconds >= limit->now && seconds > timers->cpu_told) {
        timers->cpu_told = seconds;
        signal_send_program(program, SIGXCPU, NULL);
    }
    return NS - now % NS;
}

static void timer_fire(struct program_timer *timer, uint64_t now);

static void timer_cpu(struct timer *timer);

/* Looks at OWN, of which CPU time is the clock: how much is left. */
static uint64_t timer_cpu_own(struct program_timer *own)
{
    uint64_t now;

    if (!own->armed || time_of_cpu_clock(own->clock, own->program, &now) != 0)
        return UINT64_MAX;
    if (now >= own->deadline)
        timer_fire(own, now);
    return own->armed ? own->deadline - now : UINT64_MAX;
}

/* With the lock: looks, and sets the time of the next look. */
void timer_cpu_look(struct program_timers *timers)
{
    struct program_timer *own;
    struct program_usage usage;
    uint64_t left, next, all;

    program_usage(timers->program, &usage);
    all = program_user_ns(&usage) + program_system_ns(&usage);
    left = timer_cpu_check(timers->program, &timers->virtual, program_user_ns(&usage), SIGVTALRM);
    next = timer_cpu_check(timers->program, &timers->profile, all, SIGPROF);
    left = next < left ? next : left;
    next = timer_limit_check(timers, all);
    left = next < left ? next : left;
    LIST_FOREACH (own, &timers->cpu_timers, link) {
        next = timer_cpu_own(own);
        left = next < left ? next : left;
    }
    if (left == UINT64_MAX || timers->program->state != PROGRAM_ALIVE)
        return;
    left /= cpu_count(); /* at most as many threads are running, of whatever program */
    timer_set(&timers->cpu, clock_after(clock_now(), left > CPU_STEP ? left : CPU_STEP), timer_cpu);
}

static void timer_cpu(struct timer *timer)
{
    spinlock_lock(&program_lock);
    timer_cpu_look(
        (struct program_timers *)((char *)timer - __builtin_offsetof(struct program_timers, cpu)));
    spinlock_unlock(&program_lock);
}

void timers_watch_cpu(struct program *program)
{
    struct program_timers *timers = timers_of(program);
    uintptr_t state;

    if (!timers)
        return;
    state = spinlock_acquire(&program_lock);
    timer_cpu_look(timers);
    spinlock_release(&program_lock, state);
}

/* Sets *OLD to what is left of TIMER and how it repeats, NOW being its clock's time. */
static void timer_interval_read(const struct interval_timer *timer, uint64_t now,
                                struct abi_itimerval *old)
{
    uint64_t left = 0;

    if (timer->deadline != 0)
        left = timer->deadline > now ? timer->deadline - now : 1000;
    old->value = call_timeval(left);
    old->interval = call_timeval(timer->interval);
}

static int timer_interval_in(const struct abi_timeval *time, uint64_t *ns)
{
    if (time->sec < 0 || time->usec < 0 || time->usec >= 1000000)
        return -EINVAL;
    *ns = (uint64_t)time->sec >= INT64_MAX / NS
              ? INT64_MAX
              : (uint64_t)time->sec * NS + (uint64_t)time->usec * 1000;
    return 0;
}

/* NEW and OLD may be NULL. */
static long timer_interval_set(int which, const struct abi_itimerval *new,
                               struct abi_itimerval *old)
{
    struct program_timers *timers = timers_of(task_current()->program);
    uint64_t value = 0, interval = 0, now;
    struct interval_timer *timer;
    struct program_usage usage;
    uintptr_t state;

    if (!timers)
        return -ENOMEM;
    if (which < ITIMER_REAL || which > ITIMER_PROF)
        return -EINVAL;
    if (new && (timer_interval_in(&new->value, &value) != 0 ||
                timer_interval_in(&new->interval, &interval) != 0))
        return -EINVAL;
    state = spinlock_acquire(&program_lock);
    program_usage(timers->program, &usage);
    timer = which == ITIMER_REAL      ? &timers->real_time
            : which == ITIMER_VIRTUAL ? &timers->virtual
                                      : &timers->profile;
    now = which == ITIMER_REAL      ? clock_now()
          : which == ITIMER_VIRTUAL ? program_user_ns(&usage)
                                    : program_user_ns(&usage) + program_system_ns(&usage);
    if (old)
        timer_interval_read(timer, now, old);
    if (new) {
        timer->deadline = value ? clock_after(now, value) : 0;
        /* setitimer's: without a value the real one's interval is gone, the others' is kept. */
        timer->interval = value || which != ITIMER_REAL ? interval : 0;
        if (which != ITIMER_REAL)
            timer_cpu_look(timers);
        else if (value)
            timer_set(&timers->real, timer->deadline, timer_real);
        else
            timer_cancel(&timers->real);
    }
    spinlock_release(&program_lock, state);
    return 0;
}

CALL(setitimer)
{
    struct abi_itimerval new = {{0, 0}, {0, 0}}, old;
    long result;

    if (ARG(1) != 0 && copyin(ARG_PTR(1), &new, sizeof new) != 0)
        return -EFAULT;
    result = timer_interval_set(ARG_INT(0), &new, &old);
    if (result == 0 && ARG(2) != 0)
        result = copyout(&old, ARG_PTR(2), sizeof old);
    return result;
}

CALL(getitimer)
{
    struct abi_itimerval old;
    long result = timer_interval_set(ARG_INT(0), NULL, &old);

    return result != 0 ? result : copyout(&old, ARG_PTR(1), sizeof old);
}

CALL(alarm)
{
    struct abi_itimerval new = {{0, 0}, {ARG_U32(0), 0}}, old;
    long result = timer_interval_set(ITIMER_REAL, &new, &old);

    if (result != 0)
        return 0;
    /* To the nearest second, but not to none. */
    return old.value.sec + (old.value.usec >= 500000 || (old.value.sec == 0 && old.value.usec > 0));
}

/* timer_create and its like. */

static void timer_fire(struct program_timer *timer, uint64_t now)
{
    struct task *task = timer->target ? task_find(timer->target) : NULL;
    uint64_t times = 1;

    if (timer->interval != 0)
        times = timer_advance(&timer->deadline, timer->interval, now);
    else
        timer->armed = false;
    timer->overrun += (int32_t)times - 1;
    if (timer->notify == SIGEV_NONE ||
        (timer->target && (!task || task->program != timer->program)))
        return;
    if (!signal_send_item(timer->program, task, &timer->item))
        timer->overrun++;
}

void timer_posix(struct timer *kernel)
{
    struct program_timer *timer =
        (struct program_timer *)((char *)kernel - __builtin_offsetof(struct program_timer, timer));

    spinlock_lock(&program_lock);
    if (timer->armed) {
        timer_fire(timer, clock_now());
        if (timer->armed)
            timer_set(kernel, timer_again(timer->deadline), timer_posix);
    }
    spinlock_unlock(&program_lock);
}

void timer_signal_taken(struct signal_item *item, struct abi_siginfo *info)
{
    struct program_timer *timer =
        (struct program_timer *)((char *)item - __builtin_offsetof(struct program_timer, item));

    timer->overrun_told = timer->overrun;
    timer->overrun = 0;
    info->timer.overrun = timer->overrun_told;
}

void timer_free(struct program_timer *timer)
{
    uintptr_t state = spinlock_acquire(&program_lock);

    timer->armed = false;
    if (timer_is_cpu(timer))
        LIST_REMOVE(timer, link);
    spinlock_release(&program_lock, state);
    timer_cancel_wait(&timer->timer);
    state = spinlock_acquire(&program_lock);
    if (timer->item.queued)
        signal_item_withdraw(&timer->item);
    spinlock_release(&program_lock, state);
    kmem_free(timer);
}

/* Those of timer_create. */
static void timers_free_created(struct program *program)
{
    struct program_timers *timers = program->timers;

    for (int i = 0; timers && i < timers->size; i++)
        if (timers->of[i]) {
            timer_free(timers->of[i]);
            timers->of[i] = NULL;
        }
    if (timers)
        timers->lowest = 0;
}

static void timers_end(struct program *program)
{
    struct program_timers *timers = program->timers;
    uintptr_t state;

    if (!timers)
        return;
    timers_free_created(program);
    state = spinlock_acquire(&program_lock);
    timers->real_time.deadline = 0;
    program->timers = NULL;
    spinlock_release(&program_lock, state);
    timer_cancel_wait(&timers->real);
    timer_cancel_wait(&timers->cpu);
    mutex_destroy(&timers->lock);
    kmem_free(timers->of);
    kmem_free(timers);
}

/* execve keeps alarm and setitimer, but not the others. */
static void timers_exec(struct task *task)
{
    timers_free_created(task->program);
}

const struct program_part timers_part = {.exec = timers_exec, .end = timers_end};
