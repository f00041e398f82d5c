/* SPDX-License-Identifier: BSD-2-Clause */
/* Which files an epoll watches: additions, changes, and what may not be added. */
#include "fs/file/epoll_private.h"
#include "fs/file/file.h"
#include "fs/file/fs_count.h"
#include "kernel/memory/kmem.h"
#include "lib/errno.h"

#define EPOLL_ROW_MAX 5u /* that watch each other */

void epoll_free_buckets(struct epoll *epoll, struct hash_link **buckets)
{
    if (buckets != epoll->few)
        kmem_free(buckets);
}

static uint32_t epoll_hash(const struct file *file, int descriptor)
{
    return hash_end(hash_number(hash_number(0, (uintptr_t)file), (uint32_t)descriptor));
}

static struct epoll_item *epoll_find(struct epoll *epoll, const struct file *file, int descriptor)
{
    struct hash_link *link = hash_table_first(&epoll->names, epoll_hash(file, descriptor));

    for (; link != NULL; link = hash_table_next(link)) {
        struct epoll_item *item = HASH_ENTRY(link, struct epoll_item, by_name);

        if (item->file == file && item->descriptor == descriptor)
            return item;
    }
    return NULL;
}

/* How many epolls are in the longest row from EPOLL down; too many if SELF is in one. */
static unsigned epoll_below(const struct epoll *epoll, const struct epoll *self, unsigned room)
{
    const struct epoll_item *item;
    unsigned most = 0;

    if (epoll == self || room == 0)
        return EPOLL_ROW_MAX + 1;
    TAILQ_FOREACH (item, &epoll->items, in_epoll) {
        const struct epoll *inner = epoll_of(item->file);
        unsigned below = inner == NULL ? 0 : epoll_below(inner, self, room - 1);

        if (inner == NULL)
            break; /* the others are none either */
        most = below > most ? below : most;
    }
    return most + 1;
}

static unsigned epoll_above(const struct epoll *epoll, unsigned room)
{
    const struct epoll_item *item;
    unsigned most = 0;

    if (room == 0)
        return EPOLL_ROW_MAX;
    LIST_FOREACH (item, &epoll->file->watchers, in_file) {
        unsigned above = epoll_above(item->epoll, room - 1);

        most = above > most ? above : most;
    }
    return most + 1;
}

static bool epoll_is_loop(const struct epoll *epoll, const struct file *file)
{
    const struct epoll *inner = epoll_of(file);

    return inner != NULL &&
           epoll_below(inner, epoll, EPOLL_ROW_MAX) + epoll_above(epoll, EPOLL_ROW_MAX) >
               EPOLL_ROW_MAX;
}

static void epoll_enter(struct epoll *epoll, struct epoll_item *item)
{
    uint32_t hash = epoll_hash(item->file, item->descriptor);
    void *room = NULL;

    if (hash_table_is_full(&epoll->names))
        room = kmem_alloc(hash_table_room(&epoll->names)); /* without it it is only slower */
    if (room != NULL)
        epoll_free_buckets(epoll, hash_table_grow(&epoll->names, room));
    hash_table_insert(&epoll->names, &item->by_name, hash);
    if (epoll_of(item->file) != NULL)
        TAILQ_INSERT_HEAD(&epoll->items, item, in_epoll);
    else
        TAILQ_INSERT_TAIL(&epoll->items, item, in_epoll);
    LIST_INSERT_HEAD(&item->file->watchers, item, in_file);
    fs_count(FS_EPOLL_ENTRIES, 1);
}

static void epoll_item_set(struct epoll_item *item, struct epoll_event event)
{
    item->events = event.events | POLL_ALWAYS;
    item->entry.events = event.events & ~EPOLL_HOW;
    item->data = event.data;
}

static int epoll_check(const struct file *epoll, const struct file *file)
{
    if (file->flags & O_PATH)
        return -EBADF;
    if (file->ops->poll == NULL)
        return -EPERM;
    return file == epoll || !epoll_is(epoll) ? -EINVAL : 0;
}

static bool epoll_events_are_valid(const struct file *file, uint32_t events)
{
    uint32_t allowed = POLLIN | POLLOUT | POLL_ALWAYS | EPOLL_WAKEUP | EPOLL_EDGE | EPOLL_EXCLUSIVE;

    return !(events & EPOLL_EXCLUSIVE) || (!epoll_is(file) && !(events & ~allowed));
}

/* With the mutex. */
static int epoll_add_new(struct epoll *epoll, struct file *file, int descriptor,
                         struct epoll_event event)
{
    struct epoll_item *item;

    if (epoll_is_loop(epoll, file))
        return -ELOOP;
    if (epoll_find(epoll, file, descriptor) != NULL)
        return -EEXIST;
    item = kmem_zalloc(sizeof *item);
    if (item == NULL)
        return -ENOMEM;
    item->epoll = epoll;
    item->file = file;
    item->descriptor = descriptor;
    item->entry.wake = epoll_item_wake;
    epoll_item_set(item, event);
    epoll_enter(epoll, item);
    if (epoll_item_poll(item, &item->entry) != 0)
        epoll_item_wake(&item->entry);
    return 0;
}

int epoll_add(struct file *file, struct file *target, int descriptor, struct epoll_event event)
{
    int error = epoll_check(file, target);

    if (error == 0 && !epoll_events_are_valid(target, event.events))
        error = -EINVAL;
    if (error != 0)
        return error;
    mutex_enter(&epoll_mutex);
    error = epoll_add_new(file->data, target, descriptor, event);
    mutex_exit(&epoll_mutex);
    return error;
}

int epoll_modify(struct file *file, struct file *target, int descriptor, struct epoll_event event)
{
    int error = epoll_check(file, target);
    struct epoll_item *item;

    if (error == 0 && event.events & EPOLL_EXCLUSIVE)
        error = -EINVAL;
    if (error != 0)
        return error;
    mutex_enter(&epoll_mutex);
    item = epoll_find(file->data, target, descriptor);
    if (item == NULL) {
        error = -ENOENT;
    } else if (item->events & EPOLL_EXCLUSIVE) {
        error = -EINVAL;
    } else {
        epoll_item_set(item, event);
        if (epoll_item_poll(item, &item->entry) != 0)
            epoll_item_wake(&item->entry);
    }
    mutex_exit(&epoll_mutex);
    return error;
}

int epoll_remove(struct file *file, struct file *target, int descriptor)
{
    int error = epoll_check(file, target);
    struct epoll_item *item;

    if (error != 0)
        return error;
    mutex_enter(&epoll_mutex);
    item = epoll_find(file->data, target, descriptor);
    if (item != NULL)
        epoll_item_free(item);
    mutex_exit(&epoll_mutex);
    return item == NULL ? -ENOENT : 0;
}
