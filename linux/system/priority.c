/* SPDX-License-Identifier: BSD-2-Clause */
/* Policies and priorities: one policy for all; what is asked for is kept and told, no more. */
#include "kernel/time/clock.h"
#include "lib/errno.h"
#include "lib/string.h"
#include "linux/program/program_private.h"

#define SCHED_OTHER  0
#define SCHED_FIFO   1
#define SCHED_RR     2
#define SCHED_BATCH  3
#define SCHED_IDLE   5
#define PRIO_PROCESS 0
#define PRIO_PGRP    1
#define PRIO_USER    2
#define NICE_LEAST   (-20)
#define NICE_MOST    19
#define REAL_MOST    99u

/* The program that thread ID is in, which may have ended; 0: the caller's. Lock. */
static struct program *priority_find(int32_t id)
{
    struct task *task = id == 0 ? task_current() : task_find((uint32_t)id);

    return task ? task->program : program_find((uint32_t)id);
}

/* 0, -EINVAL, -ESRCH. */
static long priority_check(int32_t id)
{
    uintptr_t state;
    bool found;

    if (id < 0)
        return -EINVAL;
    state = spinlock_acquire(&program_lock);
    found = priority_find(id);
    spinlock_release(&program_lock, state);
    return found ? 0 : -ESRCH;
}

/* What a thread's process is to be scheduled by. */
struct priority {
    int32_t policy;
    uint32_t number; /* SCHED_FIFO's and SCHED_RR's: 1 to 99 */
};

static bool priority_is_real(int32_t policy)
{
    return policy == SCHED_FIFO || policy == SCHED_RR;
}

static bool priority_is_valid(struct priority wanted)
{
    if (priority_is_real(wanted.policy))
        return wanted.number >= 1 && wanted.number <= REAL_MOST;
    return wanted.number == 0 && (wanted.policy == SCHED_OTHER || wanted.policy == SCHED_BATCH ||
                                  wanted.policy == SCHED_IDLE);
}

/* Real time is root's, or up to a limit. */
static bool priority_may(const struct program *program, struct priority wanted)
{
    const struct program *self = task_current()->program;

    if (program_is_root(self))
        return true;
    if (self->euid != program->uid && self->euid != program->euid)
        return false;
    return !priority_is_real(wanted.policy) || wanted.number <= program->limits[RLIMIT_RTPRIO].now;
}

/* What the process that thread ID is in has: -EINVAL, -ESRCH. */
static long priority_get(int32_t id, struct priority *out, int32_t *nice)
{
    const struct program *program;
    uintptr_t state;

    if (id < 0)
        return -EINVAL;
    state = spinlock_acquire(&program_lock);
    program = priority_find(id);
    if (program) {
        *out = (struct priority){program->policy, program->priority};
        *nice = program->nice;
    }
    spinlock_release(&program_lock, state);
    return program ? 0 : -ESRCH;
}

/* WANTED.policy of -1: as it is. -EINVAL, -ESRCH, -EPERM. */
static long priority_change(int32_t id, struct priority wanted)
{
    struct program *program;
    uintptr_t state;
    long result = 0;

    if (id < 0)
        return -EINVAL;
    state = spinlock_acquire(&program_lock);
    program = priority_find(id);
    if (program && wanted.policy == -1)
        wanted.policy = program->policy;
    if (!program)
        result = -ESRCH;
    else if (!priority_is_valid(wanted))
        result = -EINVAL;
    else if (!priority_may(program, wanted))
        result = -EPERM;
    if (result == 0) {
        program->policy = wanted.policy;
        program->priority = wanted.number;
    }
    spinlock_release(&program_lock, state);
    return result;
}

CALL(sched_getscheduler)
{
    struct priority has;
    int32_t nice;
    long error = priority_get(ARG_INT(0), &has, &nice);

    return error != 0 ? error : has.policy;
}

static long priority_call(struct trap_frame *frame, int32_t policy, const void *user)
{
    struct priority wanted = {.policy = policy};

    if (!user || ARG_INT(0) < 0)
        return -EINVAL;
    if (copyin(user, &wanted.number, sizeof wanted.number) != 0)
        return -EFAULT;
    return priority_change(ARG_INT(0), wanted);
}

CALL(sched_setparam)
{
    return priority_call(frame, -1, ARG_PTR(1));
}

CALL(sched_setscheduler)
{
    return ARG_INT(1) < 0 ? -EINVAL : priority_call(frame, ARG_INT(1), ARG_PTR(2));
}

/* What a thread may run while others wait: the kernel's, for all. */
CALL(sched_rr_get_interval)
{
    long error = priority_check(ARG_INT(0));

    return error != 0 ? error : call_timespec_out(ARG_PTR(1), CLOCK_TICK_NS);
}

CALL(sched_getparam)
{
    struct priority has;
    int32_t nice;
    long error = ARG(1) == 0 ? -EINVAL : priority_get(ARG_INT(0), &has, &nice);

    return error != 0 ? error : copyout(&has.number, ARG_PTR(1), sizeof has.number);
}

/* sched_setattr(2); of version 1, which has the two about frequencies. */
struct priority_attributes {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
    uint32_t least, most;
};
#define ATTRIBUTES_FIRST 48u /* the size of version 0 */

CALL(sched_getattr)
{
    struct priority_attributes out;
    struct priority has;
    uint32_t size = ARG_U32(2);
    int32_t nice;
    long error;

    if (ARG(1) == 0 || size < ATTRIBUTES_FIRST || size > 4096 || ARG_U32(3) != 0)
        return -EINVAL;
    error = priority_get(ARG_INT(0), &has, &nice);
    if (error != 0)
        return error;
    memset(&out, 0, sizeof out);
    out.size = size < sizeof out ? size : sizeof out;
    out.policy = (uint32_t)has.policy;
    out.nice = priority_is_real(has.policy) ? 0 : nice;
    out.priority = has.number;
    return copyout(&out, ARG_PTR(1), out.size);
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

/* The fields that this policy has; the rest is not looked at, as on Linux. */
static long priority_set_attributes(int32_t id, const struct priority_attributes *in)
{
    struct priority wanted = {.policy = (int32_t)in->policy, .number = in->priority};
    struct program *program;
    uintptr_t state;
    long result;

    if (in->policy > SCHED_IDLE || in->nice < NICE_LEAST || in->nice > NICE_MOST)
        return -EINVAL;
    result = priority_change(id, wanted);
    if (result != 0 || priority_is_real(wanted.policy))
        return result;
    state = spinlock_acquire(&program_lock);
    program = priority_find(id);
    result = program ? priority_set(program, in->nice) : -ESRCH;
    spinlock_release(&program_lock, state);
    return result == -EACCES ? -EPERM : result;
}

CALL(sched_setattr)
{
    struct priority_attributes in;
    uint32_t size;

    if (ARG(1) == 0 || ARG_INT(0) < 0 || ARG_U32(2) != 0)
        return -EINVAL;
    if (copyin(ARG_PTR(1), &size, sizeof size) != 0)
        return -EFAULT;
    if (size == 0)
        size = ATTRIBUTES_FIRST;
    if (size < ATTRIBUTES_FIRST || size > 4096) {
        size = sizeof in;
        return copyout(&size, ARG_PTR(1), sizeof size) != 0 ? -EFAULT : -E2BIG;
    }
    memset(&in, 0, sizeof in);
    if (copyin(ARG_PTR(1), &in, size < sizeof in ? size : sizeof in) != 0)
        return -EFAULT;
    return in.flags != 0 ? -EINVAL : priority_set_attributes(ARG_INT(0), &in);
}
