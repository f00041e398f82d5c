/* SPDX-License-Identifier: BSD-2-Clause */
/* timer_create(2) and its kin. */
#include "kernel/memory/kmem.h"
#include "linux/program_private.h"
#include "linux/timer.h"
#include "linux/timer_private.h"

static struct program_timer *timer_find(int32_t id)
{
    struct program_timers *timers = task_current()->program->timers;

    return timers && id >= 0 && id < TIMERS_MAX ? timers->of[id] : NULL;
}

static int timer_event_check(const struct abi_sigevent *event)
{
    int notify = event->notify & ~SIGEV_THREAD_ID;

    if (notify != SIGEV_SIGNAL && notify != SIGEV_NONE && notify != SIGEV_THREAD)
        return -EINVAL;
    if (event->notify == SIGEV_NONE)
        return 0;
    return event->signo >= 1 && event->signo <= ABI_SIGNALS ? 0 : -EINVAL;
}

CALL(timer_create)
{
    struct program *program = task_current()->program;
    struct program_timers *timers = timers_of(program);
    struct abi_sigevent event = {.signo = SIGALRM};
    struct program_timer *timer;
    int32_t id = 0;
    uint64_t now;

    if (time_of_clock(ARG_INT(0), &now) != 0)
        return -EINVAL;
    if (ARG(1) != 0 && copyin(ARG_PTR(1), &event, sizeof event) != 0)
        return -EFAULT;
    if (timer_event_check(&event) != 0)
        return -EINVAL;
    timer = timers ? kmem_zalloc(sizeof *timer) : NULL;
    while (timers && id < TIMERS_MAX && timers->of[id])
        id++;
    if (!timer || id == TIMERS_MAX) {
        kmem_free(timer);
        return -EAGAIN;
    }
    timer->program = program;
    timer->clock = ARG_INT(0) < 0 ? CLOCK_PROCESS_CPUTIME_ID : ARG_INT(0);
    timer->notify = event.notify;
    timer->target = event.notify & SIGEV_THREAD_ID ? (uint32_t)event.tid : 0;
    timer->item.kept = true;
    timer->item.info.head.signo = event.signo;
    timer->item.info.head.code = SI_TIMER;
    timer->item.info.timer.id = id;
    timer->item.info.timer.value = ARG(1) != 0 ? event.value : (uint64_t)id;
    timers->of[id] = timer;
    if (copyout(&id, ARG_PTR(2), sizeof id) != 0) {
        timers->of[id] = NULL;
        kmem_free(timer);
        return -EFAULT;
    }
    return 0;
}

static bool timer_is_cpu(const struct program_timer *timer)
{
    return timer->clock == CLOCK_PROCESS_CPUTIME_ID || timer->clock == CLOCK_THREAD_CPUTIME_ID;
}

static void timer_read(const struct program_timer *timer, uint64_t now, struct abi_itimerspec *out)
{
    uint64_t left = 0;

    if (timer->armed)
        left = timer->deadline > now ? timer->deadline - now : 1;
    out->value = call_timespec(left);
    out->interval = call_timespec(timer->interval);
}

static uint64_t timespec_ns(const struct abi_timespec *time)
{
    return (uint64_t)time->sec >= INT64_MAX / NS ? INT64_MAX
                                                 : (uint64_t)time->sec * NS + (uint64_t)time->nsec;
}

static bool timespec_is_valid(const struct abi_timespec *time)
{
    return time->sec >= 0 && time->nsec >= 0 && time->nsec < (int64_t)NS;
}

/* The clock by which DEADLINE is kept. */
static uint64_t timer_now(const struct program_timer *timer)
{
    uint64_t now = clock_now();

    if (timer_is_cpu(timer))
        (void)time_of_clock(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now;
}

CALL(timer_settime)
{
    struct program_timer *timer = timer_find(ARG_INT(0));
    struct abi_itimerspec new, old;
    uint64_t value, now;
    uintptr_t state;

    if (!timer || ARG(2) == 0)
        return -EINVAL;
    if (copyin(ARG_PTR(2), &new, sizeof new) != 0)
        return -EFAULT;
    if (!timespec_is_valid(&new.value) || !timespec_is_valid(&new.interval))
        return -EINVAL;
    value = timespec_ns(&new.value);
    now = timer_now(timer);
    state = spinlock_acquire(&program_lock);
    timer_read(timer, now, &old);
    timer_cancel(&timer->timer);
    timer->armed = value != 0;
    timer->interval = timespec_ns(&new.interval);
    timer->overrun = 0;
    timer->deadline = clock_after(now, value);
    if (ARG_U32(1) & TIMER_ABSTIME) {
        timer->deadline = value;
        if (timer->clock == CLOCK_REALTIME)
            timer->deadline = value > clock_boot_time() ? value - clock_boot_time() : 0;
    }
    if (value != 0 && timer_is_cpu(timer))
        timer_cpu_look(timer->program->timers);
    else if (value != 0)
        timer_set(&timer->timer, timer->deadline, timer_posix);
    spinlock_release(&program_lock, state);
    return ARG(3) != 0 ? copyout(&old, ARG_PTR(3), sizeof old) : 0;
}

CALL(timer_gettime)
{
    struct program_timer *timer = timer_find(ARG_INT(0));
    struct abi_itimerspec out;

    if (!timer)
        return -EINVAL;
    timer_read(timer, timer_now(timer), &out);
    return copyout(&out, ARG_PTR(1), sizeof out);
}

CALL(timer_getoverrun)
{
    struct program_timer *timer = timer_find(ARG_INT(0));

    return timer ? timer->overrun_told : -EINVAL;
}

CALL(timer_delete)
{
    struct program_timer *timer = timer_find(ARG_INT(0));

    if (!timer)
        return -EINVAL;
    timer->program->timers->of[ARG_INT(0)] = NULL;
    timer_free(timer);
    return 0;
}
