/* SPDX-License-Identifier: BSD-2-Clause */
/* Sending signals: what becomes pending, for whom, and who is interrupted. */
#include "kernel/memory/kmem.h"
#include "kernel/process/process.h"
#include "kernel/process/process_count.h"
#include "kernel/thread/thread.h"
#include "lib/errno.h"
#include "lib/string.h"
#include "linux/program/program_private.h"

#define BIT(signal) (1ull << ((signal) - 1))

static const uint64_t signal_stops = BIT(SIGSTOP) | BIT(SIGTSTP) | BIT(SIGTTIN) | BIT(SIGTTOU);
static const uint64_t signal_harmless = BIT(SIGCHLD) | BIT(SIGURG) | BIT(SIGWINCH) | BIT(SIGCONT);

bool signal_default_stops(int signal)
{
    return signal < 64 && (signal_stops & BIT(signal)) != 0;
}

bool signal_default_ignores(int signal)
{
    return signal < 64 && (signal_harmless & BIT(signal)) != 0;
}

void signal_pending_init(struct signal_pending *pending)
{
    memset(&pending->set, 0, sizeof pending->set);
    TAILQ_INIT(&pending->items);
}

static void signal_item_drop(struct signal_pending *pending, struct signal_item *item)
{
    TAILQ_REMOVE(&pending->items, item, link);
    item->queued = NULL;
    if (!item->kept) {
        pending->count--;
        kmem_free(item);
    }
}

void signal_pending_flush(struct signal_pending *pending, const struct signal_set *set)
{
    struct signal_item *item, *next;

    for (item = TAILQ_FIRST(&pending->items); item; item = next) {
        next = TAILQ_NEXT(item, link);
        if (!set || signal_in(set, item->info.head.signo))
            signal_item_drop(pending, item);
    }
    for (unsigned i = 0; i < ABI_SIGNAL_WORDS; i++)
        pending->set.word[i] &= set ? ~set->word[i] : 0;
}

/* From everywhere where it may be pending. */
static void signal_forget(struct program *program, uint64_t first_word)
{
    struct signal_set set = {{first_word}};
    struct task *task;

    signal_pending_flush(&program->pending, &set);
    TAILQ_FOREACH (task, &program->tasks, in_program)
        signal_pending_flush(&task->pending, &set);
}

static void signal_continue(struct program *program)
{
    signal_forget(program, signal_stops);
    if (program->stopped) {
        program->stopped = 0;
        program->stop_report = false;
        program->continue_report = true;
        wait_wake_all(&program->stop_waiters);
        program_tell_parent(program, 0xffff);
    }
}

/* Whether SIGNAL to TASK (or to the program's first thread) would have no effect at all. */
static bool signal_is_ignored(const struct program *program, const struct task *task, int signal)
{
    const struct signal_action *action = &program->actions->of[signal];

    if (signal_in(&task->blocked, signal) || signal == SIGKILL || signal == SIGSTOP)
        return false;
    return action->handler == SIG_IGN ||
           (action->handler == SIG_DFL && signal_default_ignores(signal));
}

/* Something has become pending. */
static void signal_tell(struct program *program)
{
    if (poll_source_is_watched(&program->signal_source))
        poll_source_wake(&program->signal_source, POLL_READ);
}

/* RLIMIT_SIGPENDING: of what sigqueue sends, so many wait; kill's always come. */
static bool signal_is_full(const struct program *program, const struct signal_pending *pending,
                           int signal, const struct abi_siginfo *info)
{
    return signal >= SIGRTMIN && info && info->head.code != SI_USER &&
           pending->count >= program->limits[RLIMIT_SIGPENDING].now;
}

static int signal_queue(struct signal_pending *pending, struct program *program, int signal,
                        const struct abi_siginfo *info)
{
    bool first = !signal_in(&pending->set, signal);
    struct signal_item *item;

    if (!first && signal < SIGRTMIN)
        return 0;
    if (signal_is_full(program, pending, signal, info))
        return -EAGAIN;
    item = info ? kmem_alloc(sizeof *item) : NULL;
    if (info && !item && signal >= SIGRTMIN && info->head.code != SI_USER)
        return -EAGAIN;
    if (item) {
        *item = (struct signal_item){.info = *info, .queued = pending};
        item->info.head.signo = signal;
        TAILQ_INSERT_TAIL(&pending->items, item, link);
        pending->count++;
    }
    signal_add(&pending->set, signal);
    signal_tell(program);
    return 0;
}

/* A thread of PROGRAM that would take SIGNAL. */
static struct task *signal_target(struct program *program, int signal)
{
    struct task *task;

    TAILQ_FOREACH (task, &program->tasks, in_program)
        if (!signal_in(&task->blocked, signal) || signal_in(&task->awaited, signal))
            return task;
    return NULL;
}

static void signal_wake(struct task *task)
{
    if (task && task->thread)
        thread_interrupt(task->thread);
}

/* What a signal does at once, whoever handles it. */
static void signal_at_once(struct program *program, int signal)
{
    if (signal == SIGCONT)
        signal_continue(program);
    else if (signal_default_stops(signal))
        signal_forget(program, BIT(SIGCONT));
}

static bool signal_kill(struct program *program, int signal)
{
    if (signal != SIGKILL)
        return false;
    if (program->state == PROGRAM_ALIVE && !program->process->ending) {
        program->dead.counts.signals++; /* no thread takes it */
        evcnt_incr(&process_event[PROCESS_SIGNALS]);
    }
    program_end(program, SIGKILL);
    return true;
}

int signal_send_program(struct program *program, int signal, const struct abi_siginfo *info)
{
    struct task *first = TAILQ_FIRST(&program->tasks);
    int error;

    if (program->state != PROGRAM_ALIVE || !first || signal_kill(program, signal))
        return 0;
    signal_at_once(program, signal);
    if (signal_is_ignored(program, first, signal))
        return 0;
    error = signal_queue(&program->pending, program, signal, info);
    if (error == 0)
        signal_wake(signal_target(program, signal));
    return error;
}

int signal_send_task(struct task *task, int signal, const struct abi_siginfo *info)
{
    int error;

    if (signal_kill(task->program, signal))
        return 0;
    signal_at_once(task->program, signal);
    if (signal_is_ignored(task->program, task, signal))
        return 0;
    error = signal_queue(&task->pending, task->program, signal, info);
    if (error == 0 && (!signal_in(&task->blocked, signal) || signal_in(&task->awaited, signal)))
        signal_wake(task);
    return error;
}

bool signal_send_item(struct program *program, struct task *task, struct signal_item *item)
{
    struct task *first = task ? task : TAILQ_FIRST(&program->tasks);
    struct signal_pending *pending = task ? &task->pending : &program->pending;
    int signal = item->info.head.signo;

    if (item->queued)
        return false;
    if (!first || signal_is_ignored(program, first, signal))
        return true;
    if (signal < SIGRTMIN && signal_in(&pending->set, signal))
        return true;
    item->queued = pending;
    TAILQ_INSERT_TAIL(&pending->items, item, link);
    signal_add(&pending->set, signal);
    signal_tell(program);
    if (!task)
        signal_wake(signal_target(program, signal));
    else if (!signal_in(&task->blocked, signal) || signal_in(&task->awaited, signal))
        signal_wake(task);
    return true;
}

void signal_send_group(uint32_t id, int signal, const struct abi_siginfo *info)
{
    struct program_group *group = program_group_find(id);
    struct program *program;

    if (!group)
        return;
    TAILQ_FOREACH (program, &group->members, in_group)
        signal_send_program(program, signal, info);
}

void signal_group_left(struct program_group *group, const struct program *but)
{
    const struct program *member;
    bool stopped = false;

    TAILQ_FOREACH (member, &group->members, in_group) {
        const struct program *parent = member->parent;

        if (member == but || member->state == PROGRAM_ENDED)
            continue;
        if (parent && parent->group && parent->group != group && parent->session == group->session)
            return;
        stopped = stopped || member->stopped;
    }
    if (!stopped)
        return;
    signal_send_group(group->id, SIGHUP, NULL);
    signal_send_group(group->id, SIGCONT, NULL);
}

void signal_info_from(struct abi_siginfo *info, int signal, int code)
{
    const struct program *program = task_current()->program;

    memset(info, 0, sizeof *info);
    info->head.signo = signal;
    info->head.code = code;
    info->from.pid = (int32_t)program->id;
    info->from.uid = program->uid;
}

/* Who blocks or ignores it has no handler for it any more. */
void signal_force(int signal, int code, uint64_t address)
{
    struct task *task = task_current();
    struct signal_action *action = &task->program->actions->of[signal];
    struct abi_siginfo info;
    uintptr_t state;

    memset(&info, 0, sizeof info);
    info.head.signo = signal;
    info.head.code = code;
    info.fault.address = address;
    state = spinlock_acquire(&program_lock);
    if (action->handler == SIG_IGN || signal_in(&task->blocked, signal)) {
        action->handler = SIG_DFL;
        signal_remove(&task->blocked, signal);
    }
    signal_send_task(task, signal, &info);
    spinlock_release(&program_lock, state);
}

void signal_item_withdraw(struct signal_item *item)
{
    struct signal_pending *pending = item->queued;
    struct signal_item *other;
    bool more = false;

    TAILQ_REMOVE(&pending->items, item, link);
    item->queued = NULL;
    TAILQ_FOREACH (other, &pending->items, link)
        more = more || other->info.head.signo == item->info.head.signo;
    if (!more)
        signal_remove(&pending->set, item->info.head.signo);
}
