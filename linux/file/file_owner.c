/* SPDX-License-Identifier: BSD-2-Clause */
/* Owners of open files: whom they tell by a signal, and by which. */
#include "linux/file/file_owner.h"
#include "fs/file/file.h"
#include "fs/file/poll.h"
#include "lib/string.h"
#include "linux/program/program_private.h"

#define F_SETSIG      10
#define F_GETSIG      11
#define F_SETOWN_EX   15
#define F_GETOWN_EX   16
#define POLL_IN_CODE  1
#define POLL_HUP_CODE 6

struct abi_owner {
    int32_t kind, id;
};

static bool file_owner_exists(const struct abi_owner *owner)
{
    uintptr_t state = spinlock_acquire(&program_lock);
    bool found = owner->id == 0;

    if (owner->id > 0 && owner->kind == FILE_OWNER_TASK)
        found = task_find((uint32_t)owner->id) != NULL;
    else if (owner->id > 0 && owner->kind == FILE_OWNER_PROCESS)
        found = program_find((uint32_t)owner->id) != NULL;
    else if (owner->id > 0)
        found = program_group_find((uint32_t)owner->id) != NULL;
    spinlock_release(&program_lock, state);
    return found;
}

static long file_owner_set(struct file *file, const struct abi_owner *owner)
{
    const struct program *program = task_current()->program;
    uintptr_t state;

    if (!file_owner_exists(owner))
        return -ESRCH;
    state = spinlock_acquire(&file->lock);
    file->owner.kind = (uint8_t)owner->kind;
    file->owner.id = owner->id;
    file->owner.uid = program->uid;
    file->owner.euid = program->euid;
    spinlock_release(&file->lock, state);
    return 0;
}

static long file_owner_set_simple(struct file *file, int32_t id)
{
    struct abi_owner owner = {FILE_OWNER_PROCESS, id};

    if (id == INT32_MIN)
        return -EINVAL;
    if (id < 0)
        owner = (struct abi_owner){FILE_OWNER_GROUP, -id};
    return file_owner_set(file, &owner);
}

static long file_owner_set_extended(struct file *file, const void *user)
{
    struct abi_owner owner;

    if (copyin(user, &owner, sizeof owner) != 0)
        return -EFAULT;
    if (owner.kind < FILE_OWNER_TASK || owner.kind > FILE_OWNER_GROUP)
        return -EINVAL;
    return file_owner_set(file, &owner);
}

long file_owner_control(struct file *file, int command, uintptr_t argument)
{
    const struct file_owner *owner = &file->owner;
    struct abi_owner out = {owner->kind, owner->id};

    switch (command) {
    case F_SETOWN:
        return file_owner_set_simple(file, (int32_t)argument);
    case F_GETOWN:
        return owner->kind == FILE_OWNER_GROUP ? -owner->id : owner->id;
    case F_SETOWN_EX:
        return file_owner_set_extended(file, (const void *)argument);
    case F_GETOWN_EX:
        return copyout(&out, (void *)argument, sizeof out);
    case F_SETSIG:
        if (argument > ABI_SIGNALS)
            return -EINVAL;
        file->owner.signal = (uint8_t)argument;
        return 0;
    case F_GETSIG:
        return owner->signal;
    default:
        return -EINVAL;
    }
}

static bool file_owner_may(const struct file_owner *owner, const struct program *program)
{
    return owner->euid == 0 || owner->euid == program->suid || owner->euid == program->uid ||
           owner->uid == program->suid || owner->uid == program->uid;
}

/* A signal that was asked for says which descriptor, and what; it is SIGIO if there is no memory
 * for that. With program_lock. */
static void file_owner_send(const struct file_owner *owner, struct program *program,
                            struct task *task, bool last)
{
    struct abi_siginfo info;
    int error = -EAGAIN;

    if (!program || !file_owner_may(owner, program))
        return;
    if (owner->signal != 0) {
        memset(&info, 0, sizeof info);
        info.head.signo = owner->signal;
        info.head.code = last ? POLL_HUP_CODE : POLL_IN_CODE;
        info.poll.band = last ? POLLHUP | POLLERR : POLLIN | POLLRDNORM;
        info.poll.descriptor = owner->descriptor;
        error = task ? signal_send_task(task, owner->signal, &info)
                     : signal_send_program(program, owner->signal, &info);
    }
    if (error != 0)
        (void)(task ? signal_send_task(task, SIGIO, NULL)
                    : signal_send_program(program, SIGIO, NULL));
}

static void file_owner_send_group(const struct file_owner *owner, bool last)
{
    struct program_group *group = program_group_find((uint32_t)owner->id);
    struct program *program;

    if (group)
        TAILQ_FOREACH (program, &group->members, in_group)
            file_owner_send(owner, program, NULL, last);
}

void file_owner_tell(struct file *file, bool last)
{
    uintptr_t state = spinlock_acquire(&file->lock);
    struct file_owner owner = file->owner;
    struct task *task;

    spinlock_release(&file->lock, state);
    if (owner.id == 0)
        return;
    state = spinlock_acquire(&program_lock);
    if (owner.kind == FILE_OWNER_GROUP) {
        file_owner_send_group(&owner, last);
    } else if (owner.kind == FILE_OWNER_TASK) {
        task = task_find((uint32_t)owner.id);
        file_owner_send(&owner, task ? task->program : NULL, task, last);
    } else {
        file_owner_send(&owner, program_find((uint32_t)owner.id), NULL, last);
    }
    spinlock_release(&program_lock, state);
}
