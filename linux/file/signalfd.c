/* SPDX-License-Identifier: BSD-2-Clause */
/* signalfd(2): pending signals of who reads are taken by reading. */
#include "fs/file/file.h"
#include "fs/file/poll.h"
#include "kernel/memory/kmem.h"
#include "lib/string.h"
#include "linux/program/program_private.h"

struct signalfd {
    struct signal_set set;
};

/* The int of a union sigval. */
static int32_t signalfd_int(uint64_t value)
{
    int32_t number;

    memcpy(&number, &value, sizeof number);
    return number;
}

static void signalfd_fill(struct abi_signalfd *out, const struct abi_siginfo *info)
{
    memset(out, 0, sizeof *out);
    out->signo = (uint32_t)info->head.signo;
    out->error = info->head.error;
    out->code = info->head.code;
    if (out->code == SI_TIMER) {
        out->tid = (uint32_t)info->timer.id;
        out->overrun = (uint32_t)info->timer.overrun;
        out->pointer = info->timer.value;
        out->number = signalfd_int(info->timer.value);
        return;
    }
    if (out->code > 0 && out->code != SI_KERNEL && info->head.signo != SIGCHLD) {
        out->address = info->fault.address;
        return;
    }
    out->pid = (uint32_t)info->from.pid;
    out->uid = info->from.uid;
    if (info->head.signo == SIGCHLD && out->code > 0) {
        out->status = info->child.status;
        out->utime = (uint64_t)info->child.utime;
        out->stime = (uint64_t)info->child.stime;
    } else if (out->code < 0) {
        out->pointer = info->from.value;
        out->number = signalfd_int(info->from.value);
    }
}

static long signalfd_read(struct file *file, struct uio *uio, uint64_t *offset)
{
    struct signalfd *signals = file->data;
    uint64_t deadline = file_flags(file) & O_NONBLOCK ? 0 : WAIT_FOREVER;
    struct abi_signalfd out;
    struct abi_siginfo info;
    long moved = 0;

    (void)offset;
    if (uio->left < sizeof out)
        return -EINVAL;
    while (uio->left >= sizeof out) {
        int signal = signal_wait(task_current(), &signals->set, moved ? 0 : deadline, &info);

        if (signal <= 0)
            return moved ? moved : signal;
        signalfd_fill(&out, &info);
        if (uio_put(uio, &out, sizeof out) != sizeof out)
            return moved ? moved : -EFAULT;
        moved += (long)sizeof out;
    }
    return moved;
}

static uint32_t signalfd_poll(struct file *file, uint32_t events, struct poll_entry *entry)
{
    const struct signalfd *signals = file->data;
    struct task *task = task_current();
    uint64_t pending = 0;
    uintptr_t state;

    poll_source_watch(&task->program->signal_source, entry);
    state = spinlock_acquire(&program_lock);
    for (unsigned i = 0; i < ABI_SIGNAL_WORDS; i++)
        pending |=
            (task->pending.set.word[i] | task->program->pending.set.word[i]) & signals->set.word[i];
    spinlock_release(&program_lock, state);
    return pending ? events & POLL_READ : 0;
}

static void signalfd_close(struct file *file)
{
    kmem_free(file->data);
}

static const struct file_ops signalfd_ops = {.read = signalfd_read,
                                             .poll = signalfd_poll,
                                             .close = signalfd_close,
                                             .anonymous = "signalfd",
                                             .begins = true};

static long signalfd_create(const struct signal_set *set, uint32_t flags)
{
    struct signalfd *signals = kmem_zalloc(sizeof *signals);
    struct file *file;

    if (!signals)
        return -ENOMEM;
    signals->set = *set;
    file = file_create(&signalfd_ops, O_RDWR | (flags & ABI_O_NONBLOCK ? O_NONBLOCK : 0), signals);
    if (!file) {
        kmem_free(signals);
        return -ENOMEM;
    }
    return call_file_add(file, 0, flags & ABI_O_CLOEXEC);
}

/* That of DESCRIPTOR takes SET from now on. */
static long signalfd_change(int descriptor, const struct signal_set *set)
{
    struct file *file = call_file(descriptor);
    uintptr_t state;
    long result;

    if (!file)
        return -EBADF;
    result = file->ops == &signalfd_ops ? descriptor : -EINVAL;
    if (result >= 0) {
        state = spinlock_acquire(&program_lock);
        ((struct signalfd *)file->data)->set = *set;
        spinlock_release(&program_lock, state);
        poll_source_wake(&task_current()->program->signal_source, POLL_READ);
    }
    file_release(file);
    return result;
}

static long signalfd_open(struct trap_frame *frame, uint32_t flags)
{
    struct signal_set set;

    if (ARG(2) != sizeof set || flags & ~(ABI_O_CLOEXEC | ABI_O_NONBLOCK))
        return -EINVAL;
    if (copyin(ARG_PTR(1), &set, sizeof set) != 0)
        return -EFAULT;
    signal_remove(&set, SIGKILL);
    signal_remove(&set, SIGSTOP);
    return ARG_INT(0) == -1 ? signalfd_create(&set, flags) : signalfd_change(ARG_INT(0), &set);
}

CALL(signalfd)
{
    return signalfd_open(frame, 0);
}

CALL(signalfd4)
{
    return signalfd_open(frame, ARG_U32(3));
}
