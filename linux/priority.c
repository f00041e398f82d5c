/* SPDX-License-Identifier: BSD-2-Clause */
/* Policies and priorities: one policy for all; nice values are kept and told, no more. */
#include "kernel/time/clock.h"
#include "lib/errno.h"
#include "linux/program_private.h"

#define SCHED_OTHER  0
#define SCHED_BATCH  3
#define SCHED_IDLE   5
#define PRIO_PROCESS 0
#define PRIO_PGRP    1
#define PRIO_USER    2
#define NICE_LEAST   (-20)
#define NICE_MOST    19

/* 0, -EINVAL, -ESRCH. */
static long priority_check(int32_t id)
{
    uintptr_t state;
    bool found;

    if (id < 0)
        return -EINVAL;
    state = spinlock_acquire(&program_lock);
    found = id == 0 || task_find((uint32_t)id);
    spinlock_release(&program_lock, state);
    return found ? 0 : -ESRCH;
}

/* The policy of the process that thread ID is in, which becomes *POLICY unless NULL: -ESRCH. */
static long priority_policy(int32_t id, const int32_t *policy)
{
    uintptr_t state = spinlock_acquire(&program_lock);
    struct task *task = id == 0 ? task_current() : task_find((uint32_t)id);
    const struct program *self = task_current()->program;
    long result = -ESRCH;

    if (task && policy && !program_is_root(self) && self->euid != task->program->uid &&
        self->euid != task->program->euid) {
        result = -EPERM;
    } else if (task) {
        result = task->program->policy;
        if (policy)
            task->program->policy = *policy;
    }
    spinlock_release(&program_lock, state);
    return result;
}

CALL(sched_getscheduler)
{
    return ARG_INT(0) < 0 ? -EINVAL : priority_policy(ARG_INT(0), NULL);
}

CALL(sched_setparam)
{
    int32_t priority;
    long error = ARG(1) == 0 ? -EINVAL : priority_check(ARG_INT(0));

    if (error != 0)
        return error;
    if (copyin(ARG_PTR(1), &priority, sizeof priority) != 0)
        return -EFAULT;
    return priority == 0 ? 0 : -EINVAL;
}

/* What a thread may run while others wait: the kernel's, for all. */
CALL(sched_rr_get_interval)
{
    long error = priority_check(ARG_INT(0));

    return error != 0 ? error : call_timespec_out(ARG_PTR(1), CLOCK_TICK_NS);
}

CALL(sched_getparam)
{
    int32_t priority = 0;
    long error = ARG(1) == 0 ? -EINVAL : priority_check(ARG_INT(0));

    return error != 0 ? error : copyout(&priority, ARG_PTR(1), sizeof priority);
}

CALL(sched_setscheduler)
{
    int policy = ARG_INT(1);
    int32_t priority;
    long error = ARG(2) == 0 ? -EINVAL : priority_check(ARG_INT(0));

    if (error != 0)
        return error;
    if (copyin(ARG_PTR(2), &priority, sizeof priority) != 0)
        return -EFAULT;
    if (policy == 1 || policy == 2)
        return priority < 1 || priority > 99 ? -EINVAL : -EPERM; /* real time: not there */
    if (policy != SCHED_OTHER && policy != SCHED_BATCH && policy != SCHED_IDLE)
        return -EINVAL;
    if (priority != 0)
        return -EINVAL;
    error = priority_policy(ARG_INT(0), &policy);
    return error < 0 ? error : 0;
}

CALL(sched_get_priority_max)
{
    int policy = ARG_INT(0);

    return policy == 1 || policy == 2                  ? 99
           : policy == 0 || policy == 3 || policy == 5 ? 0
                                                       : -EINVAL;
}

CALL(sched_get_priority_min)
{
    int policy = ARG_INT(0);

    return policy == 1 || policy == 2 ? 1 : policy == 0 || policy == 3 || policy == 5 ? 0 : -EINVAL;
}

/* Whether WHICH and WHO mean PROGRAM. Lock. */
static bool priority_means(const struct program *program, int which, uint32_t who)
{
    const struct program *self = task_current()->program;

    if (program->state != PROGRAM_ALIVE)
        return false;
    if (which == PRIO_PROCESS)
        return program->id == (who ? who : self->id);
    if (which == PRIO_PGRP)
        return program->wait_group == (who ? who : self->wait_group);
    return program->uid == (who ? who : self->uid);
}

CALL(getpriority)
{
    const struct program *program;
    long result = -ESRCH;
    uintptr_t state;

    if (ARG_INT(0) < PRIO_PROCESS || ARG_INT(0) > PRIO_USER)
        return -EINVAL;
    state = spinlock_acquire(&program_lock);
    TAILQ_FOREACH (program, &program_all, in_all)
        if (priority_means(program, ARG_INT(0), ARG_U32(1)) && 20 - program->nice > result)
            result = 20 - program->nice;
    spinlock_release(&program_lock, state);
    return result;
}

/* 0, -EPERM, -EACCES. */
static long priority_set(struct program *program, int nice)
{
    const struct program *self = task_current()->program;

    if (!program_is_root(self) && self->euid != program->uid && self->euid != program->euid)
        return -EPERM;
    if (nice < program->nice && !program_is_root(self) &&
        20 - nice > (int64_t)program->limits[13 /* RLIMIT_NICE */].now)
        return -EACCES;
    program->nice = nice;
    return 0;
}

CALL(setpriority)
{
    int nice = ARG_INT(2) < NICE_LEAST  ? NICE_LEAST
               : ARG_INT(2) > NICE_MOST ? NICE_MOST
                                        : ARG_INT(2);
    struct program *program;
    long result = -ESRCH;
    uintptr_t state;

    if (ARG_INT(0) < PRIO_PROCESS || ARG_INT(0) > PRIO_USER)
        return -EINVAL;
    state = spinlock_acquire(&program_lock);
    TAILQ_FOREACH (program, &program_all, in_all)
        if (priority_means(program, ARG_INT(0), ARG_U32(1))) {
            long error = priority_set(program, nice);

            result = error != 0 || result == -ESRCH ? error : result;
        }
    spinlock_release(&program_lock, state);
    return result;
}
