/* SPDX-License-Identifier: BSD-2-Clause */
/* prctl(2): what a program sets about itself. */
#include "kernel/process/process.h"
#include "lib/string.h"
#include "linux/program/program_private.h"

#define PR_SET_PDEATHSIG    1
#define PR_GET_PDEATHSIG    2
#define PR_GET_DUMPABLE     3
#define PR_SET_DUMPABLE     4
#define PR_GET_KEEPCAPS     7
#define PR_SET_KEEPCAPS     8
#define PR_GET_TIMING       13
#define PR_SET_TIMING       14
#define PR_SET_NAME         15
#define PR_GET_NAME         16
#define PR_GET_SECCOMP      21
#define PR_CAPBSET_READ     23
#define PR_GET_SECUREBITS   27
#define PR_SET_TIMERSLACK   29
#define PR_GET_TIMERSLACK   30
#define PR_SET_NO_NEW_PRIVS 38
#define PR_GET_NO_NEW_PRIVS 39
#define PR_GET_THP_DISABLE  42
#define NAME_SIZE           16u
#define CAPABILITY_LAST     40 /* CAP_CHECKPOINT_RESTORE: linux/capability.h */

static long prctl_set_name(const void *user)
{
    struct thread *self = thread_current();
    struct task *task = task_current();
    char name[NAME_SIZE];
    int error = copyinstr(user, name, sizeof name, NULL);

    if (error == -EFAULT)
        return error;
    name[NAME_SIZE - 1] = '\0';
    strlcpy(self->name, name, sizeof self->name);
    if (task->id == task->program->id)
        strlcpy(task->program->process->name, name, sizeof task->program->process->name);
    return 0;
}

static long prctl_get_name(void *user)
{
    char name[NAME_SIZE];

    memset(name, 0, sizeof name);
    strlcpy(name, thread_current()->name, sizeof name);
    return copyout(name, user, sizeof name);
}

static long prctl_set_flag(uint32_t *flag, uint64_t value)
{
    if (value > 1)
        return -EINVAL;
    *flag = (uint32_t)value;
    return 0;
}

/* Calls of which all further arguments must be 0. */
static bool prctl_is_plain(const struct trap_frame *frame)
{
    return !ARG(1) && !ARG(2) && !ARG(3) && !ARG(4);
}

/* What is kept, and told, without a meaning here. */
static long prctl_kept(const struct trap_frame *frame, struct program *program)
{
    switch (ARG_INT(0)) {
    case PR_GET_KEEPCAPS:
        return program->keep_capabilities;
    case PR_SET_KEEPCAPS:
        return prctl_set_flag(&program->keep_capabilities, ARG(1));
    case PR_GET_TIMERSLACK:
        return (long)program->timer_slack;
    case PR_SET_TIMERSLACK:
        program->timer_slack = (int64_t)ARG(1) > 0 ? ARG(1) : PROGRAM_TIMER_SLACK;
        return 0;
    case PR_GET_TIMING:
    case PR_GET_SECCOMP:
    case PR_GET_SECUREBITS:
        return 0;
    case PR_SET_TIMING:
        return ARG(1) == 0 ? 0 : -EINVAL;
    case PR_CAPBSET_READ:
        return ARG(1) <= CAPABILITY_LAST ? 1 : -EINVAL;
    case PR_GET_THP_DISABLE:
        return prctl_is_plain(frame) ? 0 : -EINVAL;
    default:
        return -EINVAL;
    }
}

CALL(prctl)
{
    struct program *program = task_current()->program;

    switch (ARG_INT(0)) {
    case PR_SET_NAME:
        return prctl_set_name(ARG_PTR(1));
    case PR_GET_NAME:
        return prctl_get_name(ARG_PTR(1));
    case PR_GET_DUMPABLE:
        return program->dumpable;
    case PR_SET_DUMPABLE:
        return prctl_set_flag(&program->dumpable, ARG(1));
    case PR_SET_PDEATHSIG:
        if (ARG(1) > ABI_SIGNALS)
            return -EINVAL;
        program->death_signal = ARG_U32(1);
        return 0;
    case PR_GET_PDEATHSIG:
        return copyout(&program->death_signal, ARG_PTR(1), sizeof program->death_signal);
    case PR_SET_NO_NEW_PRIVS:
        if (ARG(1) != 1 || ARG(2) || ARG(3) || ARG(4))
            return -EINVAL;
        program->no_new_privileges = true;
        return 0;
    case PR_GET_NO_NEW_PRIVS:
        return prctl_is_plain(frame) ? program->no_new_privileges : -EINVAL;
    default:
        return prctl_kept(frame, program);
    }
}
