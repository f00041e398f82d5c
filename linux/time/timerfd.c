/* SPDX-License-Identifier: BSD-2-Clause */
/* timerfd_create(2): a timer whose expirations are read. One that repeats is set again when
 * somebody looks at it: nobody pays for turns that nobody reads. */
#include "fs/file/file.h"
#include "fs/file/poll.h"
#include "kernel/memory/kmem.h"
#include "linux/program/program_private.h"
#include "linux/time/timer_private.h"

#define TFD_TIMER_CANCEL_ON_SET 2u
#define CLOCK_REALTIME_ALARM    8
#define CLOCK_BOOTTIME_ALARM    9

struct timerfd {
    struct timer timer;
    struct spinlock lock;
    int32_t clock;
    uint64_t deadline, interval; /* of clock_now(); deadline 0: off */
    uint64_t expired;            /* times, not read */
    bool due;                    /* the deadline has passed, and the timer is not set */
    struct wait_queue readers;
    struct poll_source source;
};

static void timerfd_fire(struct timer *kernel)
{
    struct timerfd *timer =
        (struct timerfd *)((char *)kernel - __builtin_offsetof(struct timerfd, timer));
    bool told = false;

    spinlock_lock(&timer->lock);
    if (timer->deadline != 0 && !timer->due && clock_now() >= timer->deadline) {
        timer->due = told = true;
        timer->expired++;
        wait_wake_all(&timer->readers);
    }
    spinlock_unlock(&timer->lock);
    if (told)
        poll_source_wake(&timer->source, POLL_READ);
}

/* With the lock: what has come due meanwhile is counted, and the next time set. */
static void timerfd_advance(struct timerfd *timer)
{
    uint64_t now = clock_now(), times;

    if (!timer->due)
        return;
    timer->due = false;
    if (timer->interval == 0) {
        timer->deadline = 0;
        return;
    }
    times = now >= timer->deadline ? (now - timer->deadline) / timer->interval : 0;
    timer->expired += times;
    timer->deadline += (times + 1) * timer->interval;
    timer_set(&timer->timer, timer->deadline, timerfd_fire);
}

static long timerfd_read(struct file *file, struct uio *uio, uint64_t *offset)
{
    struct timerfd *timer = file->data;
    uint64_t expired;
    uintptr_t state;
    int error = 0;

    (void)offset;
    if (uio->left < sizeof expired)
        return -EINVAL;
    state = spinlock_acquire(&timer->lock);
    while (timer->expired == 0 && error == 0)
        error = file_flags(file) & O_NONBLOCK
                    ? -EAGAIN
                    : wait_interruptible(&timer->readers, &timer->lock, &state, WAIT_FOREVER);
    if (timer->expired != 0)
        timerfd_advance(timer);
    expired = timer->expired;
    timer->expired = 0;
    spinlock_release(&timer->lock, state);
    if (expired == 0)
        return error;
    return uio_put(uio, &expired, sizeof expired) == sizeof expired ? (long)sizeof expired
                                                                    : -EFAULT;
}

static uint32_t timerfd_poll(struct file *file, uint32_t events, struct poll_entry *entry)
{
    struct timerfd *timer = file->data;

    poll_source_watch(&timer->source, entry);
    return __atomic_load_n(&timer->expired, __ATOMIC_SEQ_CST) ? events & POLL_READ : 0;
}

static void timerfd_close(struct file *file)
{
    struct timerfd *timer = file->data;

    timer_cancel_wait(&timer->timer);
    kmem_free(timer);
}

static const struct file_ops timerfd_ops = {.read = timerfd_read,
                                            .poll = timerfd_poll,
                                            .close = timerfd_close,
                                            .anonymous = "timerfd",
                                            .begins = true};

static bool timerfd_clock_is_valid(int32_t clock)
{
    return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC || clock == CLOCK_BOOTTIME ||
           clock == CLOCK_REALTIME_ALARM || clock == CLOCK_BOOTTIME_ALARM;
}

CALL(timerfd_create)
{
    int32_t clock = ARG_INT(0);
    uint32_t flags = ARG_U32(1);
    struct timerfd *timer;
    struct file *file;

    if (flags & ~(ABI_O_CLOEXEC | ABI_O_NONBLOCK) || !timerfd_clock_is_valid(clock))
        return -EINVAL;
    if (clock > CLOCK_BOOTTIME && !program_is_root(task_current()->program))
        return -EPERM;
    timer = kmem_zalloc(sizeof *timer);
    if (!timer)
        return -ENOMEM;
    spinlock_init(&timer->lock, "timerfd");
    timer->clock = clock;
    wait_queue_init(&timer->readers);
    poll_source_init(&timer->source);
    file = file_create(&timerfd_ops, O_RDWR | (flags & ABI_O_NONBLOCK ? O_NONBLOCK : 0), timer);
    if (!file) {
        kmem_free(timer);
        return -ENOMEM;
    }
    return call_file_add(file, 0, flags & ABI_O_CLOEXEC);
}

/* With the lock: what is left, and how it repeats. */
static void timerfd_tell(struct timerfd *timer, struct abi_itimerspec *out)
{
    uint64_t now, left = 0;

    timerfd_advance(timer);
    now = clock_now();
    if (timer->deadline != 0)
        left = timer->deadline > now ? timer->deadline - now : 1;
    out->value = call_timespec(left);
    out->interval = call_timespec(timer->interval);
}

static uint64_t timerfd_deadline(const struct timerfd *timer, uint64_t value, bool absolute)
{
    bool wall = timer->clock == CLOCK_REALTIME || timer->clock == CLOCK_REALTIME_ALARM;
    uint64_t deadline = value;

    if (!absolute)
        return clock_after(clock_now(), value);
    if (wall)
        deadline = value > clock_boot_time() ? value - clock_boot_time() : 0;
    return deadline != 0 ? deadline : 1;
}

static void timerfd_set(struct timerfd *timer, uint64_t value, uint64_t interval, bool absolute,
                        struct abi_itimerspec *old)
{
    uintptr_t state = spinlock_acquire(&timer->lock);

    timerfd_tell(timer, old);
    timer_cancel(&timer->timer);
    timer->expired = 0;
    timer->interval = interval;
    timer->deadline = value != 0 ? timerfd_deadline(timer, value, absolute) : 0;
    if (value != 0)
        timer_set(&timer->timer, timer->deadline, timerfd_fire);
    spinlock_release(&timer->lock, state);
}

/* The file of a timer; an errno in *ERROR if NULL. */
static struct file *timerfd_file(int descriptor, int *error)
{
    struct file *file = call_file(descriptor);

    *error = file ? -EINVAL : -EBADF;
    if (file && file->ops == &timerfd_ops)
        return file;
    if (file)
        file_release(file);
    return NULL;
}

CALL(timerfd_settime)
{
    struct abi_itimerspec *in = ARG_PTR(2), old;
    uint64_t value, interval;
    struct file *file;
    int error = call_timespec_in(&in->interval, &interval);

    if (error == 0)
        error = call_timespec_in(&in->value, &value);
    if (error == 0 && ARG_U32(1) & ~(TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET))
        error = -EINVAL;
    if (error != 0)
        return error;
    file = timerfd_file(ARG_INT(0), &error);
    if (!file)
        return error;
    timerfd_set(file->data, value, interval, ARG_U32(1) & TIMER_ABSTIME, &old);
    file_release(file);
    return ARG(3) != 0 ? copyout(&old, ARG_PTR(3), sizeof old) : 0;
}

CALL(timerfd_gettime)
{
    struct abi_itimerspec out;
    struct timerfd *timer;
    struct file *file;
    uintptr_t state;
    int error;

    file = timerfd_file(ARG_INT(0), &error);
    if (!file)
        return error;
    timer = file->data;
    state = spinlock_acquire(&timer->lock);
    timerfd_tell(timer, &out);
    spinlock_release(&timer->lock, state);
    file_release(file);
    return copyout(&out, ARG_PTR(1), sizeof out);
}
