/* SPDX-License-Identifier: BSD-2-Clause */
/* ioctl(2): what every file can be asked; the rest is each kind's. */
#include "fs/file/file.h"
#include "fs/file/file_table.h"
#include "linux/program/program_private.h"

/* FIOASYNC. */
static long ioctl_signals(struct file *file, uintptr_t argument)
{
    uint32_t flags = file_flags(file);
    int32_t on;

    if (copyin((const void *)argument, &on, sizeof on) != 0)
        return -EFAULT;
    if (on && !file->ops->signals)
        return -ENOTTY;
    file_set_flags(file, on ? flags | O_ASYNC : flags & ~O_ASYNC);
    return 0;
}

/* FIOQSIZE: the bytes that it takes, of what has any. */
static long ioctl_size(struct file *file, uintptr_t argument)
{
    struct file_stat stat;
    int64_t size;

    if (!file->vnode || (file->vnode->type != S_IFREG && file->vnode->type != S_IFDIR &&
                         file->vnode->type != S_IFLNK))
        return -ENOTTY;
    if (file_stat(file, &stat) != 0)
        return -EBADF;
    size = (int64_t)stat.blocks * 512;
    return copyout(&size, (void *)argument, sizeof size);
}

/* FIGETBSZ: how large a block is. FIONREAD of a file with an end: what is between the offset and
 * it. */
static long ioctl_number(struct file *file, uint32_t command, uintptr_t argument)
{
    struct file_stat stat;
    int32_t number;

    if (file_stat(file, &stat) != 0)
        return -EBADF;
    number = command == FIGETBSZ ? (int32_t)stat.block_size
                                 : (int32_t)(stat.size - (uint64_t)file_seek(file, 0, SEEK_CUR));
    return copyout(&number, (void *)argument, sizeof number);
}

static long ioctl_file(int descriptor, struct file *file, uint32_t command, uintptr_t argument)
{
    struct file_table *files = task_current()->program->files;

    switch (command) {
    case FIOCLEX:
    case FIONCLEX:
        return file_table_set_close_on_exec(files, descriptor, command == FIOCLEX);
    case ABI_FIONBIO:
        return file_ioctl(file, FIONBIO, argument, true);
    case FIOASYNC:
        return ioctl_signals(file, argument);
    case FIOQSIZE:
        return ioctl_size(file, argument);
    case FIGETBSZ:
        return ioctl_number(file, command, argument);
    case ABI_FIONREAD:
        return file->vnode && file->vnode->type == S_IFREG
                   ? ioctl_number(file, command, argument)
                   : file_ioctl(file, FIONREAD, argument, true);
    default:
        return file_ioctl(file, command, argument, true);
    }
}

CALL(ioctl)
{
    struct file *file = call_file(ARG_INT(0));
    long result;

    if (!file)
        return -EBADF;
    result = file_flags(file) & O_PATH ? -EBADF : ioctl_file(ARG_INT(0), file, ARG_U32(1), ARG(2));
    file_release(file);
    return result;
}
