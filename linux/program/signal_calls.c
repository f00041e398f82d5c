/* SPDX-License-Identifier: BSD-2-Clause */
/* The system calls about signals. */
#include "kernel/thread/thread.h"
#include "kernel/time/clock.h"
#include "lib/string.h"
#include "linux/program/program_private.h"

static int signal_set_in(const void *user, uint64_t size, struct signal_set *set)
{
    if (size != sizeof *set)
        return -EINVAL;
    return copyin(user, set, sizeof *set);
}

static bool signal_is_valid(int signal)
{
    return signal >= 1 && signal <= ABI_SIGNALS;
}

static void signal_action_out(const struct signal_action *from, struct abi_sigaction *to)
{
    memset(to, 0, sizeof *to);
    to->handler = from->handler;
    to->flags = (__typeof__(to->flags))from->flags;
    ABI_ONLY_X86(to->restorer = from->restorer;)
    memcpy(to->mask, from->mask.word, sizeof to->mask);
}

static void signal_action_in(const struct abi_sigaction *from, struct signal_action *to)
{
    to->handler = from->handler;
    to->flags = from->flags;
    to->restorer = 0;
    ABI_ONLY_X86(to->restorer = from->restorer;)
    memcpy(to->mask.word, from->mask, sizeof to->mask);
    signal_remove(&to->mask, SIGKILL);
    signal_remove(&to->mask, SIGSTOP);
}

/* What is pending and would be ignored now is forgotten. */
static void signal_action_set(struct program *program, int signal, const struct signal_action *new)
{
    struct signal_set set = {{0}};
    struct task *task;

    program->actions->of[signal] = *new;
    if (new->handler != SIG_IGN && (new->handler != SIG_DFL || !signal_default_ignores(signal)))
        return;
    signal_add(&set, signal);
    signal_pending_flush(&program->pending, &set);
    TAILQ_FOREACH (task, &program->tasks, in_program)
        signal_pending_flush(&task->pending, &set);
}

CALL(rt_sigaction)
{
    struct program *program = task_current()->program;
    struct abi_sigaction in, out;
    struct signal_action new, old;
    int signal = ARG_INT(0);
    uintptr_t state;

    if (ARG(3) != sizeof(struct signal_set) || !signal_is_valid(signal) ||
        (ARG(1) != 0 && (signal == SIGKILL || signal == SIGSTOP)))
        return -EINVAL;
    if (ARG(1) != 0 && copyin(ARG_PTR(1), &in, sizeof in) != 0)
        return -EFAULT;
    state = spinlock_acquire(&program_lock);
    old = program->actions->of[signal];
    if (ARG(1) != 0) {
        signal_action_in(&in, &new);
        signal_action_set(program, signal, &new);
    }
    spinlock_release(&program_lock, state);
    signal_action_out(&old, &out);
    return ARG(2) != 0 ? copyout(&out, ARG_PTR(2), sizeof out) : 0;
}

CALL(rt_sigprocmask)
{
    struct task *task = task_current();
    struct signal_set set, old = task->blocked;
    int error;

    if (ARG(3) != sizeof set)
        return -EINVAL;
    if (ARG(1) != 0) {
        error = signal_set_in(ARG_PTR(1), ARG(3), &set);
        if (error != 0)
            return error;
        for (unsigned i = 0; i < ABI_SIGNAL_WORDS; i++) {
            if (ARG_INT(0) == SIG_BLOCK)
                set.word[i] |= old.word[i];
            else if (ARG_INT(0) == SIG_UNBLOCK)
                set.word[i] = old.word[i] & ~set.word[i];
            else if (ARG_INT(0) != SIG_SETMASK)
                return -EINVAL;
        }
        signal_set_mask(task, &set);
    }
    return ARG(2) != 0 ? copyout(&old, ARG_PTR(2), sizeof old) : 0;
}

CALL(rt_sigpending)
{
    struct task *task = task_current();
    struct signal_set set;
    uintptr_t state;

    if (ARG(1) > sizeof set)
        return -EINVAL;
    state = spinlock_acquire(&program_lock);
    for (unsigned i = 0; i < ABI_SIGNAL_WORDS; i++)
        set.word[i] = (task->pending.set.word[i] | task->program->pending.set.word[i]) &
                      task->blocked.word[i];
    spinlock_release(&program_lock, state);
    return copyout(&set, ARG_PTR(0), ARG(1));
}

/* Sleeps until a signal comes. */
static long signal_pause(void)
{
    static struct spinlock lock = SPINLOCK_INITIALIZER("pause");
    struct wait_queue queue;
    uintptr_t state;

    wait_queue_init(&queue);
    state = spinlock_acquire(&lock);
    while (wait_interruptible(&queue, &lock, &state, WAIT_FOREVER) == 0)
        ;
    spinlock_release(&lock, state);
    return -RESTART_UNHANDLED;
}

CALL(pause)
{
    (void)frame;
    return signal_pause();
}

CALL(rt_sigsuspend)
{
    struct task *task = task_current();
    struct signal_set set;
    int error = signal_set_in(ARG_PTR(0), ARG(1), &set);

    if (error != 0)
        return error;
    signal_mask_for_call(task, &set);
    return signal_pause();
}

void signal_mask_for_call(struct task *task, const struct signal_set *set)
{
    task->saved_mask = task->blocked;
    task->restore_mask = true;
    signal_set_mask(task, set);
}

long signal_mask_after_call(struct task *task, long result)
{
    if (result == -EINTR)
        return -RESTART_UNHANDLED;
    task->restore_mask = false;
    signal_set_mask(task, &task->saved_mask);
    return result;
}

int signal_wait(struct task *task, const struct signal_set *set, uint64_t deadline,
                struct abi_siginfo *info)
{
    uintptr_t state = spinlock_acquire(&program_lock);
    struct wait_queue queue;
    int signal, error = 0;

    wait_queue_init(&queue);
    while ((signal = signal_take(task, set, info)) == 0 && error == 0) {
        task->awaited = *set;
        error = wait_interruptible(&queue, &program_lock, &state, deadline);
        if (error == -EINTR && !task_is_ending(task) && !signal_deliverable(task) &&
            !task->program->stopped) {
            thread_interruption_take();
            error = 0;
        }
    }
    memset(&task->awaited, 0, sizeof task->awaited);
    if (signal == 0)
        signal = signal_take(task, set, info);
    spinlock_release(&program_lock, state);
    return signal != 0 ? signal : error == -ETIMEDOUT ? -EAGAIN : error;
}

CALL(rt_sigtimedwait)
{
    uint64_t deadline = WAIT_FOREVER, ns;
    struct abi_siginfo info;
    struct signal_set set;
    int error = signal_set_in(ARG_PTR(0), ARG(3), &set), signal;

    if (error == 0 && ARG(2) != 0) {
        error = call_timespec_in(ARG_PTR(2), &ns);
        if (error == 0)
            deadline = clock_after(clock_now(), ns);
    }
    if (error != 0)
        return error;
    signal_remove(&set, SIGKILL);
    signal_remove(&set, SIGSTOP);
    signal = signal_wait(task_current(), &set, deadline, &info);
    if (signal > 0 && ARG(1) != 0 && copyout(&info, ARG_PTR(1), sizeof info) != 0)
        return -EFAULT;
    return signal;
}

CALL(sigaltstack)
{
    struct task *task = task_current();
    struct abi_stack new, old;
    bool busy;
    int mode;

    signal_frame_stack_out(task, signal_frame_stack(frame), &old);
    busy = (old.flags & SS_ONSTACK) != 0;
    if (ARG(0) != 0) {
        if (copyin(ARG_PTR(0), &new, sizeof new) != 0)
            return -EFAULT;
        if (busy)
            return -EPERM;
        mode = new.flags & ~(int)SS_AUTODISARM;
        if (mode != 0 && mode != SS_DISABLE && mode != SS_ONSTACK)
            return -EINVAL;
        if (mode == SS_DISABLE)
            new = (struct abi_stack){.flags = SS_DISABLE};
        else if (new.size < 2048)
            return -ENOMEM;
        new.flags &= ~SS_ONSTACK;
        task->alternate = new;
    }
    return ARG(1) != 0 ? copyout(&old, ARG_PTR(1), sizeof old) : 0;
}

static int signal_send_checked(struct program *program, struct task *task, int signal,
                               const struct abi_siginfo *info)
{
    if (!program_may_signal(task_current()->program, program, signal))
        return -EPERM;
    if (signal == 0)
        return 0;
    return task ? signal_send_task(task, signal, info) : signal_send_program(program, signal, info);
}

/* To those of LIST that may be signalled: 0 if there was one. */
static int signal_send_some(uint32_t group, int signal, const struct abi_siginfo *info)
{
    struct program *self = task_current()->program, *program;
    int result = -ESRCH;

    TAILQ_FOREACH (program, &program_all, in_all) {
        int error;

        if (group ? program->wait_group != group : program == self)
            continue;
        error = signal_send_checked(program, NULL, signal, info);
        if (result != 0)
            result = error;
    }
    return result;
}

CALL(kill)
{
    int32_t who = ARG_INT(0);
    int signal = ARG_INT(1), result = -ESRCH;
    struct abi_siginfo info;
    struct program *program;
    struct task *task;
    uintptr_t state;

    if (signal != 0 && !signal_is_valid(signal))
        return -EINVAL;
    signal_info_from(&info, signal, SI_USER);
    state = spinlock_acquire(&program_lock);
    if (who > 0) {
        task = task_find((uint32_t)who); /* any thread stands for its program */
        program = task ? task->program : program_find((uint32_t)who);
        if (program)
            result = signal_send_checked(program, NULL, signal, &info);
    } else if (who != INT32_MIN) {
        uint32_t group = who == 0    ? task_current()->program->wait_group
                         : who == -1 ? 0
                                     : (uint32_t)-who;

        result = signal_send_some(group, signal, &info);
    }
    spinlock_release(&program_lock, state);
    return result;
}

/* A thread; PROGRAM_ID 0: of any program. */
static long signal_thread(int32_t program_id, int32_t id, int signal,
                          const struct abi_siginfo *info)
{
    uintptr_t state;
    struct task *task;
    long result = -ESRCH;

    if (id <= 0 || program_id < 0 || (signal != 0 && !signal_is_valid(signal)))
        return -EINVAL;
    state = spinlock_acquire(&program_lock);
    task = task_find((uint32_t)id);
    if (task && (program_id == 0 || task->program->id == (uint32_t)program_id))
        result = signal_send_checked(task->program, task, signal, info);
    spinlock_release(&program_lock, state);
    return result;
}

CALL(tkill)
{
    struct abi_siginfo info;

    signal_info_from(&info, ARG_INT(1), SI_TKILL);
    return signal_thread(0, ARG_INT(0), ARG_INT(1), &info);
}

CALL(tgkill)
{
    struct abi_siginfo info;

    if (ARG_INT(0) <= 0)
        return -EINVAL;
    signal_info_from(&info, ARG_INT(2), SI_TKILL);
    return signal_thread(ARG_INT(0), ARG_INT(1), ARG_INT(2), &info);
}

CALL(rt_sigqueueinfo)
{
    int signal = ARG_INT(1), result = -ESRCH;
    struct abi_siginfo info;
    struct program *program;
    uintptr_t state;

    if (copyin(ARG_PTR(2), &info, sizeof info) != 0)
        return -EFAULT;
    if ((info.head.code >= 0 || info.head.code == SI_TKILL) &&
        ARG_U32(0) != task_current()->program->id)
        return -EPERM;
    if (signal != 0 && !signal_is_valid(signal))
        return -EINVAL;
    info.head.signo = signal;
    state = spinlock_acquire(&program_lock);
    program = program_find(ARG_U32(0));
    if (program)
        result = signal_send_checked(program, NULL, signal, &info);
    spinlock_release(&program_lock, state);
    return result;
}

CALL(rt_tgsigqueueinfo)
{
    struct abi_siginfo info;

    if (copyin(ARG_PTR(3), &info, sizeof info) != 0)
        return -EFAULT;
    if ((info.head.code >= 0 || info.head.code == SI_TKILL) &&
        ARG_U32(0) != task_current()->program->id)
        return -EPERM;
    if (ARG_INT(0) <= 0)
        return -EINVAL;
    info.head.signo = ARG_INT(2);
    return signal_thread(ARG_INT(0), ARG_INT(1), ARG_INT(2), &info);
}
