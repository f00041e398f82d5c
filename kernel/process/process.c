/* SPDX-License-Identifier: BSD-2-Clause */
/* Processes: their birth, who finds and holds them, and process 0. Their end is in
 * process_thread.c, with the last thread's. */
#include "kernel/process/process.h"
#include "kernel/base/panic.h"
#include "kernel/memory/kmem.h"
#include "kernel/process/process_private.h"
#include "kernel/process/process_table.h"
#include "lib/errno.h"
#include "lib/section.h"
#include "lib/string.h"

struct spinlock process_tree_lock = SPINLOCK_INITIALIZER("processes");

SHARED_DATA struct process process_kernel = {
    .references = 1,
    .children = TAILQ_HEAD_INITIALIZER(process_kernel.children),
    .ended = TAILQ_HEAD_INITIALIZER(process_kernel.ended),
    .waiters = WAIT_QUEUE_INITIALIZER(process_kernel.waiters),
    .end_waiters = WAIT_QUEUE_INITIALIZER(process_kernel.end_waiters),
    .lock = SPINLOCK_INITIALIZER("process"),
    .threads = TAILQ_HEAD_INITIALIZER(process_kernel.threads),
    .ended_threads = TAILQ_HEAD_INITIALIZER(process_kernel.ended_threads),
    .name = "kernel",
};

struct process *process_current(void)
{
    struct process *process = thread_current()->process;

    return process != NULL ? process : &process_kernel;
}

static void process_init(struct process *process, const char *name)
{
    TAILQ_INIT(&process->children);
    TAILQ_INIT(&process->ended);
    wait_queue_init(&process->waiters);
    wait_queue_init(&process->end_waiters);
    spinlock_init(&process->lock, "process");
    TAILQ_INIT(&process->threads);
    TAILQ_INIT(&process->ended_threads);
    strlcpy(process->name, name, sizeof process->name);
    process->references = 2; /* its number's, and the caller's */
}

int process_create(const char *name, struct process **out)
{
    struct process *parent = process_current(), *process = kmem_zalloc(sizeof *process);
    uintptr_t state;
    int error;

    if (process == NULL)
        return -ENOMEM;
    process_init(process, name);
    process->parent = parent;
    state = spinlock_acquire(&process_tree_lock);
    error = process_table_add(process);
    if (error == 0) {
        TAILQ_INSERT_TAIL(&parent->children, process, sibling);
        parent->waitable++;
    }
    spinlock_release(&process_tree_lock, state);
    if (error != 0) {
        kmem_free(process);
        return error;
    }
    *out = process;
    return 0;
}

void process_take_out(struct process *child, struct process_list *list)
{
    struct process *parent = child->parent;

    TAILQ_REMOVE(list, child, sibling);
    if (!child->adopted && --parent->waitable == 0)
        wait_wake_all(&parent->waiters); /* there is nothing to wait for any more */
    process_table_remove(child);
    child->parent = &process_kernel;
    child->state = PROCESS_GONE;
}

void process_disown(struct process *process)
{
    uintptr_t state = spinlock_acquire(&process_tree_lock);
    struct process *parent = process->parent;

    if (!process->adopted) {
        TAILQ_REMOVE(&parent->children, process, sibling);
        if (--parent->waitable == 0)
            wait_wake_all(&parent->waiters);
        process->parent = &process_kernel;
        process->adopted = true;
        TAILQ_INSERT_TAIL(&process_kernel.children, process, sibling);
    }
    spinlock_release(&process_tree_lock, state);
}

void process_call_end_hooks(struct process *process)
{
    const struct process_end_hook *const *hook;

    LINKER_SET_FOREACH (hook, process_end_hooks)
        (*hook)->end(process);
}

void process_discard(struct process *process)
{
    uintptr_t state;

    process_call_end_hooks(process);
    state = spinlock_acquire(&process_tree_lock);
    ASSERT(process->thread_count == 0 && process->state == PROCESS_ALIVE);
    process_take_out(process, &process->parent->children);
    wait_wake_all(&process->end_waiters);
    spinlock_release(&process_tree_lock, state);
    process_release(process);
    process_release(process);
}

void process_hold(struct process *process)
{
    uintptr_t state = spinlock_acquire(&process_tree_lock);

    process->references++;
    spinlock_release(&process_tree_lock, state);
}

void process_release(struct process *process)
{
    uintptr_t state = spinlock_acquire(&process_tree_lock);
    bool unused = --process->references == 0;

    spinlock_release(&process_tree_lock, state);
    if (unused)
        kmem_free(process);
}

struct process *process_find(uint32_t id)
{
    uintptr_t state = spinlock_acquire(&process_tree_lock);
    struct process *process = id == 0 ? &process_kernel : process_table_find(id);

    if (process != NULL)
        process->references++;
    spinlock_release(&process_tree_lock, state);
    return process;
}

struct process *process_next(uint32_t id)
{
    uintptr_t state = spinlock_acquire(&process_tree_lock);
    struct process *process = process_table_next(id);

    if (process != NULL)
        process->references++;
    spinlock_release(&process_tree_lock, state);
    return process;
}

uint32_t process_parent_id(const struct process *process)
{
    uintptr_t state = spinlock_acquire(&process_tree_lock);
    uint32_t id = process->parent != NULL ? process->parent->id : 0;

    spinlock_release(&process_tree_lock, state);
    return id;
}
