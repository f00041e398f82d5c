/* SPDX-License-Identifier: BSD-2-Clause */
/* The system calls of epoll(7). */
#include "fs/file/epoll.h"
#include "fs/file/file.h"
#include "kernel/time/clock.h"
#include "linux/program/program_private.h"

#define EPOLL_CTL_ADD 1
#define EPOLL_CTL_DEL 2
#define EPOLL_CTL_MOD 3

static long epoll_open(bool close_on_exec)
{
    struct file *file = epoll_create();

    return file ? call_file_add(file, 0, close_on_exec) : -ENOMEM;
}

CALL(epoll_create)
{
    return ARG_INT(0) <= 0 ? -EINVAL : epoll_open(false);
}

CALL(epoll_create1)
{
    return ARG_U32(0) & ~ABI_O_CLOEXEC ? -EINVAL : epoll_open(ARG_U32(0) != 0);
}

static long epoll_control(struct trap_frame *frame, struct file *epoll, struct file *file)
{
    struct abi_epoll_event in = {0};
    struct epoll_event event;
    int descriptor = ARG_INT(2);

    if (ARG_INT(1) != EPOLL_CTL_DEL && copyin(ARG_PTR(3), &in, sizeof in) != 0)
        return -EFAULT;
    if (!epoll || !file)
        return -EBADF;
    event = (struct epoll_event){in.events, in.data};
    switch (ARG_INT(1)) {
    case EPOLL_CTL_ADD:
        return epoll_add(epoll, file, descriptor, event);
    case EPOLL_CTL_MOD:
        return epoll_modify(epoll, file, descriptor, event);
    case EPOLL_CTL_DEL:
        return epoll_remove(epoll, file, descriptor);
    default:
        return -EINVAL;
    }
}

CALL(epoll_ctl)
{
    struct file *epoll = call_file(ARG_INT(0)), *file = call_file(ARG_INT(2));
    long result = epoll_control(frame, epoll, file);

    if (epoll)
        file_release(epoll);
    if (file)
        file_release(file);
    return result;
}

static int epoll_out(void *user, size_t index, const struct epoll_event *event)
{
    struct abi_epoll_event out = {.events = event->events, .data = event->data};

    return copyout(&out, (struct abi_epoll_event *)user + index, sizeof out);
}

static long epoll_run(struct trap_frame *frame, uint64_t deadline)
{
    struct file *epoll;
    long result;

    if (ARG_INT(2) <= 0 || (uint64_t)ARG_INT(2) > INT32_MAX / sizeof(struct abi_epoll_event))
        return -EINVAL;
    epoll = call_file(ARG_INT(0));
    if (!epoll)
        return -EBADF;
    result =
        epoll_is(epoll) ? epoll_wait(epoll, epoll_out, ARG_PTR(1), ARG_U32(2), deadline) : -EINVAL;
    file_release(epoll);
    return result;
}

static uint64_t epoll_deadline(int32_t ms)
{
    return ms < 0 ? WAIT_FOREVER : poll_deadline((uint64_t)ms * 1000000u);
}

CALL(epoll_wait)
{
    return epoll_run(frame, epoll_deadline(ARG_INT(3)));
}

/* With a mask; a signal is the end of it, whatever its handler says. */
static long epoll_run_masked(struct trap_frame *frame, uint64_t deadline)
{
    bool masked;
    long result = poll_mask_begin(ARG_PTR(4), ARG(5), &masked);

    if (result != 0)
        return result;
    result = epoll_run(frame, deadline);
    return masked ? signal_mask_after_call(task_current(), result) : result;
}

CALL(epoll_pwait)
{
    return epoll_run_masked(frame, epoll_deadline(ARG_INT(3)));
}

CALL(epoll_pwait2)
{
    uint64_t deadline = WAIT_FOREVER, ns;
    int error = ARG(3) != 0 ? call_timespec_in(ARG_PTR(3), &ns) : 0;

    if (error != 0)
        return error;
    if (ARG(3) != 0)
        deadline = poll_deadline(ns);
    return epoll_run_masked(frame, deadline);
}
