/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a pipe is, for pipe.c (reading, writing, waiting), pipe_slots.c (its bytes) and pipe_open.c
 * (its ends).
 *
 * As on Linux a pipe's room is counted in pages: a write begins one unless all that it has beyond
 * whole pages fits behind what the last one holds. So up to PIPE_BUF bytes are never parted, and
 * one byte left in a page keeps it. The lock is held across copies from and to programs: no page
 * fault needs it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "fs/file/poll.h"
#include "kernel/thread/condvar.h"
#include "kernel/thread/mutex.h"

struct file;
struct uio;

struct pipe_slot {
    void *page;
    uint32_t begin, end; /* of the bytes in it */
};

struct pipe {
    kmutex_t lock;
    unsigned slots, first, filled; /* slots: a power of two; those in use, and which is read next */
    struct pipe_slot *slot;
    size_t used; /* bytes */
    void *spare; /* a page that was read, for the next that is needed */
    unsigned readers, writers;
    uint64_t readers_ever, writers_ever;
    uint32_t references; /* files, and a FIFO's node */
    kcondvar_t readable, writable, opened;
    struct poll_source source;
    uint64_t number, created;
};

extern const struct file_ops pipe_file;

static inline bool pipe_is_full(const struct pipe *pipe)
{
    return pipe->filled == pipe->slots;
}

/* --- the bytes; the lock is held --- */

/* Empty ones: 0, -ENOMEM. */
int pipe_slots_make(struct pipe *pipe, unsigned slots);
/* Gives back all pages; the pipe is empty. */
void pipe_slots_drop(struct pipe *pipe);
/* What is in it moves: 0, -EBUSY (it takes more), -ENOMEM. */
int pipe_slots_resize(struct pipe *pipe, unsigned slots);
/* Of a page that holds some: how many were moved; -EFAULT, and it has them still. */
long pipe_slots_take(struct pipe *pipe, struct uio *uio);
/* Whether so many bytes fit behind the last one. */
bool pipe_slots_fit(struct pipe *pipe, size_t size);
/* All of these there: how many; -EFAULT, and none. */
long pipe_slots_append(struct pipe *pipe, struct uio *uio, size_t size);
/* To a page more, which there is: how many; -EFAULT and -ENOMEM, and none. */
long pipe_slots_put(struct pipe *pipe, struct uio *uio);
/* Copies of those behind SKIP: how many there are. */
size_t pipe_slots_peek(struct pipe *pipe, size_t skip, char *buffer, size_t size);

/* Something has changed for whoever reads, or writes. The lock is held. */
void pipe_tell_readers(struct pipe *pipe);
void pipe_tell_writers(struct pipe *pipe);

/* A FIFO's: FILE is opened of it; *PIPE is made if it is NULL. -EINTR, -ENXIO, -ENOMEM. */
int pipe_open(struct pipe **pipe, struct file *file);
/* The FIFO has gone; PIPE may be NULL. */
void pipe_forget(struct pipe *pipe);
void pipe_close(struct file *file);
