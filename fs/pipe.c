/* SPDX-License-Identifier: BSD-2-Clause */
/* The bytes in a pipe: reading, writing, waiting. */
#include "fs/pipe.h"
#include "fs/file.h"
#include "fs/fs_count.h"
#include "fs/pipe_private.h"
#include "kernel/memory/kmem.h"
#include "kernel/memory/page.h"
#include "lib/errno.h"
#include "lib/string.h"
#include <arch/copy.h>

PAGE_OWNER(pipe_pages, "pipes");

static uint64_t pipe_room(const struct pipe *pipe)
{
    return pipe->slots * PAGE_SIZE - pipe_used(pipe);
}

static void **pipe_slot(struct pipe *pipe, uint64_t position)
{
    return &pipe->pages[(position >> PAGE_SHIFT) % (pipe->slots + 1)];
}

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

/* Bytes were read; who waits for room by poll is told only when there was none for it. */
static void pipe_tell_room(struct pipe *pipe, bool full)
{
    if (full && pipe_room(pipe) >= PIPE_BUF)
        pipe_tell_writers(pipe);
    else
        cv_broadcast(&pipe->writable);
}

static void pipe_page_free(struct pipe *pipe, void **slot)
{
    if (pipe->spare == NULL)
        pipe->spare = *slot;
    else
        page_free(*slot);
    *slot = NULL;
}

static int pipe_page_make(struct pipe *pipe, void **slot)
{
    *slot = pipe->spare;
    pipe->spare = NULL;
    if (*slot == NULL)
        *slot = page_alloc_for(&pipe_pages, 0);
    return *slot == NULL ? -ENOMEM : 0;
}

void pipe_drop_pages(struct pipe *pipe)
{
    for (unsigned i = 0; i <= pipe->slots; i++)
        if (pipe->pages[i] != NULL)
            pipe_page_free(pipe, &pipe->pages[i]);
    if (pipe->spare != NULL)
        page_free(pipe->spare);
    pipe->spare = NULL;
    pipe->head = pipe->tail = 0;
}

static size_t in_page(uint64_t position, uint64_t wanted)
{
    uint64_t room = PAGE_SIZE - position % PAGE_SIZE;

    return (size_t)(wanted < room ? wanted : room);
}

/* From the page that HEAD is in: 0 or -EFAULT. */
static int pipe_take(struct pipe *pipe, struct uio *uio)
{
    uint64_t wanted = pipe_used(pipe) < uio->left ? pipe_used(pipe) : uio->left;
    size_t size = in_page(pipe->head, wanted), moved;
    void **slot = pipe_slot(pipe, pipe->head);

    moved = uio_put(uio, (char *)*slot + pipe->head % PAGE_SIZE, size);
    pipe->head += moved;
    if (moved > 0 && (pipe->head % PAGE_SIZE == 0 || pipe_used(pipe) == 0))
        pipe_page_free(pipe, slot);
    if (pipe_used(pipe) == 0)
        pipe->head = pipe->tail = 0; /* the next byte begins a page */
    return moved < size ? -EFAULT : 0;
}

/* To the page that TAIL is in, at most WANTED bytes: 0, -EFAULT, -ENOMEM. */
static int pipe_put(struct pipe *pipe, struct uio *uio, uint64_t wanted)
{
    size_t size = in_page(pipe->tail, wanted), moved;
    void **slot = pipe_slot(pipe, pipe->tail);

    if (*slot == NULL && pipe_page_make(pipe, slot) != 0)
        return -ENOMEM;
    moved = uio_get(uio, (char *)*slot + pipe->tail % PAGE_SIZE, size);
    pipe->tail += moved;
    if (moved == 0 && pipe->tail % PAGE_SIZE == 0)
        pipe_page_free(pipe, slot); /* nothing lies in it */
    return moved < size ? -EFAULT : 0;
}

/* Until there is something to read: 0, or what read returns. */
static int pipe_wait_data(struct pipe *pipe, struct file *file, bool at_once)
{
    while (pipe_used(pipe) == 0) {
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
    size_t wanted = uio->left;
    bool full;
    int error;

    (void)offset;
    if (wanted == 0)
        return 0;
    mutex_enter(&pipe->lock);
    error = pipe_wait_data(pipe, file, uio->at_once);
    full = pipe_room(pipe) < PIPE_BUF;
    while (error == 0 && uio->left > 0 && pipe_used(pipe) > 0)
        error = pipe_take(pipe, uio);
    if (uio->left < wanted)
        pipe_tell_room(pipe, full);
    mutex_exit(&pipe->lock);
    if (uio->left < wanted)
        return (long)(wanted - uio->left);
    return error == -EPIPE ? 0 : error;
}

/* Until NEEDED bytes have room. */
static int pipe_wait_room(struct pipe *pipe, struct file *file, uint64_t needed, bool at_once)
{
    for (;;) {
        if (pipe->readers == 0)
            return -EPIPE;
        if (pipe_room(pipe) >= needed)
            return 0;
        if (at_once || file_flags(file) & O_NONBLOCK)
            return -EAGAIN;
        if (cv_wait_sig(&pipe->writable, &pipe->lock) != 0)
            return -EINTR;
    }
}

/* All that has room now. */
static int pipe_fill(struct pipe *pipe, struct uio *uio)
{
    int error = 0;

    while (error == 0 && uio->left > 0 && pipe_room(pipe) > 0)
        error = pipe_put(pipe, uio, pipe_room(pipe) < uio->left ? pipe_room(pipe) : uio->left);
    return error;
}

static long pipe_write(struct file *file, struct uio *uio, uint64_t *offset)
{
    struct pipe *pipe = file->data;
    size_t wanted = uio->left;
    int error = 0;

    (void)offset;
    if (wanted == 0)
        return 0;
    mutex_enter(&pipe->lock);
    while (error == 0 && uio->left > 0) {
        size_t before = uio->left;

        error = pipe_wait_room(pipe, file, wanted <= PIPE_BUF ? wanted : 1, uio->at_once);
        if (error == 0)
            error = pipe_fill(pipe, uio);
        if (uio->left < before)
            pipe_tell_readers(pipe);
    }
    mutex_exit(&pipe->lock);
    if (uio->left == wanted)
        return error;
    fs_count(FS_PIPE_WRITES, 1);
    fs_count(FS_PIPE_BYTES, (int64_t)(wanted - uio->left));
    return (long)(wanted - uio->left);
}

long pipe_wait_for_room(struct file *file, bool at_once)
{
    struct pipe *pipe = file->data;
    long room;

    mutex_enter(&pipe->lock);
    room = pipe_wait_room(pipe, file, 1, at_once);
    if (room == 0)
        room = (long)pipe_room(pipe);
    mutex_exit(&pipe->lock);
    return room;
}

long pipe_peek(struct file *file, size_t skip, void *buffer, size_t size, bool at_once)
{
    struct pipe *pipe = file->data;
    uint64_t there;
    int error;

    mutex_enter(&pipe->lock);
    error = pipe_wait_data(pipe, file, at_once);
    there = pipe_used(pipe) > skip ? pipe_used(pipe) - skip : 0;
    if (size > there)
        size = there;
    for (size_t done = 0, part; error == 0 && done < size; done += part) {
        uint64_t at = pipe->head + skip + done;

        part = in_page(at, size - done);
        memcpy((char *)buffer + done, (char *)*pipe_slot(pipe, at) + at % PAGE_SIZE, part);
    }
    mutex_exit(&pipe->lock);
    return error == 0 ? (long)size : error == -EPIPE ? 0 : error;
}

static bool reads(const struct file *file)
{
    return (file->flags & O_ACCMODE) != O_WRONLY;
}

static bool writes(const struct file *file)
{
    return (file->flags & O_ACCMODE) != O_RDONLY;
}

static uint32_t pipe_poll(struct file *file, uint32_t events, struct poll_entry *entry)
{
    struct pipe *pipe = file->data;
    uint32_t ready = 0;

    poll_source_watch(&pipe->source, entry);
    mutex_enter(&pipe->lock);
    if (reads(file) && pipe_used(pipe) > 0)
        ready |= POLLIN | POLLRDNORM;
    if (reads(file) && pipe->writers == 0 && pipe->writers_ever > 0)
        ready |= POLLHUP;
    if (writes(file) && pipe_room(pipe) >= PIPE_BUF)
        ready |= POLLOUT | POLLWRNORM;
    if (writes(file) && pipe->readers == 0)
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
    used = (int32_t)pipe_used(pipe);
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
    .close = pipe_close,
};

long pipe_capacity(struct file *file)
{
    struct pipe *pipe = file->data;

    return file->ops != &pipe_file ? -EBADF : (long)(pipe->slots * PAGE_SIZE);
}

/* What is in it, in order, in NEW pages' slots. */
static void pipe_move(struct pipe *pipe, void **pages, unsigned slots)
{
    uint64_t first = pipe->head >> PAGE_SHIFT, last = (pipe->tail + PAGE_SIZE - 1) >> PAGE_SHIFT;
    void **old = pipe->pages;

    for (uint64_t i = first; i < last; i++)
        pages[i % (slots + 1)] = old[i % (pipe->slots + 1)];
    pipe->pages = pages;
    pipe->slots = slots;
    kmem_free(old);
}

long pipe_set_capacity(struct file *file, size_t bytes)
{
    struct pipe *pipe = file->data;
    unsigned slots = 1;
    void **pages;

    if (file->ops != &pipe_file)
        return -EBADF;
    if (bytes > PIPE_CAPACITY_MAX)
        return bytes > 1ul << 31 ? -EINVAL : -EPERM;
    while (slots * PAGE_SIZE < bytes)
        slots *= 2;
    pages = kmem_zalloc((slots + 1) * sizeof *pages);
    if (pages == NULL)
        return -ENOMEM;
    mutex_enter(&pipe->lock);
    if (pipe_used(pipe) > slots * PAGE_SIZE) {
        mutex_exit(&pipe->lock);
        kmem_free(pages);
        return -EBUSY;
    }
    pipe_move(pipe, pages, slots);
    pipe_tell_writers(pipe);
    mutex_exit(&pipe->lock);
    return (long)(slots * PAGE_SIZE);
}
