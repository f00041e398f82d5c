/* SPDX-License-Identifier: BSD-2-Clause */
/* timer_create(2) and its kin. */
#include "kernel/memory/kmem.h"
#include "linux/program/program_private.h"
#include "linux/time/timer.h"
#include "linux/time/timer_private.h"
#include "lib/string.h"

/* The timer, with the lock of the program's timers; NULL: there is none, and no lock. */
static struct program_timer *timer_enter(int32_t id)
{
    struct program_timers *timers = task_current()->program->timers;

    if (!timers || id < 0)
        return NULL;
    mutex_enter(&timers->lock);
    if (id < timers->size && timers->of[id])
        return timers->of[id];
    mutex_exit(&timers->lock);
    return NULL;
}

static void timer_leave(const struct program_timer *timer)
{
    mutex_exit(&timer->program->timers->lock);
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

/* SIGEV_THREAD_ID names a thread of the program. */
static bool timer_target_is_ours(const struct abi_sigevent *event)
{
    struct task *task;
    uintptr_t state;
    bool ours;

    if (!(event->notify & SIGEV_THREAD_ID))
        return true;
    state = spinlock_acquire(&program_lock);
    task = task_find((uint32_t)event->tid);
    ours = task && task->program == task_current()->program;
    spinlock_release(&program_lock, state);
    return ours;
}

static void timer_list(struct program_timers *timers, int32_t id, struct program_timer *timer)
{
    uintptr_t state = spinlock_acquire(&program_lock);

    timers->of[id] = timer;
    if (timer_is_cpu(timer))
        LIST_INSERT_HEAD(&timers->cpu_timers, timer, link);
    spinlock_release(&program_lock, state);
}

/* With the timers' lock: the lowest number that is free, with room for it; -EAGAIN: there is none.
 */
static int32_t timer_number(struct program_timers *timers)
{
    uint64_t most = timers->program->limits[RLIMIT_SIGPENDING].now;
    int32_t size = timers->size > 0 ? 2 * timers->size : TIMERS_FIRST;
    struct program_timer **more;

    while (timers->lowest < timers->size && timers->of[timers->lowest])
        timers->lowest++;
    if ((uint64_t)timers->lowest >= most)
        return -EAGAIN;
    if (timers->lowest < timers->size)
        return timers->lowest;
    more = kmem_zalloc((size_t)size * sizeof *more);
    if (!more)
        return -EAGAIN;
    if (timers->size > 0)
        memcpy(more, timers->of, (size_t)timers->size * sizeof *more);
    kmem_free(timers->of);
    timers->of = more;
    timers->size = size;
    return timers->lowest;
}

/* With the timers' lock: its number goes to USER. */
static long timer_add(struct program_timers *timers, int32_t clock,
                      const struct abi_sigevent *event, bool given, void *user)
{
    struct program_timer *timer = kmem_zalloc(sizeof *timer);
    int32_t id = timer ? timer_number(timers) : -EAGAIN;

    if (id < 0 || copyout(&id, user, sizeof id) != 0) {
        kmem_free(timer);
        return id < 0 ? id : -EFAULT;
    }
    timer->program = timers->program;
    timer->clock = time_cpu_clock(clock);
    timer->notify = event->notify;
    timer->target = event->notify & SIGEV_THREAD_ID ? (uint32_t)event->tid : 0;
    timer->item.kept = true;
    timer->item.taken = timer_signal_taken;
    timer->item.info.head.signo = event->signo;
    timer->item.info.head.code = SI_TIMER;
    timer->item.info.timer.id = id;
    timer->item.info.timer.value = given ? event->value : (uint64_t)id;
    timer_list(timers, id, timer);
    return 0;
}

CALL(timer_create)
{
    struct program_timers *timers = timers_of(task_current()->program);
    struct abi_sigevent event = {.signo = SIGALRM};
    uint64_t now;
    long result;

    if (time_of_clock(ARG_INT(0), &now) != 0)
        return -EINVAL;
    if (ARG(1) != 0 && copyin(ARG_PTR(1), &event, sizeof event) != 0)
        return -EFAULT;
    if (timer_event_check(&event) != 0 || !timer_target_is_ours(&event))
        return -EINVAL;
    if (!timers)
        return -EAGAIN;
    mutex_enter(&timers->lock);
    result = timer_add(timers, ARG_INT(0), &event, ARG(1) != 0, ARG_PTR(2));
    mutex_exit(&timers->lock);
    return result;
}

static void timer_read(const struct program_timer *timer, uint64_t now, struct abi_itimerspec *out)
{
    uint64_t left = 0;

    if (timer->armed)
        left = timer->deadline > now ? timer->deadline - now : 1;
    out->value = call_timespec(left);
    out->interval = call_timespec(timer->interval);
}

static uint64_t timer_calls_timespec_ns(const struct abi_timespec *time)
{
    return (uint64_t)time->sec >= INT64_MAX / NS ? INT64_MAX
                                                 : (uint64_t)time->sec * NS + (uint64_t)time->nsec;
}

static bool timer_calls_timespec_is_valid(const struct abi_timespec *time)
{
    return time->sec >= 0 && time->nsec >= 0 && time->nsec < (int64_t)NS;
}

/* The clock by which DEADLINE is kept. */
static uint64_t timer_now(const struct program_timer *timer)
{
    uint64_t now = clock_now();

    if (timer_is_cpu(timer))
        (void)time_of_clock(timer->clock, &now);
    return now;
}

static void timer_arm(struct program_timer *timer, const struct abi_itimerspec *new, bool absolute,
                      struct abi_itimerspec *old)
{
    uint64_t value = timer_calls_timespec_ns(&new->value), now = timer_now(timer);
    uintptr_t state = spinlock_acquire(&program_lock);

    timer_read(timer, now, old);
    timer_cancel(&timer->timer);
    timer->armed = value != 0;
    timer->interval = timer_calls_timespec_ns(&new->interval);
    timer->overrun = 0;
    timer->deadline = clock_after(now, value);
    if (absolute) {
        timer->deadline = value;
        if (timer->clock == CLOCK_REALTIME)
            timer->deadline = value > clock_boot_time() ? value - clock_boot_time() : 1;
    }
    if (value != 0 && timer_is_cpu(timer))
        timer_cpu_look(timer->program->timers);
    else if (value != 0)
        timer_set(&timer->timer, timer->deadline, timer_posix);
    spinlock_release(&program_lock, state);
}

CALL(timer_settime)
{
    struct abi_itimerspec new, old;
    struct program_timer *timer;

    if (ARG(2) == 0)
        return -EINVAL;
    if (copyin(ARG_PTR(2), &new, sizeof new) != 0)
        return -EFAULT;
    if (!timer_calls_timespec_is_valid(&new.value) || !timer_calls_timespec_is_valid(&new.interval))
        return -EINVAL;
    timer = timer_enter(ARG_INT(0));
    if (!timer)
        return -EINVAL;
    timer_arm(timer, &new, (ARG_U32(1) & TIMER_ABSTIME) != 0, &old);
    timer_leave(timer);
    return ARG(3) != 0 ? copyout(&old, ARG_PTR(3), sizeof old) : 0;
}

CALL(timer_gettime)
{
    struct program_timer *timer = timer_enter(ARG_INT(0));
    struct abi_itimerspec out;

    if (!timer)
        return -EINVAL;
    timer_read(timer, timer_now(timer), &out);
    timer_leave(timer);
    return copyout(&out, ARG_PTR(1), sizeof out);
}

CALL(timer_getoverrun)
{
    struct program_timer *timer = timer_enter(ARG_INT(0));
    int32_t told;

    if (!timer)
        return -EINVAL;
    told = timer->overrun_told;
    timer_leave(timer);
    return told;
}

CALL(timer_delete)
{
    struct program_timer *timer = timer_enter(ARG_INT(0));

    if (!timer)
        return -EINVAL;
    timer->program->timers->of[ARG_INT(0)] = NULL;
    if (ARG_INT(0) < timer->program->timers->lowest)
        timer->program->timers->lowest = ARG_INT(0);
    timer_leave(timer);
    timer_free(timer);
    return 0;
}
