/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The board's second serial line, if it has one: bytes both ways, beside the console. It is looked
 * for, and started, when it is first asked for. What a program says on its standard error, and what
 * it reads, go by it under `./quipu exec`.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "kernel/lock/spinlock.h"
#include "kernel/thread/wait.h"

#define STREAM_ROOM 4096u

struct stream {
    bool (*start)(struct stream *);                     /* whether it is there */
    void (*put)(struct stream *, const char *, size_t); /* waits until the chip has taken them */
    void (*resume)(struct stream *);                    /* there is room again */
    bool started, there;
    struct spinlock lock; /* of the rest, and of the chip's reading half */
    struct wait_queue readers;
    void (*listener)(void); /* or NULL: is called, with the lock, when something has come */
    uint32_t head, count;
    char ring[STREAM_ROOM];
};

/* Board: the line. */
void stream_attach(struct stream *stream);
/* The line, started; NULL: there is none. Thread context. */
struct stream *stream_get(void);
void stream_write(struct stream *stream, const char *text, size_t length);
/* At least one byte, at most SIZE: how many; -EINTR. */
long stream_read(struct stream *stream, char *buffer, size_t size);
/* Bytes that have come and were not read. */
size_t stream_waiting(struct stream *stream);
void stream_set_listener(struct stream *stream, void (*listener)(void));

/* Driver, with the lock: whether there is room; a byte has come; after some, who waits is told. */
bool stream_room(const struct stream *stream);
void stream_input(struct stream *stream, char byte);
void stream_input_ready(struct stream *stream);
