/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sets of files that are waited for: see epoll.h.
 *
 * One mutex holds all sets together, as they are changed, looked at, and left by files that go. A
 * source that is woken only puts its entry among those that may be ready, under the set's spinlock;
 * who waits asks these files again. An epoll never holds the files of its set: their last reference
 * takes them out.
 */
#include "fs/file/epoll.h"
#include "fs/file/epoll_private.h"
#include "fs/file/file.h"
#include "fs/file/fs_count.h"
#include "kernel/memory/kmem.h"
#include "lib/errno.h"

kmutex_t epoll_mutex;

static void epoll_close(struct file *file);
static uint32_t epoll_poll(struct file *file, uint32_t events, struct poll_entry *entry);

static const struct file_ops epoll_ops = {
    .poll = epoll_poll, .close = epoll_close, .anonymous = "eventpoll", .begins = true};

struct epoll *epoll_of(const struct file *file)
{
    return file->ops == &epoll_ops ? file->data : NULL;
}

bool epoll_is(const struct file *file)
{
    return epoll_of(file) != NULL;
}

static void epoll_prepare(void)
{
    static struct spinlock lock = SPINLOCK_INITIALIZER("epoll start");
    static bool ready;
    uintptr_t state = spinlock_acquire(&lock);

    if (!ready)
        mutex_init(&epoll_mutex, "epoll");
    ready = true;
    spinlock_release(&lock, state);
}

struct file *epoll_create(void)
{
    struct epoll *epoll = kmem_zalloc(sizeof *epoll);

    if (epoll == NULL)
        return NULL;
    epoll_prepare();
    spinlock_init(&epoll->lock, "epoll set");
    TAILQ_INIT(&epoll->ready);
    TAILQ_INIT(&epoll->items);
    wait_queue_init(&epoll->waiters);
    poll_source_init(&epoll->source);
    epoll->source.lock.name = "epoll source"; /* woken while a file's own is held */
    hash_table_init(&epoll->names, epoll->few, EPOLL_FEW);
    epoll->file = file_create(&epoll_ops, O_RDWR, epoll);
    if (epoll->file == NULL) {
        kmem_free(epoll);
        return NULL;
    }
    fs_count(FS_EPOLLS, 1);
    return epoll->file;
}

/* With the set's lock. */
static void epoll_queue(struct epoll_item *item)
{
    if (item->queued)
        return;
    item->queued = true;
    TAILQ_INSERT_TAIL(&item->epoll->ready, item, in_ready);
    item->epoll->ready_count++;
}

static void epoll_unqueue(struct epoll_item *item)
{
    if (!item->queued)
        return;
    item->queued = false;
    TAILQ_REMOVE(&item->epoll->ready, item, in_ready);
    item->epoll->ready_count--;
}

void epoll_item_wake(struct poll_entry *entry)
{
    struct epoll_item *item = (struct epoll_item *)entry;
    struct epoll *epoll = item->epoll;
    uintptr_t state;

    if ((item->events & ~EPOLL_HOW) == 0)
        return; /* it has had its one shot */
    state = spinlock_acquire(&epoll->lock);
    epoll_queue(item);
    wait_wake_all(&epoll->waiters);
    spinlock_release(&epoll->lock, state);
    poll_source_wake(&epoll->source, POLL_READ);
}

static bool epoll_look(struct epoll *epoll);

/* What holds of what ITEM is for; ENTRY as of file_poll. The mutex is held. */
uint32_t epoll_item_poll(struct epoll_item *item, struct poll_entry *entry)
{
    uint32_t wanted = item->events & ~EPOLL_HOW;
    struct epoll *inner = epoll_of(item->file);

    if (wanted == 0)
        return 0;
    if (inner == NULL)
        return file_poll(item->file, wanted, entry) & wanted;
    poll_source_watch(&inner->source, entry);
    return epoll_look(inner) ? wanted & POLL_READ : 0;
}

/* The next that may be ready, taken off the list; NULL: none. */
static struct epoll_item *epoll_take(struct epoll *epoll)
{
    uintptr_t state = spinlock_acquire(&epoll->lock);
    struct epoll_item *item = TAILQ_FIRST(&epoll->ready);

    if (item != NULL)
        epoll_unqueue(item);
    spinlock_release(&epoll->lock, state);
    return item;
}

static void epoll_put_back(struct epoll_item *item)
{
    uintptr_t state = spinlock_acquire(&item->epoll->lock);

    epoll_queue(item);
    spinlock_release(&item->epoll->lock, state);
}

/* Whether one of its files is ready. The mutex is held. */
static bool epoll_look(struct epoll *epoll)
{
    struct epoll_item *item;

    while ((item = epoll_take(epoll)) != NULL)
        if (epoll_item_poll(item, NULL) != 0) {
            epoll_put_back(item);
            return true;
        }
    return false;
}

static uint32_t epoll_poll(struct file *file, uint32_t events, struct poll_entry *entry)
{
    struct epoll *epoll = file->data;
    bool ready;

    poll_source_watch(&epoll->source, entry);
    mutex_enter(&epoll_mutex);
    ready = epoll_look(epoll);
    mutex_exit(&epoll_mutex);
    return ready ? events & POLL_READ : 0;
}

/* ITEM, which is ready, has been told of: it comes again only if it is to. */
static void epoll_told(struct epoll_item *item)
{
    if (item->events & EPOLL_ONESHOT)
        item->events &= EPOLL_HOW;
    else if (!(item->events & EPOLL_EDGE))
        epoll_put_back(item);
}

/* Emits what is ready now. */
static long epoll_collect(struct epoll *epoll, epoll_emit *emit, void *argument, size_t most)
{
    struct epoll_item *item;
    size_t left, count = 0;
    int error = 0;

    mutex_enter(&epoll_mutex);
    left = epoll->ready_count;
    while (left-- > 0 && count < most && error == 0 && (item = epoll_take(epoll)) != NULL) {
        struct epoll_event event = {epoll_item_poll(item, NULL), item->data};

        if (event.events == 0)
            continue;
        error = emit(argument, count, &event);
        if (error != 0) {
            epoll_put_back(item);
        } else {
            epoll_told(item);
            count++;
        }
    }
    mutex_exit(&epoll_mutex);
    return count > 0 ? (long)count : error;
}

static int epoll_sleep(struct epoll *epoll, uint64_t deadline)
{
    uintptr_t state = spinlock_acquire(&epoll->lock);
    int error = 0;

    while (TAILQ_EMPTY(&epoll->ready) && error == 0)
        error = wait_interruptible(&epoll->waiters, &epoll->lock, &state, deadline);
    spinlock_release(&epoll->lock, state);
    return error;
}

long epoll_wait(struct file *file, epoll_emit *emit, void *argument, size_t most, uint64_t deadline)
{
    struct epoll *epoll = file->data;
    int error = 0;

    for (;;) {
        long count = epoll_collect(epoll, emit, argument, most);

        if (count != 0 || deadline == 0)
            return count;
        if (error != 0)
            return error == -EINTR ? error : 0;
        error = epoll_sleep(epoll, deadline);
    }
}

/* The mutex is held. */
void epoll_item_free(struct epoll_item *item)
{
    struct epoll *epoll = item->epoll;
    uintptr_t state;

    poll_source_leave(&item->entry); /* nobody wakes it from now on */
    state = spinlock_acquire(&epoll->lock);
    epoll_unqueue(item);
    spinlock_release(&epoll->lock, state);
    hash_table_remove(&epoll->names, &item->by_name);
    TAILQ_REMOVE(&epoll->items, item, in_epoll);
    LIST_REMOVE(item, in_file);
    kmem_free(item);
    fs_count(FS_EPOLL_ENTRIES, -1);
}

void epoll_forget_file(struct file *file)
{
    struct epoll_item *item;

    mutex_enter(&epoll_mutex);
    while ((item = LIST_FIRST(&file->watchers)) != NULL)
        epoll_item_free(item);
    mutex_exit(&epoll_mutex);
}

void epoll_forget_source(struct poll_source *source)
{
    struct poll_entry *entry;

    mutex_enter(&epoll_mutex);
    while ((entry = LIST_FIRST(&source->entries)) != NULL)
        poll_source_leave(entry);
    mutex_exit(&epoll_mutex);
}

static void epoll_close(struct file *file)
{
    struct epoll *epoll = file->data;
    struct epoll_item *item;

    mutex_enter(&epoll_mutex);
    while ((item = TAILQ_FIRST(&epoll->items)) != NULL)
        epoll_item_free(item);
    mutex_exit(&epoll_mutex);
    epoll_free_buckets(epoll, epoll->names.old);
    epoll_free_buckets(epoll, epoll->names.buckets);
    kmem_free(epoll);
    fs_count(FS_EPOLLS, -1);
}
