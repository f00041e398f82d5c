/* SPDX-License-Identifier: BSD-2-Clause */
/* Pipes: reading, writing, waiting. */
#include "fs/pipe/pipe.h"
#include "fs/file/file.h"
#include "fs/file/fs_count.h"
#include "fs/pipe/pipe_private.h"
#include "fs/file/uio.h"
#include "kernel/memory/page.h"
#include "lib/errno.h"
#include <arch/copy.h>

void pipe_tell_readers(struct pipe *pipe)
{
    cv_broadcast(&pipe->readable);
    poll_source_wake(&pipe->source, POLL_READ);
}

void pipe_tell_writers(struct pipe *pipe)
{
    cv_broadcast(&pipe->writable);
    poll_source_wake(&pipe->source, POLL_WRITE);
}

/* Until there is something to read: 0, or what read returns. */
static int pipe_wait_data(struct pipe *pipe, struct file *file, bool at_once)
{
    while (pipe->used == 0) {
        if (pipe->writers == 0)
            return -EPIPE; /* the end of the file */
        if (at_once || file_flags(file) & O_NONBLOCK)
            return -EAGAIN;
        if (cv_wait_sig(&pipe->readable, &pipe->lock) != 0)
            return -EINTR;
    }
    return 0;
}

static long pipe_read(struct file *file, struct uio *uio, uint64_t *offset)
{
    struct pipe *pipe = file->data;
    long error, moved, done = 0;
    bool full;

    (void)offset;
    if (uio->left == 0)
        return 0;
    mutex_enter(&pipe->lock);
    error = pipe_wait_data(pipe, file, uio->at_once);
    full = pipe_is_full(pipe);
    while (error == 0 && uio->left > 0 && pipe->used > 0) {
        moved = pipe_slots_take(pipe, uio);
        if (moved < 0)
            error = moved;
        else
            done += moved;
    }
    if (full && !pipe_is_full(pipe))
        pipe_tell_writers(pipe);
    mutex_exit(&pipe->lock);
    if (done > 0)
        return done;
    return error == -EPIPE ? 0 : error;
}

/* Until a page has room. */
static int pipe_wait_room(struct pipe *pipe, struct file *file, bool at_once)
{
    for (;;) {
        if (pipe->readers == 0)
            return -EPIPE;
        if (!pipe_is_full(pipe))
            return 0;
        if (at_once || file_flags(file) & O_NONBLOCK)
            return -EAGAIN;
        if (cv_wait_sig(&pipe->writable, &pipe->lock) != 0)
            return -EINTR;
    }
}

/* All that has room now, and nothing that cannot be read: adds to *DONE. */
static long pipe_fill(struct pipe *pipe, struct uio *uio, long *done)
{
    long moved = 1;

    while (moved > 0 && uio->left > 0 && !pipe_is_full(pipe)) {
        moved = pipe_slots_put(pipe, uio);
        *done += moved > 0 ? moved : 0;
    }
    pipe_tell_readers(pipe);
    return moved < 0 ? moved : 0;
}

/* What goes behind the last byte; what is left then is whole pages, or begins a page. */
static long pipe_begin_write(struct pipe *pipe, struct uio *uio, long *done)
{
    size_t beyond = uio->left % PAGE_SIZE;
    long moved;

    if (pipe->readers == 0)
        return -EPIPE;
    if (beyond == 0 || !pipe_slots_fit(pipe, beyond))
        return 0;
    moved = pipe_slots_append(pipe, uio, beyond);
    if (moved < 0)
        return moved;
    *done += moved;
    pipe_tell_readers(pipe);
    return 0;
}

static long pipe_write(struct file *file, struct uio *uio, uint64_t *offset)
{
    struct pipe *pipe = file->data;
    long error, done = 0;

    (void)offset;
    if (uio->left == 0)
        return 0;
    mutex_enter(&pipe->lock);
    error = pipe_begin_write(pipe, uio, &done);
    while (error == 0 && uio->left > 0) {
        error = pipe_wait_room(pipe, file, uio->at_once);
        if (error == 0)
            error = pipe_fill(pipe, uio, &done);
    }
    mutex_exit(&pipe->lock);
    if (done == 0)
        return error;
    fs_count(FS_PIPE_WRITES, 1);
    fs_count(FS_PIPE_BYTES, done);
    return done;
}

long pipe_wait_for_room(struct file *file, bool at_once)
{
    struct pipe *pipe = file->data;
    long room;

    mutex_enter(&pipe->lock);
    room = pipe_wait_room(pipe, file, at_once);
    if (room == 0)
        room = (long)((pipe->slots - pipe->filled) * PAGE_SIZE);
    mutex_exit(&pipe->lock);
    return room;
}

long pipe_peek(struct file *file, size_t skip, void *buffer, size_t size, bool at_once)
{
    struct pipe *pipe = file->data;
    long error;

    mutex_enter(&pipe->lock);
    error = pipe_wait_data(pipe, file, at_once);
    if (error == 0)
        error = (long)pipe_slots_peek(pipe, skip, buffer, size);
    mutex_exit(&pipe->lock);
    return error == -EPIPE ? 0 : error;
}

static bool pipe_reads(const struct file *file)
{
    return (file->flags & O_ACCMODE) != O_WRONLY;
}

static bool pipe_is_written(const struct file *file)
{
    return (file->flags & O_ACCMODE) != O_RDONLY;
}

static uint32_t pipe_poll(struct file *file, uint32_t events, struct poll_entry *entry)
{
    struct pipe *pipe = file->data;
    uint32_t ready = 0;

    poll_source_watch(&pipe->source, entry);
    mutex_enter(&pipe->lock);
    if (pipe_reads(file) && pipe->used > 0)
        ready |= POLLIN | POLLRDNORM;
    if (pipe_reads(file) && pipe->writers == 0 && pipe->writers_ever > 0)
        ready |= POLLHUP;
    if (pipe_is_written(file) && !pipe_is_full(pipe))
        ready |= POLLOUT | POLLWRNORM;
    if (pipe_is_written(file) && pipe->readers == 0)
        ready |= POLLERR;
    mutex_exit(&pipe->lock);
    return ready & (events | POLLERR | POLLHUP);
}

static long pipe_ioctl(struct file *file, uint32_t command, uintptr_t argument, bool user)
{
    struct pipe *pipe = file->data;
    int32_t used;

    if (command != FIONREAD)
        return -ENOTTY;
    mutex_enter(&pipe->lock);
    used = (int32_t)pipe->used;
    mutex_exit(&pipe->lock);
    if (user)
        return copyout(&used, (void *)argument, sizeof used);
    *(int32_t *)argument = used;
    return 0;
}

static int pipe_stat(struct file *file, struct file_stat *out)
{
    const struct pipe *pipe = file->data;

    if (file->vnode != NULL)
        return vnode_stat(file->vnode, out);
    *out = (struct file_stat){.number = pipe->number,
                              .device = file_device(0, 13),
                              .mode = S_IFIFO | 0600,
                              .links = 1,
                              .block_size = PAGE_SIZE,
                              .accessed = pipe->created,
                              .modified = pipe->created,
                              .changed = pipe->created};
    return 0;
}

const struct file_ops pipe_file = {
    .read = pipe_read,
    .write = pipe_write,
    .ioctl = pipe_ioctl,
    .poll = pipe_poll,
    .stat = pipe_stat,
    .reopen = pipe_open_again,
    .close = pipe_close,
};

long pipe_capacity(struct file *file)
{
    struct pipe *pipe = file->data;

    return file->ops != &pipe_file ? -EBADF : (long)(pipe->slots * PAGE_SIZE);
}

long pipe_set_capacity(struct file *file, size_t bytes)
{
    struct pipe *pipe = file->data;
    unsigned slots = 1;
    int error;

    if (file->ops != &pipe_file)
        return -EBADF;
    if (bytes > PIPE_CAPACITY_MAX)
        return bytes > 1ul << 31 ? -EINVAL : -EPERM;
    while (slots * PAGE_SIZE < bytes)
        slots *= 2;
    mutex_enter(&pipe->lock);
    error = pipe_slots_resize(pipe, slots);
    if (error == 0)
        pipe_tell_writers(pipe);
    mutex_exit(&pipe->lock);
    return error != 0 ? error : (long)(slots * PAGE_SIZE);
}
