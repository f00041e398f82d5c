/* SPDX-License-Identifier: BSD-2-Clause */
/* pidfd_open(2) and pidfd_send_signal(2). A target outlives its program while files are of it. */
#include "linux/file/pidfd.h"
#include "fs/file/file.h"
#include "fs/file/poll.h"
#include "kernel/memory/kmem.h"
#include "linux/program/program_part.h"
#include "linux/program/program_private.h"

struct pidfd_target {
    struct program *program; /* program_lock, as what follows; NULL: it was waited for */
    uint32_t references;     /* files, and the program's */
    bool ended;
    struct poll_source source;
};

/* With the lock; whether it is to be freed. */
static bool pidfd_drop(struct pidfd_target *target)
{
    return --target->references == 0;
}

/* PROGRAM has ended. With program_lock. */
static void pidfd_ended(struct program *program)
{
    struct pidfd_target *target = program->pidfd;

    if (!target)
        return;
    target->ended = true;
    poll_source_wake(&target->source, POLL_READ);
}

/* It is waited for. With program_lock. */
static void pidfd_forget(struct program *program)
{
    struct pidfd_target *target = program->pidfd;

    if (!target)
        return;
    program->pidfd = NULL;
    target->program = NULL;
    target->ended = true;
    poll_source_wake(&target->source, POLL_READ | POLLHUP);
    if (pidfd_drop(target))
        kmem_free(target);
}

const struct program_part pidfd_part = {.settle = pidfd_ended, .remove = pidfd_forget};

static uint32_t pidfd_poll(struct file *file, uint32_t events, struct poll_entry *entry)
{
    struct pidfd_target *target = file->data;

    poll_source_watch(&target->source, entry);
    return *(volatile bool *)&target->ended ? events & POLL_READ : 0;
}

static void pidfd_close(struct file *file)
{
    struct pidfd_target *target = file->data;
    uintptr_t state = spinlock_acquire(&program_lock);
    bool unused = pidfd_drop(target);

    spinlock_release(&program_lock, state);
    if (unused)
        kmem_free(target);
}

static const struct file_ops pidfd_ops = {
    .poll = pidfd_poll, .close = pidfd_close, .anonymous = "pidfd"};

/* ID's target, with a reference more; NEW is used if it has none. NULL: there is no such program.
 */
static struct pidfd_target *pidfd_target(uint32_t id, struct pidfd_target **new)
{
    uintptr_t state = spinlock_acquire(&program_lock);
    struct program *program = program_find(id);
    struct pidfd_target *target = NULL;

    if (program) {
        if (!program->pidfd) {
            program->pidfd = *new;
            (*new)->program = program;
            (*new)->ended = program->state == PROGRAM_ENDED;
            *new = NULL;
        }
        target = program->pidfd;
        target->references++;
    }
    spinlock_release(&program_lock, state);
    return target;
}

int pidfd_create(uint32_t id, uint32_t flags, struct file **out)
{
    struct pidfd_target *new = kmem_zalloc(sizeof *new), *target;

    *out = file_create(&pidfd_ops, O_RDWR | flags, NULL);
    if (!new || !*out) {
        kmem_free(new);
        if (*out)
            (*out)->ops = NULL;
        file_release(*out);
        return -ENOMEM;
    }
    new->references = 1;
    poll_source_init(&new->source);
    target = pidfd_target(id, &new);
    kmem_free(new);
    if (!target) {
        (*out)->ops = NULL;
        file_release(*out);
        return -ESRCH;
    }
    (*out)->data = target;
    return 0;
}

static struct pidfd_target *pidfd_of(struct file *file)
{
    return file->ops == &pidfd_ops ? file->data : NULL;
}

uint32_t pidfd_id(struct file *file)
{
    struct pidfd_target *target = pidfd_of(file);
    uintptr_t state;
    uint32_t id;

    if (!target)
        return 0;
    state = spinlock_acquire(&program_lock);
    id = target->program ? target->program->id : UINT32_MAX;
    spinlock_release(&program_lock, state);
    return id;
}

CALL(pidfd_open)
{
    struct file *file;
    uintptr_t state;
    bool is_thread;
    int error;

    if (ARG_U32(1) & ~ABI_O_NONBLOCK || ARG_INT(0) <= 0)
        return -EINVAL;
    error = pidfd_create(ARG_U32(0), ARG_U32(1) ? O_NONBLOCK : 0, &file);
    if (error != 0) {
        state = spinlock_acquire(&program_lock);
        is_thread = task_find(ARG_U32(0)) != NULL;
        spinlock_release(&program_lock, state);
        return error == -ESRCH && is_thread ? -EINVAL : error;
    }
    return call_file_add(file, 0, true);
}

/* With the lock. */
static long pidfd_send(struct program *program, int signal, const struct abi_siginfo *info)
{
    const struct program *self = task_current()->program;

    if (!program)
        return -ESRCH;
    if (!program_may_signal(self, program, signal))
        return -EPERM;
    if (info->head.code >= 0 && info->head.code != SI_USER && program != self)
        return -EPERM;
    return signal == 0 ? 0 : signal_send_program(program, signal, info);
}

CALL(pidfd_send_signal)
{
    struct abi_siginfo info;
    struct file *file;
    uintptr_t state;
    long result = -EBADF;

    if (ARG_U32(3) != 0)
        return -EINVAL;
    file = call_file(ARG_INT(0));
    if (file && pidfd_of(file)) {
        signal_info_from(&info, ARG_INT(1), SI_USER);
        if (ARG_INT(1) < 0 || ARG_INT(1) > ABI_SIGNALS)
            result = -EINVAL;
        else if (ARG(2) != 0 && copyin(ARG_PTR(2), &info, sizeof info) != 0)
            result = -EFAULT;
        else if (info.head.signo != ARG_INT(1))
            result = -EINVAL;
        else
            result = 0;
    }
    if (result == 0) {
        state = spinlock_acquire(&program_lock);
        result = pidfd_send(pidfd_of(file)->program, ARG_INT(1), &info);
        spinlock_release(&program_lock, state);
    }
    if (file)
        file_release(file);
    return result;
}
