/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a pipe is, for pipe.c (its bytes) and pipe_open.c (its ends).
 *
 * Bytes HEAD to TAIL are in it; byte N lies in page N / 4096 modulo slots + 1, one more than what
 * fills it has, so that a page never holds its end before its beginning. Pages come as they are
 * written to, and go as they have been read. The lock is held across copies from and
 * to programs: no page fault needs it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "fs/poll.h"
#include "kernel/thread/condvar.h"
#include "kernel/thread/mutex.h"

struct file;
struct pipe;

struct pipe {
    kmutex_t lock;
    uint64_t head, tail;
    unsigned slots; /* pages of data that it may hold; a power of two */
    void **pages;
    void *spare; /* a page that was read, for the next that is needed */
    unsigned readers, writers;
    uint64_t readers_ever, writers_ever;
    uint32_t references; /* files, and a FIFO's node */
    kcondvar_t readable, writable, opened;
    struct poll_source source;
    uint64_t number, created;
};

extern const struct file_ops pipe_file;

static inline uint64_t pipe_used(const struct pipe *pipe)
{
    return pipe->tail - pipe->head;
}

/* Something has changed for whoever reads, or writes. The lock is held. */
void pipe_tell_readers(struct pipe *pipe);
void pipe_tell_writers(struct pipe *pipe);
/* Gives back all pages; it is empty. */
void pipe_drop_pages(struct pipe *pipe);

/* A FIFO's: FILE is opened of it; *PIPE is made if it is NULL. -EINTR, -ENXIO, -ENOMEM. */
int pipe_open(struct pipe **pipe, struct file *file);
/* The FIFO has gone; PIPE may be NULL. */
void pipe_forget(struct pipe *pipe);
void pipe_close(struct file *file);
