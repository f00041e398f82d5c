/* SPDX-License-Identifier: BSD-2-Clause */
/* flock, and fcntl's locks of ranges: a process's, and an open file's. */
#include "fs/file/file.h"
#include "fs/file/lock.h"
#include "linux/program/program_private.h"

#define LOCK_SH 1u
#define LOCK_EX 2u
#define LOCK_NB 4u
#define LOCK_UN 8u

static struct file_lock lock_whole(const struct file *file, uint32_t operation)
{
    return (struct file_lock){.owner = file,
                              .kind = FILE_LOCK_WHOLE,
                              .type = operation == LOCK_SH   ? FILE_LOCK_READ
                                      : operation == LOCK_EX ? FILE_LOCK_WRITE
                                                             : FILE_LOCK_NONE,
                              .last = UINT64_MAX};
}

CALL(flock)
{
    uint32_t operation = ARG_U32(1) & ~LOCK_NB;
    struct file *file = call_file(ARG_INT(0));
    struct file_lock lock;
    long result;

    if (!file)
        return -EBADF;
    lock = lock_whole(file, operation);
    if (file_flags(file) & O_PATH)
        result = -EBADF;
    else if (operation != LOCK_SH && operation != LOCK_EX && operation != LOCK_UN)
        result = -EINVAL;
    else
        result = file->vnode ? file_lock_set(file->vnode, &lock, !(ARG_U32(1) & LOCK_NB)) : 0;
    file_release(file);
    return call_restartable(result);
}

/* Where FROM begins and ends. */
static int lock_range(struct file *file, const struct abi_flock *from, struct file_lock *lock)
{
    struct file_stat stat = {0};
    int64_t start = from->start, base = 0;

    if (from->whence < SEEK_SET || from->whence > SEEK_END)
        return -EINVAL;
    if (from->whence == SEEK_CUR)
        base = file_seek(file, 0, SEEK_CUR);
    if (from->whence == SEEK_END && file_stat(file, &stat) == 0)
        base = (int64_t)stat.size;
    if (base < 0)
        base = 0;
    if (__builtin_add_overflow(base, start, &start))
        return -EOVERFLOW;
    if (start < 0 || (from->length < 0 && start + from->length < 0))
        return -EINVAL;
    lock->start = (uint64_t)(from->length < 0 ? start + from->length : start);
    lock->last = UINT64_MAX;
    if (from->length > 0 && from->length - 1 > INT64_MAX - start)
        return -EOVERFLOW;
    if (from->length != 0)
        lock->last = (uint64_t)(from->length < 0 ? start : start + from->length) - 1;
    return 0;
}

static int lock_in(struct file *file, const struct abi_flock *from, bool of_file,
                   struct file_lock *lock)
{
    const struct program *program = task_current()->program;

    if (from->type < FILE_LOCK_READ || from->type > FILE_LOCK_NONE || (of_file && from->pid != 0))
        return -EINVAL;
    *lock = (struct file_lock){.owner = of_file ? (const void *)file : program->files,
                               .pid = of_file ? -1 : (int32_t)program->id,
                               .kind = FILE_LOCK_RANGE,
                               .type = (uint8_t)from->type};
    return lock_range(file, from, lock);
}

static void lock_out(const struct file_lock *lock, struct abi_flock *to)
{
    to->type = lock->type;
    if (lock->type == FILE_LOCK_NONE)
        return;
    to->whence = SEEK_SET;
    to->start = (int64_t)lock->start;
    to->length = lock->last == UINT64_MAX ? 0 : (int64_t)(lock->last - lock->start + 1);
    to->pid = lock->pid;
}

/* Whether the file is open for what is locked. */
static bool lock_may(struct file *file, uint8_t type)
{
    uint32_t mode = file_flags(file) & O_ACCMODE;

    return type == FILE_LOCK_NONE || mode == O_RDWR ||
           mode == (type == FILE_LOCK_READ ? O_RDONLY : O_WRONLY);
}

long call_lock(struct file *file, enum call_lock what, bool of_file, void *user)
{
    struct abi_flock range;
    struct file_lock lock;
    int error;

    if (copyin(user, &range, sizeof range) != 0)
        return -EFAULT;
    if (what == CALL_LOCK_TEST && range.type == FILE_LOCK_NONE)
        return -EINVAL;
    error = lock_in(file, &range, of_file, &lock);
    if (error != 0)
        return error;
    if (what == CALL_LOCK_TEST) {
        if (file->vnode)
            file_lock_test(file->vnode, &lock);
        else
            lock.type = FILE_LOCK_NONE;
        lock_out(&lock, &range);
        return copyout(&range, user, sizeof range);
    }
    if (!lock_may(file, lock.type))
        return -EBADF;
    if (!file->vnode)
        return 0;
    return call_restartable(file_lock_set(file->vnode, &lock, what == CALL_LOCK_WAIT));
}
