/* SPDX-License-Identifier: BSD-2-Clause */
/* Taking signals: which comes next, what it does, and what becomes of the call it interrupts. */
#include "kernel/memory/kmem.h"
#include "kernel/process/process.h"
#include "kernel/process/process_count.h"
#include "kernel/thread/thread.h"
#include "lib/string.h"
#include "linux/program/program_part.h"
#include "linux/program/program_private.h"
#include "linux/program/machine.h"

/* Those of a fault come first, as on Linux. */
#define FIRST                                                                                      \
    (1ull << (SIGSEGV - 1) | 1ull << (SIGBUS - 1) | 1ull << (SIGILL - 1) | 1ull << (SIGTRAP - 1) | \
     1ull << (SIGFPE - 1) | 1ull << (SIGSYS - 1))

bool signal_deliverable(const struct task *task)
{
    const struct program *program = task->program;

    for (unsigned i = 0; i < ABI_SIGNAL_WORDS; i++)
        if ((task->pending.set.word[i] | program->pending.set.word[i]) & ~task->blocked.word[i])
            return true;
    return false;
}

void signal_set_mask(struct task *task, const struct signal_set *set)
{
    uintptr_t state = spinlock_acquire(&program_lock);

    task->blocked = *set;
    signal_remove(&task->blocked, SIGKILL);
    signal_remove(&task->blocked, SIGSTOP);
    if (signal_deliverable(task))
        thread_interrupt(task->thread);
    spinlock_release(&program_lock, state);
}

static int signal_lowest(const struct signal_pending *pending, const struct signal_set *signals)
{
    uint64_t bits = pending->set.word[0] & signals->word[0];

    if (bits & FIRST)
        bits &= FIRST;
    if (bits)
        return __builtin_ctzll(bits) + 1;
    for (int i = 1; i < ABI_SIGNAL_WORDS; i++)
        if (pending->set.word[i] & signals->word[i])
            return i * 64 + __builtin_ctzll(pending->set.word[i] & signals->word[i]) + 1;
    return 0;
}

/* Takes one SIGNAL out of PENDING. */
static void signal_take_item(struct signal_pending *pending, int signal, struct abi_siginfo *info)
{
    struct signal_item *item, *found = NULL;
    bool more = false;

    TAILQ_FOREACH (item, &pending->items, link) {
        if (item->info.head.signo != signal)
            continue;
        if (found) {
            more = true;
            break;
        }
        found = item;
    }
    if (!more)
        signal_remove(&pending->set, signal);
    if (!found) {
        memset(info, 0, sizeof *info);
        info->head.signo = signal;
        info->head.code = SI_KERNEL;
        return;
    }
    *info = found->info;
    TAILQ_REMOVE(&pending->items, found, link);
    found->queued = NULL;
    if (!found->kept) {
        pending->count--;
        kmem_free(found);
    } else if (found->taken) {
        found->taken(found, info);
    }
}

int signal_take(struct task *task, const struct signal_set *signals, struct abi_siginfo *info)
{
    struct signal_pending *pending = &task->pending;
    int signal = signal_lowest(pending, signals);

    if (signal == 0) {
        pending = &task->program->pending;
        signal = signal_lowest(pending, signals);
    }
    if (signal != 0)
        signal_take_item(pending, signal, info);
    return signal;
}

static void signal_count(struct task *task)
{
    task->counts.signals++;
    evcnt_incr(&process_event[PROCESS_SIGNALS]);
}

/* SIGNAL stops the program, if it is not in an orphaned group that nobody would continue. */
static void signal_stop(struct program *program, int signal)
{
    struct task *task;

    program->stopped = (uint8_t)signal;
    program->stop_report = true;
    program->continue_report = false;
    TAILQ_FOREACH (task, &program->tasks, in_program)
        if (task->thread && task->thread != thread_current())
            thread_interrupt(task->thread);
    program_tell_parent(program, signal << 8 | 0x7f);
}

/* A stop signal from the terminal does nothing in a group that nobody could continue. */
bool signal_group_is_orphaned(const struct program *program)
{
    const struct program *member;

    TAILQ_FOREACH (member, &program->group->members, in_group)
        if (member->state == PROGRAM_ALIVE && member->parent &&
            member->parent->group != program->group && member->parent->group &&
            member->parent->group->session == program->group->session)
            return false;
    return true;
}

enum signal_next { SIGNAL_NONE, SIGNAL_HANDLER, SIGNAL_DEADLY };

/* The next signal that means something; stops the thread while the program is stopped. Lock. */
static enum signal_next signal_next(struct task *task, uintptr_t *state, int *signal,
                                    struct signal_action *action, struct abi_siginfo *info)
{
    struct program *program = task->program;
    struct signal_set wanted;

    for (;;) {
        while (program->stopped && !task_is_ending(task))
            wait_sleep(&program->stop_waiters, &program_lock, state, WAIT_FOREVER);
        if (task_is_ending(task))
            return SIGNAL_NONE;
        for (unsigned i = 0; i < ABI_SIGNAL_WORDS; i++)
            wanted.word[i] = ~task->blocked.word[i];
        *signal = signal_take(task, &wanted, info);
        if (*signal == 0)
            return SIGNAL_NONE;
        *action = program->actions->of[*signal];
        if (action->handler == SIG_IGN && *signal != SIGKILL && *signal != SIGSTOP)
            continue;
        if (action->handler != SIG_DFL) {
            if (action->flags & SA_RESETHAND)
                program->actions->of[*signal].handler = SIG_DFL;
            signal_count(task);
            return SIGNAL_HANDLER;
        }
        if (signal_default_ignores(*signal))
            continue;
        if (signal_default_stops(*signal)) {
            if (*signal != SIGSTOP && signal_group_is_orphaned(program))
                continue;
            signal_count(task);
            signal_stop(program, *signal);
            continue;
        }
        signal_count(task);
        return SIGNAL_DEADLY;
    }
}

/* The call that was interrupted: made again, or ended with EINTR. HANDLER: one will run. */
static void signal_end_call(struct trap_frame *frame, int result,
                            const struct signal_action *handler)
{
    if (result == 0)
        return;
    if (handler && result != RESTART_ALWAYS &&
        (result != RESTART_CALL || !(handler->flags & SA_RESTART))) {
        call_set_result(frame, -EINTR);
        return;
    }
    if (result == RESTART_REMAINDER)
        call_set_number(frame, call_restart_number);
    trap_frame_repeat(frame);
}

static void signal_run_handler(struct trap_frame *frame, struct task *task, int signal,
                               const struct signal_action *action, const struct abi_siginfo *info)
{
    struct signal_set mask = task->blocked, before = task->blocked;

    if (task->restore_mask)
        before = task->saved_mask;
    task->restore_mask = false;
    if (!signal_frame_push(frame, task, signal, action, info, &before)) {
        if (signal == SIGSEGV)
            program_exit(SIGSEGV);
        signal_force(SIGSEGV, SI_KERNEL, 0);
        return;
    }
    for (unsigned i = 0; i < ABI_SIGNAL_WORDS; i++)
        mask.word[i] |= action->mask.word[i];
    if (!(action->flags & SA_NODEFER))
        signal_add(&mask, signal);
    signal_set_mask(task, &mask);
}

void signal_deliver(struct trap_frame *frame, int result)
{
    struct task *task = task_current();
    struct signal_action action;
    struct abi_siginfo info;
    enum signal_next next;
    uintptr_t state;
    int signal = 0;

    do {
        if (task_is_ending(task))
            task_exit();
        state = spinlock_acquire(&program_lock);
        thread_interruption_take();
        next = signal_next(task, &state, &signal, &action, &info);
        spinlock_release(&program_lock, state);
        if (next == SIGNAL_DEADLY)
            program_exit(signal);
        if (task_is_ending(task))
            task_exit();
        signal_end_call(frame, result, next == SIGNAL_HANDLER ? &action : NULL);
        result = 0;
        if (next == SIGNAL_HANDLER)
            signal_run_handler(frame, task, signal, &action, &info);
    } while (next == SIGNAL_HANDLER);
    if (task->restore_mask) {
        task->restore_mask = false;
        signal_set_mask(task, &task->saved_mask);
    }
    PROGRAM_PARTS_TELL(deliver, task);
}

void task_interrupted(struct trap_frame *frame)
{
    signal_deliver(frame, 0);
}

uint64_t signal_frame_place(struct task *task, const struct signal_action *action, uint64_t sp)
{
    const struct abi_stack *alternate = &task->alternate;

    if (!(action->flags & SA_ONSTACK) || alternate->flags & SS_DISABLE ||
        sp - alternate->sp - 1 < alternate->size)
        return sp;
    return alternate->sp + alternate->size;
}

void signal_frame_stack_out(const struct task *task, uint64_t sp, struct abi_stack *out)
{
    *out = task->alternate;
    if (!(out->flags & SS_DISABLE) && sp - out->sp - 1 < out->size)
        out->flags |= SS_ONSTACK;
}
