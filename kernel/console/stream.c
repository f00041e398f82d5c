/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/console/stream.h"
#include "kernel/thread/mutex.h"
#include "lib/errno.h"

static struct stream *second;
static struct spinlock starting = SPINLOCK_INITIALIZER("second line");

void stream_attach(struct stream *stream)
{
    spinlock_init(&stream->lock, "second line's bytes");
    wait_queue_init(&stream->readers);
    second = stream;
}

struct stream *stream_get(void)
{
    uintptr_t state;
    bool first;

    if (!second)
        return NULL;
    state = spinlock_acquire(&starting);
    first = !second->started;
    second->started = true;
    spinlock_release(&starting, state);
    if (first)
        second->there = second->start(second);
    return second->there ? second : NULL;
}

void stream_write(struct stream *stream, const char *text, size_t length)
{
    stream->put(stream, text, length);
}

bool stream_room(const struct stream *stream)
{
    return stream->count < STREAM_ROOM;
}

void stream_input(struct stream *stream, char byte)
{
    stream->ring[(stream->head + stream->count++) % STREAM_ROOM] = byte;
}

long stream_read(struct stream *stream, char *buffer, size_t size)
{
    uintptr_t state = spinlock_acquire(&stream->lock);
    bool was_full;
    long taken = 0;
    int error = 0;

    while (stream->count == 0 && error == 0)
        error = wait_interruptible(&stream->readers, &stream->lock, &state, WAIT_FOREVER);
    was_full = stream->count == STREAM_ROOM;
    while (stream->count > 0 && (size_t)taken < size) {
        buffer[taken++] = stream->ring[stream->head];
        stream->head = (stream->head + 1) % STREAM_ROOM;
        stream->count--;
    }
    if (was_full && taken > 0)
        stream->resume(stream);
    spinlock_release(&stream->lock, state);
    return taken > 0 ? taken : error;
}

void stream_input_ready(struct stream *stream)
{
    wait_wake_all(&stream->readers);
    if (stream->listener)
        stream->listener();
}

size_t stream_waiting(struct stream *stream)
{
    uintptr_t state = spinlock_acquire(&stream->lock);
    size_t waiting = stream->count;

    spinlock_release(&stream->lock, state);
    return waiting;
}

void stream_set_listener(struct stream *stream, void (*listener)(void))
{
    uintptr_t state = spinlock_acquire(&stream->lock);

    stream->listener = listener;
    spinlock_release(&stream->lock, state);
}
