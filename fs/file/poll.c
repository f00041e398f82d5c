/* SPDX-License-Identifier: BSD-2-Clause */
/* Waiting for files: see poll.h. */
#include "fs/file/poll.h"
#include "fs/file/file.h"
#include "kernel/time/clock.h"
#include "lib/errno.h"

void poll_source_init(struct poll_source *source)
{
    spinlock_init(&source->lock, "poll source");
    LIST_INIT(&source->entries);
}

static void poll_wake_poller(struct poll_entry *entry)
{
    struct poller *poller = entry->poller;
    uintptr_t state = spinlock_acquire(&poller->lock);

    poller->woken = true;
    wait_wake_all(&poller->waiters);
    spinlock_release(&poller->lock, state);
}

void poll_source_wake(struct poll_source *source, uint32_t events)
{
    struct poll_entry *entry;
    uintptr_t state = spinlock_acquire(&source->lock);

    LIST_FOREACH (entry, &source->entries, link)
        if (events & (entry->events | POLL_ALWAYS))
            entry->wake(entry);
    spinlock_release(&source->lock, state);
}

void poll_source_watch(struct poll_source *source, struct poll_entry *entry)
{
    uintptr_t state;

    if (entry == NULL || entry->source != NULL)
        return;
    entry->source = source;
    state = spinlock_acquire(&source->lock);
    LIST_INSERT_HEAD(&source->entries, entry, link);
    spinlock_release(&source->lock, state);
}

void poll_source_leave(struct poll_entry *entry)
{
    uintptr_t state;

    if (entry->source == NULL)
        return;
    state = spinlock_acquire(&entry->source->lock);
    LIST_REMOVE(entry, link);
    spinlock_release(&entry->source->lock, state);
    entry->source = NULL;
}

uint32_t file_poll(struct file *file, uint32_t events, struct poll_entry *entry)
{
    if (file->flags & O_PATH)
        return POLLNVAL;
    if (file->ops->poll == NULL)
        return events & (POLLIN | POLLOUT | POLLRDNORM | POLLWRNORM);
    return file->ops->poll(file, events, entry);
}

/* Looks at all of them: how many are ready. POLLER, unless NULL, is to be told of later events. */
static size_t poll_scan(struct poll_request *requests, size_t count, struct poller *poller)
{
    size_t ready = 0;

    for (size_t i = 0; i < count; i++) {
        struct poll_request *request = &requests[i];

        request->entry.poller = poller;
        request->entry.wake = poll_wake_poller;
        request->entry.events = request->events;
        if (request->file != NULL)
            request->ready = file_poll(request->file, request->events,
                                       poller != NULL && ready == 0 ? &request->entry : NULL);
        else
            request->ready = request->bad ? POLLNVAL : 0;
        ready += request->ready != 0;
    }
    return ready;
}

static int poll_poller_sleep(struct poller *poller, uint64_t deadline)
{
    uintptr_t state = spinlock_acquire(&poller->lock);
    int error = 0;

    while (!poller->woken && error == 0)
        error = wait_interruptible(&poller->waiters, &poller->lock, &state, deadline);
    poller->woken = false;
    spinlock_release(&poller->lock, state);
    return error;
}

long poll_files(struct poll_request *requests, size_t count, uint64_t deadline)
{
    struct poller poller = {.woken = false};
    size_t ready;
    int error = 0;

    spinlock_init(&poller.lock, "poller");
    wait_queue_init(&poller.waiters);
    for (size_t i = 0; i < count; i++)
        requests[i].entry.source = NULL;
    while ((ready = poll_scan(requests, count, deadline == 0 ? NULL : &poller)) == 0 &&
           error == 0 && deadline != 0)
        error = poll_poller_sleep(&poller, deadline);
    for (size_t i = 0; i < count; i++)
        poll_source_leave(&requests[i].entry);
    return ready == 0 && error == -EINTR ? -EINTR : (long)ready;
}
