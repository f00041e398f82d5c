/* SPDX-License-Identifier: BSD-2-Clause */
/* The system calls that move bytes. */
#include "fs/file/file.h"
#include "fs/file/file_table.h"
#include "fs/file/uio.h"
#include "kernel/memory/kmem.h"
#include "kernel/process/process_count.h"
#include "linux/program/program_private.h"

#define FADV_NOREUSE 5 /* the last one; posix_fadvise(2) */

struct file *call_file(int descriptor)
{
    return file_table_get(task_current()->program->files, descriptor);
}

long file_io_result(struct file *file, long result)
{
    file_release(file);
    if (result == -EPIPE || result == -EFBIG) {
        struct abi_siginfo info;
        uintptr_t state;

        signal_info_from(&info, result == -EPIPE ? SIGPIPE : SIGXFSZ, SI_USER);
        state = spinlock_acquire(&program_lock);
        signal_send_task(task_current(), info.head.signo, &info);
        spinlock_release(&program_lock, state);
    }
    return call_restartable(result);
}

enum file_io { FILE_READ, FILE_WRITE, FILE_PREAD, FILE_PWRITE };

/* RESULT bytes, or an error. */
static void file_io_count(bool written, long result)
{
    struct task_counts *counts = &task_current()->counts;
    uint64_t bytes = result > 0 ? (uint64_t)result : 0;

    if (written) {
        counts->writes++;
        counts->written_bytes += bytes;
    } else {
        counts->reads++;
        counts->read_bytes += bytes;
    }
    evcnt_incr(&process_event[written ? PROCESS_WRITES : PROCESS_READS]);
    process_moved(written, bytes);
}

static long file_io_run(int descriptor, struct uio *uio, enum file_io way, uint64_t offset)
{
    struct file *file = call_file(descriptor);
    long result;

    if (!file)
        return -EBADF;
    uio->file_limit = task_current()->program->limits[RLIMIT_FSIZE].now;
    uio->keeps_set_id = task_current()->program->fsuid == 0;
    switch (way) {
    case FILE_READ:
        result = file_read(file, uio);
        break;
    case FILE_WRITE:
        result = file_write(file, uio);
        break;
    case FILE_PREAD:
        result = file_pread(file, uio, offset);
        break;
    default:
        result = file_pwrite(file, uio, offset);
    }
    file_io_count(way == FILE_WRITE || way == FILE_PWRITE, result);
    return file_io_result(file, result);
}

static bool file_io_is_open(int descriptor)
{
    struct file *file = call_file(descriptor);

    file_release(file);
    return file != NULL;
}

static long file_io_single(struct trap_frame *frame, enum file_io way, uint64_t offset)
{
    struct io_vector vector;
    struct uio uio;

    if (way >= FILE_PREAD && (int64_t)offset < 0)
        return -EINVAL;
    if ((int64_t)ARG(2) < 0) /* no memory is as large */
        return file_io_is_open(ARG_INT(0)) ? -EFAULT : -EBADF;
    uio_single(&uio, &vector, ARG_PTR(1), ARG(2), true);
    return file_io_run(ARG_INT(0), &uio, way, offset);
}

CALL(read)
{
    return file_io_single(frame, FILE_READ, 0);
}

CALL(write)
{
    return file_io_single(frame, FILE_WRITE, 0);
}

CALL(pread64)
{
    return file_io_single(frame, FILE_PREAD, ARG(3));
}

CALL(pwrite64)
{
    return file_io_single(frame, FILE_PWRITE, ARG(3));
}

static long file_io_vector(struct trap_frame *frame, enum file_io way, uint64_t offset)
{
    struct io_vector *vector;
    struct uio uio;
    uint64_t count = ARG(2);
    long result;

    if (count > UIO_VECTORS_MAX || (way >= FILE_PREAD && (int64_t)offset < 0))
        return -EINVAL;
    vector = kmem_alloc(count * sizeof *vector + 1);
    if (!vector)
        return -ENOMEM;
    result = copyin(ARG_PTR(1), vector, count * sizeof *vector);
    if (result == 0)
        result = uio_init(&uio, vector, (unsigned)count, true);
    if (result == 0)
        result = file_io_run(ARG_INT(0), &uio, way, offset);
    kmem_free(vector);
    return result;
}

CALL(readv)
{
    return file_io_vector(frame, FILE_READ, 0);
}

CALL(writev)
{
    return file_io_vector(frame, FILE_WRITE, 0);
}

CALL(preadv)
{
    return file_io_vector(frame, FILE_PREAD, ARG(3));
}

CALL(pwritev)
{
    return file_io_vector(frame, FILE_PWRITE, ARG(3));
}

#define RWF_APPEND 16u
#define RWF_KNOWN  31u /* the others ask for speed, or for what is so anyway */

/* RWF_APPEND of a file that is not open so: at its end. */
static long file_io_append(struct trap_frame *frame)
{
    struct file *file = call_file(ARG_INT(0));
    struct file_stat stat;
    int error;

    if (!file)
        return -EBADF;
    error = file_stat(file, &stat);
    file_release(file);
    return error != 0 ? error : file_io_vector(frame, FILE_PWRITE, stat.size);
}

static long file_io_flagged(struct trap_frame *frame, enum file_io plain, enum file_io placed)
{
    int64_t offset = (int64_t)ARG(3);
    uint32_t flags = ARG_U32(5);

    if (flags & ~RWF_KNOWN || (flags & RWF_APPEND && plain == FILE_READ))
        return -EOPNOTSUPP;
    if (flags & RWF_APPEND)
        return file_io_append(frame);
    if (offset == -1)
        return file_io_vector(frame, plain, 0);
    return file_io_vector(frame, placed, (uint64_t)offset);
}

CALL(preadv2)
{
    return file_io_flagged(frame, FILE_READ, FILE_PREAD);
}

CALL(pwritev2)
{
    return file_io_flagged(frame, FILE_WRITE, FILE_PWRITE);
}

CALL(lseek)
{
    struct file *file = call_file(ARG_INT(0));
    long result;

    if (!file)
        return -EBADF;
    result = file_seek(file, (int64_t)ARG(1), ARG_INT(2));
    file_release(file);
    return result;
}

/* Nothing here is on a disk. */
static long file_io_sync(int descriptor)
{
    struct file *file = call_file(descriptor);
    long result;

    if (!file)
        return -EBADF;
    result = file_flags(file) & O_PATH ? -EBADF
             : file->vnode && (file->vnode->type == S_IFREG || file->vnode->type == S_IFDIR ||
                               file->vnode->type == S_IFBLK)
                 ? 0
                 : -EINVAL;
    file_release(file);
    return result;
}

CALL(fsync)
{
    return file_io_sync(ARG_INT(0));
}

CALL(fdatasync)
{
    return file_io_sync(ARG_INT(0));
}

/* 0, or why FILE cannot be synchronized as a file of its file system. */
static long file_io_usable(struct file *file)
{
    return file_flags(file) & O_PATH ? -EBADF : 0;
}

CALL(syncfs)
{
    struct file *file = call_file(ARG_INT(0));
    long result;

    if (!file)
        return -EBADF;
    result = file_io_usable(file);
    file_release(file);
    return result;
}

#define SYNC_RANGE_KNOWN 7u /* sync_file_range(2): SYNC_FILE_RANGE_* */

CALL(sync_file_range)
{
    struct file *file = call_file(ARG_INT(0));
    int64_t from = (int64_t)ARG(1), size = (int64_t)ARG(2), end;
    long result;

    if (!file)
        return -EBADF;
    result = file_io_usable(file);
    if (result == 0 && (ARG_U32(3) & ~SYNC_RANGE_KNOWN || from < 0 || size < 0 ||
                        __builtin_add_overflow(from, size, &end)))
        result = -EINVAL;
    if (result == 0 && (!file->vnode || file->vnode->type == S_IFIFO ||
                        file->vnode->type == S_IFCHR || file->vnode->type == S_IFSOCK))
        result = -ESPIPE;
    file_release(file);
    return result;
}

/* All of it is in memory already. */
CALL(readahead)
{
    struct file *file = call_file(ARG_INT(0));
    long result = 0;

    if (!file)
        return -EBADF;
    if (file_flags(file) & O_PATH || (file_flags(file) & O_ACCMODE) == O_WRONLY)
        result = -EBADF;
    else if (!file->vnode || (file->vnode->type != S_IFREG && file->vnode->type != S_IFBLK))
        result = -EINVAL;
    file_release(file);
    return result;
}

CALL(sync)
{
    (void)frame;
    return 0;
}

/* All advice is heeded by doing nothing. */
CALL(fadvise64)
{
    struct file *file = call_file(ARG_INT(0));
    struct file_stat stat = {.mode = 0};
    long result = 0;

    if (!file)
        return -EBADF;
    if (file_flags(file) & O_PATH)
        result = -EBADF;
    else if (file_stat(file, &stat) == 0 && (stat.mode & S_IFMT) == S_IFIFO)
        result = -ESPIPE;
    else if (ARG_INT(3) < 0 || ARG_INT(3) > FADV_NOREUSE || (int64_t)ARG(2) < 0)
        result = -EINVAL;
    file_release(file);
    return result;
}
