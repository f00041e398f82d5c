/* SPDX-License-Identifier: BSD-2-Clause */
#include "fs/file/lock.h"
#include "fs/file/vnode.h"
#include "kernel/lock/spinlock.h"
#include "kernel/memory/kmem.h"
#include "kernel/thread/wait.h"
#include "lib/errno.h"
#include "lib/hash_table.h"
#include <sys/queue.h>
#include "lib/section.h"

#define QUEUES       16u
#define WAITER_LISTS 64u
#define CIRCLE_MOST  10u

static struct spinlock locks_lock = SPINLOCK_INITIALIZER("file locks");
static SHARED_BSS struct wait_queue queues[QUEUES];
static bool queues_ready;

/* With the lock. */
static struct wait_queue *lock_queue(const struct vnode *node)
{
    if (!queues_ready)
        for (unsigned i = 0; i < QUEUES; i++)
            wait_queue_init(&queues[i]);
    queues_ready = true;
    return &queues[(uintptr_t)node / 64 % QUEUES];
}

static bool lock_overlaps(const struct file_lock *one, const struct file_lock *other)
{
    return one->start <= other->last && other->start <= one->last;
}

/* The one that begins first. */
static const struct file_lock *lock_conflict(const struct vnode *node,
                                             const struct file_lock *wanted)
{
    const struct file_lock *lock = node->locks, *first = NULL;

    for (; lock != NULL; lock = lock->next)
        if (lock->kind == wanted->kind && lock->owner != wanted->owner &&
            (lock->type == FILE_LOCK_WRITE || wanted->type == FILE_LOCK_WRITE) &&
            lock_overlaps(lock, wanted) && (first == NULL || lock->start < first->start))
            first = lock;
    return first;
}

static void lock_unlink(struct file_lock **at)
{
    struct file_lock *lock = *at;

    *at = lock->next;
    kmem_free(lock);
}

static void lock_insert(struct vnode *node, struct file_lock **spare, const struct file_lock *model)
{
    struct file_lock *lock = *spare;

    *spare = NULL;
    *lock = *model;
    lock->next = node->locks;
    node->locks = lock;
}

/* The two are of one type, and there is nothing between them. */
static bool lock_joins(const struct file_lock *lock, const struct file_lock *wanted)
{
    return lock->type == wanted->type &&
           (lock->last == UINT64_MAX || lock->last + 1 >= wanted->start) &&
           (wanted->last == UINT64_MAX || wanted->last + 1 >= lock->start);
}

/* Takes what WANTED covers out of *AT, which it overlaps. True: *AT has gone. */
static bool lock_cut(struct vnode *node, struct file_lock **at, const struct file_lock *wanted,
                     struct file_lock **spare)
{
    struct file_lock *lock = *at, rest = *lock;

    if (lock->start >= wanted->start && lock->last <= wanted->last) {
        lock_unlink(at);
        return true;
    }
    if (lock->start >= wanted->start) {
        lock->start = wanted->last + 1;
    } else {
        lock->last = wanted->start - 1;
        rest.start = wanted->last + 1;
        if (rest.last > wanted->last)
            lock_insert(node, spare, &rest);
    }
    return false;
}

static void lock_apply(struct vnode *node, struct file_lock wanted, struct file_lock *spare[2])
{
    struct file_lock **at = &node->locks;

    while (*at != NULL) {
        struct file_lock *lock = *at;

        if (lock->kind != wanted.kind || lock->owner != wanted.owner) {
            at = &lock->next;
        } else if (lock_joins(lock, &wanted)) {
            wanted.start = lock->start < wanted.start ? lock->start : wanted.start;
            wanted.last = lock->last > wanted.last ? lock->last : wanted.last;
            lock_unlink(at);
        } else if (!lock_overlaps(lock, &wanted) || !lock_cut(node, at, &wanted, &spare[0])) {
            at = &lock->next;
        }
    }
    if (wanted.type != FILE_LOCK_NONE)
        lock_insert(node, &spare[1], &wanted);
}

/* Who waits for a process's lock; by the owner that waits. */
struct lock_waiter {
    LIST_ENTRY(lock_waiter) link;
    struct vnode *node;
    const struct file_lock *wanted;
};

static SHARED_BSS LIST_HEAD(, lock_waiter) waiters[WAITER_LISTS];

static unsigned lock_waiter_list(const void *owner)
{
    return hash_end(hash_number(0, (uintptr_t)owner)) % WAITER_LISTS;
}

/* What OWNER waits for, or NULL. */
static const struct lock_waiter *lock_waiter(const void *owner)
{
    const struct lock_waiter *waiter;

    LIST_FOREACH (waiter, &waiters[lock_waiter_list(owner)], link)
        if (waiter->wanted->owner == owner)
            return waiter;
    return NULL;
}

/* Whether OWNER would wait for itself, by way of LOCK's owner and whom that one waits for. */
static bool lock_is_circle(const void *owner, const struct file_lock *lock)
{
    for (unsigned i = 0; lock != NULL && i < CIRCLE_MOST; i++) {
        const struct lock_waiter *waiter = lock_waiter(lock->owner);

        if (lock->owner == owner)
            return true;
        lock = waiter != NULL ? lock_conflict(waiter->node, waiter->wanted) : NULL;
    }
    return lock != NULL && lock->owner == owner;
}

/* Until something has changed: 0, -EINTR, -EDEADLK (between processes only). */
static int lock_wait(struct vnode *node, const struct file_lock *wanted,
                     const struct file_lock *in_the_way, uintptr_t *state)
{
    struct lock_waiter waiter = {.node = node, .wanted = wanted};
    bool process = wanted->kind == FILE_LOCK_RANGE && wanted->pid != -1;
    int error;

    if (process && lock_is_circle(wanted->owner, in_the_way))
        return -EDEADLK;
    if (process)
        LIST_INSERT_HEAD(&waiters[lock_waiter_list(wanted->owner)], &waiter, link);
    error = wait_interruptible(lock_queue(node), &locks_lock, state, WAIT_FOREVER);
    if (process)
        LIST_REMOVE(&waiter, link);
    return error;
}

int file_lock_set(struct vnode *node, const struct file_lock *wanted, bool wait)
{
    struct file_lock *spare[2] = {kmem_alloc(sizeof *spare[0]), kmem_alloc(sizeof *spare[0])};
    int error = spare[0] != NULL && spare[1] != NULL ? 0 : -ENOLCK;
    const struct file_lock *in_the_way;
    uintptr_t state = spinlock_acquire(&locks_lock);

    while (error == 0 && wanted->type != FILE_LOCK_NONE &&
           (in_the_way = lock_conflict(node, wanted)) != NULL) {
        struct file_lock none = *wanted;

        error = -EAGAIN;
        if (wanted->kind == FILE_LOCK_WHOLE) { /* what one had goes first */
            none.type = FILE_LOCK_NONE;
            lock_apply(node, none, spare);
            wait_wake_all(lock_queue(node));
        }
        if (wait)
            error = lock_wait(node, wanted, in_the_way, &state);
    }
    if (error == 0) {
        lock_apply(node, *wanted, spare);
        wait_wake_all(lock_queue(node));
    }
    spinlock_release(&locks_lock, state);
    kmem_free(spare[0]);
    kmem_free(spare[1]);
    return error;
}

void file_lock_test(struct vnode *node, struct file_lock *wanted)
{
    uintptr_t state = spinlock_acquire(&locks_lock);
    const struct file_lock *lock = lock_conflict(node, wanted);

    if (lock != NULL)
        *wanted = *lock;
    else
        wanted->type = FILE_LOCK_NONE;
    spinlock_release(&locks_lock, state);
}

void file_lock_drop(struct vnode *node, const void *owner)
{
    struct file_lock **at;
    uintptr_t state;

    if (__atomic_load_n(&node->locks, __ATOMIC_RELAXED) == NULL)
        return;
    state = spinlock_acquire(&locks_lock);
    for (at = &node->locks; *at != NULL;)
        if ((*at)->owner == owner)
            lock_unlink(at);
        else
            at = &(*at)->next;
    wait_wake_all(lock_queue(node));
    spinlock_release(&locks_lock, state);
}
