/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The end of threads and programs, and waiting for children.
 *
 * A program has ended when its last thread has said so here; its process ends a moment later, and
 * keeps its number until the parent, who finds the program, has waited for it.
 */
#include <arch/user.h>
#include "fs/file/epoll.h"
#include "kernel/memory/kmem.h"
#include "kernel/process/process.h"
#include "kernel/thread/user.h"
#include "kernel/time/clock.h"
#include "kernel/vm/vm.h"
#include "lib/string.h"
#include "linux/program/program_part.h"
#include "linux/program/program_private.h"

bool task_is_ending(const struct task *task)
{
    const struct task *replacer = *(struct task *volatile *)&task->program->replacer;

    return process_ending() || (replacer && replacer != task);
}

void task_vfork_done(struct task *task)
{
    uintptr_t state = spinlock_acquire(&program_lock);

    if (task->vfork) {
        task->vfork->done = true;
        wait_wake_all(&task->vfork->waiters);
        task->vfork = NULL;
    }
    spinlock_release(&program_lock, state);
}

void program_free(struct program *program)
{
    PROGRAM_PARTS_TELL(discard, program);
    kmem_free(program->path);
    kmem_free(program->actions);
    kmem_free(program);
}

static void program_child_info(const struct program *child, struct abi_siginfo *info, int status)
{
    memset(info, 0, sizeof *info);
    info->head.signo = SIGCHLD;
    info->child.pid = (int32_t)child->id;
    info->child.uid = child->uid;
    if ((status & 0xff) == 0x7f) {
        info->head.code = CLD_STOPPED;
        info->child.status = status >> 8;
    } else if (status == 0xffff) {
        info->head.code = CLD_CONTINUED;
        info->child.status = SIGCONT;
    } else if ((status & 0x7f) == 0) {
        info->head.code = CLD_EXITED;
        info->child.status = status >> 8 & 255;
    } else {
        info->head.code = status & 0x80 ? CLD_DUMPED : CLD_KILLED;
        info->child.status = status & 0x7f;
    }
    info->child.utime = (int64_t)(program_user_ns(&child->dead) / 10000000);
    info->child.stime = (int64_t)(program_system_ns(&child->dead) / 10000000);
}

void program_tell_parent(struct program *program, int status)
{
    struct program *parent = program->parent;
    struct abi_siginfo info;
    unsigned signal = program->exit_signal;

    if (!parent)
        return;
    if ((status & 0xff) == 0x7f || status == 0xffff)
        signal = parent->actions->of[SIGCHLD].flags & SA_NOCLDSTOP ? 0 : SIGCHLD;
    program_child_info(program, &info, status);
    info.head.signo = (int32_t)signal;
    if (signal != 0 && signal <= ABI_SIGNALS) /* clone takes any */
        signal_send_program(parent, (int)signal, &info);
    wait_wake_all(&parent->waiters);
}

/* Nobody is to wait for it: its parent ignores children's ends. Lock. */
static bool program_is_unwanted(const struct program *program)
{
    const struct program *parent = program->parent;

    return parent && program->exit_signal == SIGCHLD &&
           (parent->actions->of[SIGCHLD].handler == SIG_IGN ||
            parent->actions->of[SIGCHLD].flags & SA_NOCLDWAIT);
}

/* Children are the kernel's from now on, who waits for nobody. With the lock; a program that has
 * ended is left to be freed. */
static struct program *program_leave_child(struct program *program)
{
    struct program *child = TAILQ_FIRST(&program->children);

    if (child) {
        TAILQ_REMOVE(&program->children, child, sibling);
        child->parent = NULL;
        if (child->death_signal)
            signal_send_program(child, (int)child->death_signal, NULL);
        if (child->group && child->group != program->group && child->session == program->session)
            signal_group_left(child->group, NULL);
        return NULL;
    }
    child = TAILQ_FIRST(&program->ended);
    if (child) {
        TAILQ_REMOVE(&program->ended, child, sibling);
        program_remove(child);
    }
    return child;
}

static void program_leave_children(struct program *program)
{
    uintptr_t state = spinlock_acquire(&program_lock);

    while (!TAILQ_EMPTY(&program->children) || !TAILQ_EMPTY(&program->ended)) {
        struct program *gone = program_leave_child(program);

        if (gone) {
            spinlock_release(&program_lock, state);
            program_free(gone); /* its process goes with ours: kernel/process */
            state = spinlock_acquire(&program_lock);
        }
    }
    spinlock_release(&program_lock, state);
}

/* With the lock; whether the program is to be freed. */
static bool program_end_for(struct program *parent, struct program *program)
{
    bool unwanted = program_is_unwanted(program);

    TAILQ_REMOVE(&parent->children, program, sibling);
    if (unwanted) {
        program_remove(program);
        process_disown(program->process);
    } else {
        program->state = PROGRAM_ENDED; /* and a member of its group until it is waited for */
        TAILQ_INSERT_TAIL(&parent->ended, program, sibling);
    }
    program_tell_parent(program, program->status);
    return unwanted;
}

/* The last thread's: PROGRAM may be gone afterwards. */
static void program_finish(struct program *program, struct task *task)
{
    bool unwanted = true;
    uintptr_t state;

    PROGRAM_PARTS_TELL(end, program);
    program_close(program);
    if (poll_source_is_watched(&program->signal_source))
        epoll_forget_source(&program->signal_source);
    program_usage_faults(program, &program->dead);
    program->dead.most_resident = vm_current() ? vm_resident_most(vm_current()) : 0;
    program_leave_children(program);
    state = spinlock_acquire(&program_lock);
    if (program->parent && program->parent->group != program->group &&
        program->parent->session == program->session)
        signal_group_left(program->group, program);
    program_usage_settle(task);
    task_remove(task);
    signal_pending_flush(&program->pending, NULL);
    program->status = program->process->status;
    program_settle(program);
    PROGRAM_PARTS_TELL(settle, program);
    if (program->parent)
        unwanted = program_end_for(program->parent, program);
    else
        program_remove(program);
    spinlock_release(&program_lock, state);
    if (unwanted)
        program_free(program);
}

_Noreturn void task_exit(void)
{
    struct task *task = task_current();
    struct program *program = task->program;
    uintptr_t state;
    bool last;

    PROGRAM_PARTS_TELL(exit, task);
    PROGRAM_PARTS_TELL(leave, task);
    task_vfork_done(task);
    state = spinlock_acquire(&program_lock);
    signal_pending_flush(&task->pending, NULL);
    last = program->task_count == 1;
    if (!last) {
        program_usage_settle(task);
        task_remove(task);
        wait_wake_all(&program->task_waiters);
    }
    spinlock_release(&program_lock, state);
    if (last)
        program_finish(program, task);
    thread_user_end();
    task_free(task);
    process_thread_exit();
}

/* Lock. Threads that are stopped run to their end. */
void program_end(struct program *program, int status)
{
    if (program->state != PROGRAM_ALIVE)
        return;
    process_end(program->process, status);
    if (thread_current()->process == program->process)
        thread_interrupt(thread_current()); /* which process_end does not */
    program->stopped = 0;
    wait_wake_all(&program->stop_waiters);
}

_Noreturn void program_exit(int status)
{
    uintptr_t state = spinlock_acquire(&program_lock);

    program_end(task_current()->program, status);
    spinlock_release(&program_lock, state);
    task_exit();
}

bool program_wait_means(const struct program *self, const struct program *child, int64_t who,
                        unsigned options)
{
    if (!(options & WAIT_ALL) && (child->exit_signal != SIGCHLD) != !!(options & WAIT_CLONED))
        return false;
    if (who > 0)
        return child->id == (uint64_t)who;
    if (who == -1)
        return true;
    if (who == 0)
        return child->wait_group == self->group->id;
    return child->wait_group == (uint64_t)-who;
}

/* Whether CHILD has stopped or goes on, which was not told of yet. */
static bool program_tell_stopped(struct program *child, unsigned options, int *status)
{
    if (options & WUNTRACED && child->stop_report) {
        *status = child->stopped << 8 | 0x7f;
        if (!(options & WNOWAIT))
            child->stop_report = false;
        return true;
    }
    if (options & WCONTINUED && child->continue_report) {
        *status = 0xffff;
        if (!(options & WNOWAIT))
            child->continue_report = false;
        return true;
    }
    return false;
}

/* The one child that is meant if WHO is a number; NULL: there is none. */
static struct program *program_wait_one(const struct program *self, int64_t who, unsigned options)
{
    struct program *child = program_find((uint32_t)who);

    return child && child->parent == self && program_wait_means(self, child, who, options) ? child
                                                                                           : NULL;
}

static struct program *program_wait_stopped(struct program *self, int64_t who, unsigned options,
                                            int *status)
{
    struct program *child;

    if (!(options & (WUNTRACED | WCONTINUED)))
        return NULL;
    if (who > 0) {
        child = program_wait_one(self, who, options);
        return child && program_tell_stopped(child, options, status) ? child : NULL;
    }
    TAILQ_FOREACH (child, &self->children, sibling)
        if (program_wait_means(self, child, who, options) &&
            program_tell_stopped(child, options, status))
            return child;
    return NULL;
}

/* *ANY: whether there is a child at all that is meant. */
static struct program *program_wait_ended(struct program *self, int64_t who, unsigned options,
                                          bool *any)
{
    struct program *child;

    *any = false;
    if (who > 0) {
        child = program_wait_one(self, who, options);
        *any = child != NULL;
        return child && child->state == PROGRAM_ENDED ? child : NULL;
    }
    TAILQ_FOREACH (child, &self->ended, sibling)
        if (program_wait_means(self, child, who, options)) {
            *any = true;
            return child;
        }
    TAILQ_FOREACH (child, &self->children, sibling)
        if (program_wait_means(self, child, who, options)) {
            *any = true;
            return NULL;
        }
    return NULL;
}

static void program_reap(struct program *self, struct program *child, uintptr_t state)
{
    uint32_t id = child->id;

    TAILQ_REMOVE(&self->ended, child, sibling);
    program_remove(child);
    program_usage_sum(&self->children_usage, &child->dead);
    program_usage_sum(&self->children_usage, &child->children_usage);
    spinlock_release(&program_lock, state);
    process_wait(id, PROCESS_UNINTERRUPTED, NULL);
    program_free(child);
}

long program_wait(struct program *self, int64_t who, unsigned options, int *status,
                  struct abi_siginfo *info, struct program_usage *usage)
{
    uintptr_t state = spinlock_acquire(&program_lock);
    struct program_waiter waiter = {.who = who, .options = options};
    struct program *child = NULL;
    int told = 0, error = 0;
    bool any = false;
    long id;

    SLIST_INSERT_HEAD(&self->waits, &waiter, link);
    for (;;) {
        child = program_wait_ended(self, who, options, &any);
        if (child && options & WEXITED) {
            told = child->status;
            break;
        }
        child = program_wait_stopped(self, who, options, &told);
        if (child || !any || options & WNOHANG || error != 0)
            break;
        error = wait_interruptible(&self->waiters, &program_lock, &state, WAIT_FOREVER);
    }
    SLIST_REMOVE(&self->waits, &waiter, program_waiter, link);
    if (!child) {
        spinlock_release(&program_lock, state);
        return !any ? -ECHILD : options & WNOHANG ? 0 : -RESTART_CALL;
    }
    id = child->id;
    if (status)
        *status = told;
    if (info)
        program_child_info(child, info, told);
    if (usage)
        program_usage(child, usage);
    if (child->state == PROGRAM_ENDED && !(options & WNOWAIT))
        program_reap(self, child, state);
    else
        spinlock_release(&program_lock, state);
    return id;
}

int program_wait_kernel(uint32_t id, int *status)
{
    return process_wait(id, 0, status);
}
