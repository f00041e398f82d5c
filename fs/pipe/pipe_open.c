/* SPDX-License-Identifier: BSD-2-Clause */
/* The ends of pipes: how they come and go, of pipe(2) and of FIFOs. */
#include "fs/file/file.h"
#include "fs/file/fs_count.h"
#include "fs/pipe/pipe.h"
#include "fs/pipe/pipe_private.h"
#include "kernel/base/panic.h"
#include "kernel/memory/kmem.h"
#include "kernel/memory/page.h"
#include "kernel/time/clock.h"
#include "lib/errno.h"

static struct spinlock number_lock = SPINLOCK_INITIALIZER("pipe numbers");
static uint64_t next_number = 1;

static uint64_t pipe_number(void)
{
    uintptr_t state = spinlock_acquire(&number_lock);
    uint64_t number = next_number++;

    spinlock_release(&number_lock, state);
    return number;
}

/* With one reference, and no ends. */
static struct pipe *pipe_make(void)
{
    struct pipe *pipe = kmem_zalloc(sizeof *pipe);

    if (pipe == NULL)
        return NULL;
    if (pipe_slots_make(pipe, PIPE_CAPACITY / PAGE_SIZE) != 0) {
        kmem_free(pipe);
        return NULL;
    }
    mutex_init(&pipe->lock, "pipe");
    cv_init(&pipe->readable, "pipe data");
    cv_init(&pipe->writable, "pipe room");
    cv_init(&pipe->opened, "pipe ends");
    poll_source_init(&pipe->source);
    pipe->references = 1;
    pipe->number = pipe_number();
    pipe->created = clock_wall();
    fs_count(FS_PIPES, 1);
    return pipe;
}

void pipe_forget(struct pipe *pipe)
{
    bool unused;

    if (pipe == NULL)
        return;
    mutex_enter(&pipe->lock);
    unused = --pipe->references == 0;
    if (unused)
        pipe_slots_drop(pipe);
    mutex_exit(&pipe->lock);
    if (!unused)
        return;
    cv_destroy(&pipe->readable);
    cv_destroy(&pipe->writable);
    cv_destroy(&pipe->opened);
    mutex_destroy(&pipe->lock);
    kmem_free(pipe->slot);
    kmem_free(pipe);
    fs_count(FS_PIPES, -1);
}

/* FILE is an end, or both, from now on. The lock is held, or nobody else knows it. */
static void pipe_join(struct pipe *pipe, struct file *file)
{
    uint32_t mode = file->flags & O_ACCMODE;

    file->ops = &pipe_file;
    file->data = pipe;
    pipe->references++;
    if (mode != O_WRONLY) {
        pipe->readers++;
        pipe->readers_ever++;
    }
    if (mode != O_RDONLY) {
        pipe->writers++;
        pipe->writers_ever++;
    }
    cv_broadcast(&pipe->opened);
}

static void pipe_leave(struct pipe *pipe, const struct file *file)
{
    uint32_t mode = file->flags & O_ACCMODE;

    mutex_enter(&pipe->lock);
    pipe->readers -= mode != O_WRONLY;
    pipe->writers -= mode != O_RDONLY;
    if (pipe->readers == 0 && pipe->writers == 0)
        pipe_slots_drop(pipe); /* of a FIFO: nobody reads it any more */
    pipe_tell_readers(pipe);
    pipe_tell_writers(pipe);
    poll_source_wake(&pipe->source, POLLHUP | POLLERR);
    mutex_exit(&pipe->lock);
    pipe_forget(pipe);
}

void pipe_close(struct file *file)
{
    pipe_leave(file->data, file);
}

int pipe_create(uint32_t flags, struct file *files[2])
{
    struct pipe *pipe = pipe_make();

    if (pipe == NULL)
        return -ENOMEM;
    flags &= O_NONBLOCK;
    files[0] = file_create(&pipe_file, O_RDONLY | flags, pipe);
    files[1] = files[0] == NULL ? NULL : file_create(&pipe_file, O_WRONLY | flags, pipe);
    if (files[0] != NULL)
        pipe_join(pipe, files[0]);
    if (files[1] != NULL)
        pipe_join(pipe, files[1]);
    else
        file_release(files[0]);
    pipe_forget(pipe);
    return files[1] == NULL ? -ENOMEM : 0;
}

int pipe_open_again(struct file *file, uint32_t flags, struct file **out)
{
    struct pipe *pipe = file->data;

    *out = file_create(&pipe_file, flags & (O_ACCMODE | O_NONBLOCK), pipe);
    if (*out == NULL)
        return -ENOMEM;
    mutex_enter(&pipe->lock);
    pipe_join(pipe, *out);
    mutex_exit(&pipe->lock);
    return 0;
}

/* Until the other end is there, or has been since it was BEFORE: 0, -EINTR. The lock is held. */
static int pipe_wait_open(struct pipe *pipe, const unsigned *others, const uint64_t *ever,
                          uint64_t before)
{
    while (*others == 0 && *ever == before)
        if (cv_wait_sig(&pipe->opened, &pipe->lock) != 0)
            return -EINTR;
    return 0;
}

static int pipe_open_end(struct pipe *pipe, struct file *file)
{
    uint32_t mode = file->flags & O_ACCMODE;
    bool wait = (file->flags & O_NONBLOCK) == 0;
    int error = 0;

    mutex_enter(&pipe->lock);
    if (mode == O_WRONLY && !wait && pipe->readers == 0) {
        mutex_exit(&pipe->lock);
        return -ENXIO;
    }
    pipe_join(pipe, file);
    if (mode == O_RDONLY && wait)
        error = pipe_wait_open(pipe, &pipe->writers, &pipe->writers_ever, pipe->writers_ever);
    else if (mode == O_WRONLY && wait)
        error = pipe_wait_open(pipe, &pipe->readers, &pipe->readers_ever, pipe->readers_ever);
    mutex_exit(&pipe->lock);
    if (error != 0)
        pipe_leave(pipe, file);
    return error;
}

/* The pipe of a FIFO, made at its first opening, and one reference more. */
static struct pipe *pipe_of(struct pipe **slot)
{
    static struct spinlock lock = SPINLOCK_INITIALIZER("FIFOs");
    struct pipe *spare = *slot == NULL ? pipe_make() : NULL, *pipe;
    uintptr_t state = spinlock_acquire(&lock);

    if (*slot == NULL) {
        *slot = spare;
        spare = NULL;
    }
    pipe = *slot;
    spinlock_release(&lock, state);
    pipe_forget(spare);
    return pipe;
}

int pipe_open(struct pipe **slot, struct file *file)
{
    struct pipe *pipe = pipe_of(slot);

    return pipe == NULL ? -ENOMEM : pipe_open_end(pipe, file);
}
