/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Threads of processes, and the end of a process, which is its last thread's.
 *
 * Somebody has to free the stack of a thread that ends who does not stand on it. So it leaves
 * itself behind in ended_threads, for whoever next creates a thread in the process, or ends in it
 * as the last one. The last one is left to who waits for the process; where nobody does, nobody
 * joins it.
 */
#include "kernel/base/panic.h"
#include "kernel/memory/kmem.h"
#include "kernel/process/process_private.h"
#include "lib/errno.h"

struct process_start {
    struct process *process;
    void (*entry)(void *);
    void *argument;
};

/* Frees those of PROCESS's threads that have left themselves behind. */
static void process_join_ended(struct process *process)
{
    struct process_threads ended = TAILQ_HEAD_INITIALIZER(ended);
    struct thread *thread;
    uintptr_t state = spinlock_acquire(&process->lock);

    TAILQ_CONCAT(&ended, &process->ended_threads, in_process);
    spinlock_release(&process->lock, state);
    while ((thread = TAILQ_FIRST(&ended)) != NULL) {
        TAILQ_REMOVE(&ended, thread, in_process);
        thread_join(thread);
    }
}

void process_bury(struct process *process)
{
    thread_join(process->last_thread);
    process_release(process);
}

static void process_thread_start(void *argument)
{
    struct process_start start = *(struct process_start *)argument;
    struct thread *self = thread_current();
    uintptr_t state;
    bool ending;

    kmem_free(argument);
    self->process = start.process;
    state = spinlock_acquire(&start.process->lock);
    TAILQ_INSERT_TAIL(&start.process->threads, self, in_process);
    ending = start.process->ending;
    spinlock_release(&start.process->lock, state);
    if (start.process->aspace != NULL)
        thread_set_aspace(start.process->aspace);
    if (ending)
        thread_interrupt(self);
    start.entry(start.argument);
    process_thread_exit();
}

/* One thread more or less that is to come. Whether that can be: one more only while it lasts. It
 * lasts until it is less, as the caller is one of its threads or there has been none. */
static bool process_thread_announce(struct process *process, bool more)
{
    uintptr_t state = spinlock_acquire(&process->lock);
    bool can = !more || !process->ending;

    ASSERT(thread_current()->process == process || TAILQ_EMPTY(&process->threads));
    if (can)
        process->thread_count += more ? 1 : UINT32_MAX;
    spinlock_release(&process->lock, state);
    return can;
}

int process_thread_create(struct process *process, const char *name, unsigned priority,
                          void (*entry)(void *), void *argument)
{
    struct process_start *start;
    struct thread *thread; /* may have ended at once; ended_threads knows */
    int error;

    ASSERT(process != &process_kernel);
    process_join_ended(process);
    if (!process_thread_announce(process, true))
        return -ESRCH;
    start = kmem_alloc(sizeof *start);
    error = -ENOMEM;
    if (start != NULL) {
        *start = (struct process_start){process, entry, argument};
        error = thread_create(name, priority, process_thread_start, start, &thread);
    }
    if (error != 0) {
        kmem_free(start);
        process_thread_announce(process, false);
    }
    return error;
}

/* The children of a process that ends: those that have ended are gone, process 0 gets the others.
 */
static void process_leave_children(struct process *process)
{
    struct process *child, *gone;

    do {
        uintptr_t state = spinlock_acquire(&process_tree_lock);

        gone = TAILQ_FIRST(&process->ended);
        child = TAILQ_FIRST(&process->children);
        if (gone != NULL) {
            process_take_out(gone, &process->ended);
        } else if (child != NULL) {
            TAILQ_REMOVE(&process->children, child, sibling);
            process->waitable--;
            child->parent = &process_kernel;
            child->adopted = true;
            TAILQ_INSERT_TAIL(&process_kernel.children, child, sibling);
        }
        spinlock_release(&process_tree_lock, state);
        if (gone != NULL)
            process_bury(gone);
    } while (gone != NULL || child != NULL);
}

/* Its last thread, the caller, ends. PROCESS may not be there any more afterwards. */
static void process_finish(struct process *process)
{
    struct process *parent;
    uintptr_t state;
    bool adopted;

    process_join_ended(process);
    process_call_end_hooks(process);
    process_leave_children(process);
    state = spinlock_acquire(&process_tree_lock);
    parent = process->parent;
    adopted = process->adopted;
    if (adopted) {
        process_take_out(process, &parent->children);
    } else {
        process->state = PROCESS_ENDED;
        process->last_thread = thread_current();
        TAILQ_REMOVE(&parent->children, process, sibling);
        TAILQ_INSERT_TAIL(&parent->ended, process, sibling);
        wait_wake_all(&process->end_waiters);
        wait_wake_all(&parent->waiters);
    }
    spinlock_release(&process_tree_lock, state);
    if (adopted) {
        thread_detach();
        process_release(process);
    }
}

_Noreturn void process_thread_exit(void)
{
    struct thread *self = thread_current();
    struct process *process = self->process;
    bool last;
    uintptr_t state;

    ASSERT(process != NULL);
    thread_set_aspace(NULL); /* nobody uses it when the last thread is here */
    state = spinlock_acquire(&process->lock);
    TAILQ_REMOVE(&process->threads, self, in_process);
    last = --process->thread_count == 0;
    if (last)
        process->ending = true;
    else
        TAILQ_INSERT_TAIL(&process->ended_threads, self, in_process);
    self->process = NULL;
    spinlock_release(&process->lock, state);
    if (last)
        process_finish(process);
    thread_exit();
}

void process_end(struct process *process, int status)
{
    uintptr_t state = spinlock_acquire(&process->lock);
    struct thread *thread;

    ASSERT(process != &process_kernel);
    if (!process->ending) {
        process->ending = true;
        process->status = status;
        TAILQ_FOREACH (thread, &process->threads, in_process)
            if (thread != thread_current())
                thread_interrupt(thread);
    }
    spinlock_release(&process->lock, state);
}

_Noreturn void process_exit(int status)
{
    process_end(process_current(), status);
    process_thread_exit();
}

bool process_ending(void)
{
    return *(volatile bool *)&process_current()->ending;
}
