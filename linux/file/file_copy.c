/* SPDX-License-Identifier: BSD-2-Clause */
/* The system calls that move bytes from file to file: sendfile, copy_file_range, splice, tee,
 * vmsplice. */
#include "fs/file/file.h"
#include "fs/pipe/pipe.h"
#include "fs/file/stat.h"
#include "fs/file/uio.h"
#include "kernel/memory/kmem.h"
#include "linux/program/program_private.h"

#define BUFFER            16384u
#define SPLICE_F_NONBLOCK 2u
#define SPLICE_F_KNOWN    15u /* splice(2); the others ask for speed */

/* A copy: which files, where (NULL: at a file's own offset), how much. */
struct file_copy {
    struct file *from, *to;
    uint64_t *from_at, *to_at;
    size_t size;
    bool from_pipe, to_pipe;
    bool at_once; /* what a pipe would be waited for ends it */
};

static bool file_copy_reads(struct file *file)
{
    return !(file_flags(file) & O_PATH) && (file_flags(file) & O_ACCMODE) != O_WRONLY;
}

static bool file_copy_writes(struct file *file)
{
    uint32_t mode = file_flags(file) & (O_ACCMODE | O_PATH);

    return mode == O_WRONLY || mode == O_RDWR;
}

/* How much of SIZE bytes to move next: a pipe takes only what it has room for, which is waited for
 * where nothing was moved yet. */
static long file_copy_room(const struct file_copy *copy, size_t size, bool begun)
{
    long room = size < BUFFER ? (long)size : BUFFER;

    if (copy->to_pipe) {
        long there = pipe_wait_for_room(copy->to, copy->at_once || begun);

        room = there < room ? there : room;
    }
    return room;
}

static long file_copy_get(const struct file_copy *copy, char *buffer, size_t size, bool begun)
{
    struct io_vector vector;
    struct uio uio;

    uio_single(&uio, &vector, buffer, size, false);
    uio.at_once = copy->from_pipe && (copy->at_once || begun);
    return copy->from_at ? file_pread(copy->from, &uio, *copy->from_at)
                         : file_read(copy->from, &uio);
}

static long file_copy_put(const struct file_copy *copy, char *buffer, size_t size)
{
    struct io_vector vector;
    struct uio uio;
    long put;

    uio_single(&uio, &vector, buffer, size, false);
    uio.file_limit = task_current()->program->limits[RLIMIT_FSIZE].now;
    uio.keeps_set_id = task_current()->program->fsuid == 0;
    put = copy->to_at ? file_pwrite(copy->to, &uio, *copy->to_at) : file_write(copy->to, &uio);
    if (!copy->from_at && !copy->from_pipe && put < (long)size)
        (void)file_seek(copy->from, (put < 0 ? 0 : put) - (long)size, SEEK_CUR);
    return put;
}

/* Through the kernel's memory, BUFFER bytes at a time: the number, or an errno. */
static long file_copy_run(const struct file_copy *copy)
{
    char *buffer = kmem_alloc(BUFFER);
    size_t left = copy->size;
    long total = 0, moved = 0;

    if (!buffer)
        return -ENOMEM;
    while (left > 0) {
        long got = file_copy_room(copy, left, total > 0);

        if (got > 0)
            got = file_copy_get(copy, buffer, (size_t)got, total > 0);
        moved = got > 0 ? file_copy_put(copy, buffer, (size_t)got) : got;
        if (moved <= 0)
            break;
        if (copy->from_at)
            *copy->from_at += (uint64_t)moved;
        if (copy->to_at)
            *copy->to_at += (uint64_t)moved;
        total += moved;
        left -= (size_t)moved;
        if (moved < got || thread_interrupted())
            break;
    }
    kmem_free(buffer);
    return total > 0 ? total : moved;
}

/* What CHECK says of them: 0 to copy, or an errno. */
typedef long file_copy_check(struct file_copy *copy);

/* With offsets in the program's memory (0: the file's own). */
static long file_copy_call(int from, uint64_t from_at, int to, uint64_t to_at, size_t size,
                           file_copy_check *check, bool at_once)
{
    struct file_copy copy = {.size = size, .at_once = at_once};
    uint64_t from_offset, to_offset;
    long result = 0;

    copy.from = call_file(from);
    copy.to = call_file(to);
    if (!copy.from || !copy.to)
        result = -EBADF;
    if (result == 0 && ((from_at && copyin((const void *)from_at, &from_offset, 8) != 0) ||
                        (to_at && copyin((const void *)to_at, &to_offset, 8) != 0)))
        result = -EFAULT;
    copy.from_at = from_at ? &from_offset : NULL;
    copy.to_at = to_at ? &to_offset : NULL;
    if (result == 0)
        result = check(&copy);
    if (result == 0 && ((from_at && (int64_t)from_offset < 0) || (to_at && (int64_t)to_offset < 0)))
        result = -EINVAL;
    if (result == 0 && copy.size > 0)
        result = file_copy_run(&copy);
    file_release(copy.from);
    result = file_io_result(copy.to, result);
    if (result > 0 && ((from_at && copyout(&from_offset, (void *)from_at, 8) != 0) ||
                       (to_at && copyout(&to_offset, (void *)to_at, 8) != 0)))
        return -EFAULT;
    return result;
}

static long file_copy_check_send(struct file_copy *copy)
{
    if (!file_copy_reads(copy->from) || !file_copy_writes(copy->to))
        return -EBADF;
    if (copy->from_at && !copy->from->ops->seekable)
        return -ESPIPE;
    return !copy->from->ops->seekable || file_flags(copy->to) & O_APPEND ? -EINVAL : 0;
}

CALL(sendfile)
{
    return file_copy_call(ARG_INT(1), ARG(2), ARG_INT(0), 0, ARG(3), file_copy_check_send, false);
}

static uint32_t file_copy_type(const struct file *file)
{
    return file->vnode ? file->vnode->type : 0;
}

/* The ranges of one file must be apart; what is behind the end of FROM is not copied. */
static long file_copy_check_overlap(struct file_copy *copy)
{
    uint64_t from = copy->from_at ? *copy->from_at : (uint64_t)file_seek(copy->from, 0, SEEK_CUR);
    uint64_t to = copy->to_at ? *copy->to_at : (uint64_t)file_seek(copy->to, 0, SEEK_CUR);
    struct file_stat stat;

    if (copy->size > UINT64_MAX - from || copy->size > UINT64_MAX - to)
        return -EOVERFLOW;
    if (file_stat(copy->from, &stat) != 0 || from >= stat.size)
        copy->size = stat.size != 0 ? 0 : copy->size; /* /proc's have none */
    else if (copy->size > stat.size - from)
        copy->size = stat.size - from;
    if (copy->from->vnode == copy->to->vnode && to + copy->size > from && to < from + copy->size)
        return -EINVAL;
    return 0;
}

static long file_copy_check_range(struct file_copy *copy)
{
    uint32_t from = file_copy_type(copy->from), to = file_copy_type(copy->to);

    if (from == S_IFDIR || to == S_IFDIR)
        return -EISDIR;
    if (from != S_IFREG || to != S_IFREG)
        return -EINVAL;
    if (!file_copy_reads(copy->from) || !file_copy_writes(copy->to) ||
        file_flags(copy->to) & O_APPEND)
        return -EBADF;
    if ((copy->from_at && (int64_t)*copy->from_at < 0) ||
        (copy->to_at && (int64_t)*copy->to_at < 0))
        return -EINVAL;
    return file_copy_check_overlap(copy);
}

CALL(copy_file_range)
{
    if (ARG(5) != 0)
        return -EINVAL;
    return file_copy_call(ARG_INT(0), ARG(1), ARG_INT(2), ARG(3), ARG(4), file_copy_check_range,
                          false);
}

static bool file_copy_is_pipe(struct file *file)
{
    return pipe_capacity(file) > 0;
}

static long file_copy_check_splice(struct file_copy *copy)
{
    copy->from_pipe = file_copy_is_pipe(copy->from);
    copy->to_pipe = file_copy_is_pipe(copy->to);
    if (!file_copy_reads(copy->from) || !file_copy_writes(copy->to))
        return -EBADF;
    if ((copy->from_pipe && copy->from_at) || (copy->to_pipe && copy->to_at))
        return -ESPIPE;
    if ((!copy->from_pipe && !copy->to_pipe) ||
        (copy->from_pipe && copy->to_pipe && copy->from->data == copy->to->data))
        return -EINVAL;
    if ((copy->from_at && !copy->from->ops->seekable) || (copy->to_at && !copy->to->ops->seekable))
        return -EINVAL;
    return !copy->to_pipe && file_flags(copy->to) & O_APPEND ? -EINVAL : 0;
}

CALL(splice)
{
    if (ARG(4) == 0)
        return 0;
    if (ARG_U32(5) & ~SPLICE_F_KNOWN)
        return -EINVAL;
    return file_copy_call(ARG_INT(0), ARG(1), ARG_INT(2), ARG(3), ARG(4), file_copy_check_splice,
                          ARG_U32(5) & SPLICE_F_NONBLOCK);
}

/* What FROM has stays in it. */
static long file_copy_tee(struct file *from, struct file *to, size_t size, bool at_once)
{
    struct file_copy copy = {.from = from, .to = to, .to_pipe = true, .at_once = at_once};
    char *buffer = kmem_alloc(BUFFER);
    long total = 0, moved = 0;

    if (!buffer)
        return -ENOMEM;
    do {
        long got = pipe_peek(from, (size_t)total, buffer, 1, at_once || total > 0);

        if (got > 0)
            got = file_copy_room(&copy, size - (size_t)total, total > 0);
        if (got > 0)
            got = pipe_peek(from, (size_t)total, buffer, (size_t)got, true);
        copy.from_pipe = true;
        moved = got > 0 ? file_copy_put(&copy, buffer, (size_t)got) : got;
        total += moved > 0 ? moved : 0;
    } while (moved > 0 && (size_t)total < size);
    kmem_free(buffer);
    return total > 0 ? total : moved;
}

CALL(tee)
{
    struct file *from, *to;
    bool at_once = ARG_U32(3) & SPLICE_F_NONBLOCK;
    long result = 0;

    if (ARG_U32(3) & ~SPLICE_F_KNOWN)
        return -EINVAL;
    if (ARG(2) == 0)
        return 0;
    from = call_file(ARG_INT(0));
    to = call_file(ARG_INT(1));
    if (!from || !to || !file_copy_reads(from) || !file_copy_writes(to))
        result = -EBADF;
    else if (!file_copy_is_pipe(from) || !file_copy_is_pipe(to) || from->data == to->data)
        result = -EINVAL;
    else
        result = file_copy_tee(from, to, ARG(2), at_once);
    file_release(from);
    return file_io_result(to, result);
}

/* The program's memory into a pipe, or what is in a pipe into it. */
static long file_copy_memory(struct file *file, const struct io_vector *vector, unsigned count,
                             bool at_once)
{
    struct uio uio;
    int error = uio_init(&uio, vector, count, true);

    if (error != 0 || uio.left == 0)
        return error;
    uio.at_once = at_once;
    return file_copy_writes(file) ? file_write(file, &uio) : file_read(file, &uio);
}

CALL(vmsplice)
{
    struct file *file = call_file(ARG_INT(0));
    struct io_vector *vector = NULL;
    uint64_t count = ARG(2);
    long result = 0;

    if (!file)
        return -EBADF;
    if (!file_copy_is_pipe(file))
        result = -EBADF;
    else if (ARG_U32(3) & ~SPLICE_F_KNOWN || count > UIO_VECTORS_MAX)
        result = -EINVAL;
    if (result == 0) {
        vector = kmem_alloc(count * sizeof *vector + 1);
        result = vector ? copyin(ARG_PTR(1), vector, count * sizeof *vector) : -ENOMEM;
    }
    if (result == 0)
        result = file_copy_memory(file, vector, (unsigned)count, ARG_U32(3) & SPLICE_F_NONBLOCK);
    kmem_free(vector);
    return file_io_result(file, result);
}
