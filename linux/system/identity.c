/* SPDX-License-Identifier: BSD-2-Clause */
/* Who a program is: numbers, groups, sessions, users. See credentials(7). */
#include "linux/program/program_private.h"

#define NONE UINT32_MAX

CALL(getpid)
{
    (void)frame;
    return task_current()->program->id;
}

CALL(gettid)
{
    (void)frame;
    return task_current()->id;
}

CALL(getppid)
{
    uintptr_t state = spinlock_acquire(&program_lock);
    const struct program *parent = task_current()->program->parent;
    long id = parent ? parent->id : 0;

    (void)frame;
    spinlock_release(&program_lock, state);
    return id;
}

/* The program of that number, or (0) the caller's, also one that has ended; lock. */
static struct program *identity_find(uint32_t id)
{
    return id == 0 ? task_current()->program : program_find(id);
}

CALL(getpgid)
{
    uintptr_t state = spinlock_acquire(&program_lock);
    const struct program *program = identity_find(ARG_U32(0));
    long id = program ? (long)program->wait_group : -ESRCH;

    spinlock_release(&program_lock, state);
    return id;
}

CALL(getpgrp)
{
    (void)frame;
    return task_current()->program->wait_group;
}

CALL(getsid)
{
    uintptr_t state = spinlock_acquire(&program_lock);
    const struct program *program = identity_find(ARG_U32(0));
    long id = program ? (long)program->session : -ESRCH;

    spinlock_release(&program_lock, state);
    return id;
}

static long identity_set_group(uint32_t id, uint32_t group_id)
{
    struct program *self = task_current()->program, *program = identity_find(id);
    struct program_group *group;

    if (!program || (program != self && program->parent != self))
        return -ESRCH;
    if (program != self && program->has_executed)
        return -EACCES;
    if (program->group->session != self->group->session || program->group->session == program->id)
        return -EPERM;
    if (group_id == 0)
        group_id = program->id;
    group = program_group_find(group_id);
    if (group_id != program->id && (!group || group->session != self->group->session))
        return -EPERM;
    return program_join_group(program, group_id, self->group->session);
}

CALL(setpgid)
{
    uintptr_t state;
    long result;

    if (ARG_INT(1) < 0 || (ARG_INT(1) == 0 && ARG_INT(0) < 0))
        return -EINVAL;
    if (ARG_INT(0) < 0)
        return -ESRCH;
    state = spinlock_acquire(&program_lock);
    result = identity_set_group(ARG_U32(0), ARG_U32(1));
    spinlock_release(&program_lock, state);
    return result;
}

CALL(setsid)
{
    struct program *program = task_current()->program;
    uintptr_t state = spinlock_acquire(&program_lock);
    long result;

    (void)frame;
    if (program_group_find(program->id)) {
        result = -EPERM;
    } else {
        result = program_join_group(program, program->id, program->id);
        if (result == 0) {
            program->left_tty = false;
            result = program->id;
        }
    }
    spinlock_release(&program_lock, state);
    return result;
}

CALL(getuid)
{
    (void)frame;
    return task_current()->program->uid;
}

CALL(geteuid)
{
    (void)frame;
    return task_current()->program->euid;
}

CALL(getgid)
{
    (void)frame;
    return task_current()->program->gid;
}

CALL(getegid)
{
    (void)frame;
    return task_current()->program->egid;
}

/* Whether one who is not root may take ID: it is one of three. */
static bool identity_may(const struct program *program, uint32_t id, uint32_t a, uint32_t b,
                         uint32_t c)
{
    return program_is_root(program) || id == a || id == b || id == c;
}

CALL(setuid)
{
    struct program *p = task_current()->program;
    uint32_t id = ARG_U32(0);

    if (id == NONE)
        return -EINVAL;
    if (!identity_may(p, id, p->uid, p->suid, p->uid))
        return -EPERM;
    if (program_is_root(p))
        p->uid = p->suid = id;
    p->euid = p->fsuid = id;
    return 0;
}

CALL(setgid)
{
    struct program *p = task_current()->program;
    uint32_t id = ARG_U32(0);

    if (id == NONE)
        return -EINVAL;
    if (!identity_may(p, id, p->gid, p->sgid, p->gid))
        return -EPERM;
    if (program_is_root(p))
        p->gid = p->sgid = id;
    p->egid = p->fsgid = id;
    return 0;
}

CALL(setresuid)
{
    struct program *p = task_current()->program;
    uint32_t r = ARG_U32(0), e = ARG_U32(1), s = ARG_U32(2);

    if ((r != NONE && !identity_may(p, r, p->uid, p->euid, p->suid)) ||
        (e != NONE && !identity_may(p, e, p->uid, p->euid, p->suid)) ||
        (s != NONE && !identity_may(p, s, p->uid, p->euid, p->suid)))
        return -EPERM;
    p->uid = r != NONE ? r : p->uid;
    p->euid = e != NONE ? e : p->euid;
    p->suid = s != NONE ? s : p->suid;
    p->fsuid = p->euid;
    return 0;
}

CALL(setresgid)
{
    struct program *p = task_current()->program;
    uint32_t r = ARG_U32(0), e = ARG_U32(1), s = ARG_U32(2);

    if ((r != NONE && !identity_may(p, r, p->gid, p->egid, p->sgid)) ||
        (e != NONE && !identity_may(p, e, p->gid, p->egid, p->sgid)) ||
        (s != NONE && !identity_may(p, s, p->gid, p->egid, p->sgid)))
        return -EPERM;
    p->gid = r != NONE ? r : p->gid;
    p->egid = e != NONE ? e : p->egid;
    p->sgid = s != NONE ? s : p->sgid;
    p->fsgid = p->egid;
    return 0;
}

CALL(setreuid)
{
    struct program *p = task_current()->program;
    uint32_t r = ARG_U32(0), e = ARG_U32(1), before = p->uid;

    if ((r != NONE && !identity_may(p, r, p->uid, p->euid, p->uid)) ||
        (e != NONE && !identity_may(p, e, p->uid, p->euid, p->suid)))
        return -EPERM;
    p->uid = r != NONE ? r : p->uid;
    p->euid = e != NONE ? e : p->euid;
    if (r != NONE || (e != NONE && e != before))
        p->suid = p->euid;
    p->fsuid = p->euid;
    return 0;
}

CALL(setregid)
{
    struct program *p = task_current()->program;
    uint32_t r = ARG_U32(0), e = ARG_U32(1), before = p->gid;

    if ((r != NONE && !identity_may(p, r, p->gid, p->egid, p->gid)) ||
        (e != NONE && !identity_may(p, e, p->gid, p->egid, p->sgid)))
        return -EPERM;
    p->gid = r != NONE ? r : p->gid;
    p->egid = e != NONE ? e : p->egid;
    if (r != NONE || (e != NONE && e != before))
        p->sgid = p->egid;
    p->fsgid = p->egid;
    return 0;
}

static long identity_out(struct trap_frame *frame, uint32_t a, uint32_t b, uint32_t c)
{
    if (copyout(&a, ARG_PTR(0), sizeof a) != 0 || copyout(&b, ARG_PTR(1), sizeof b) != 0)
        return -EFAULT;
    return copyout(&c, ARG_PTR(2), sizeof c);
}

CALL(getresuid)
{
    const struct program *p = task_current()->program;

    return identity_out(frame, p->uid, p->euid, p->suid);
}

CALL(getresgid)
{
    const struct program *p = task_current()->program;

    return identity_out(frame, p->gid, p->egid, p->sgid);
}

CALL(setfsuid)
{
    struct program *p = task_current()->program;
    uint32_t old = p->fsuid, id = ARG_U32(0);

    if (id != NONE && (identity_may(p, id, p->uid, p->euid, p->suid) || id == old))
        p->fsuid = id;
    return old;
}

CALL(setfsgid)
{
    struct program *p = task_current()->program;
    uint32_t old = p->fsgid, id = ARG_U32(0);

    if (id != NONE && (identity_may(p, id, p->gid, p->egid, p->sgid) || id == old))
        p->fsgid = id;
    return old;
}

CALL(getgroups)
{
    const struct program *p = task_current()->program;

    if (ARG_INT(0) < 0 || (ARG_INT(0) > 0 && ARG_U32(0) < p->group_count))
        return -EINVAL;
    if (ARG_INT(0) > 0 && copyout(p->groups, ARG_PTR(1), p->group_count * sizeof(uint32_t)) != 0)
        return -EFAULT;
    return p->group_count;
}

CALL(setgroups)
{
    struct program *p = task_current()->program;
    uint32_t groups[PROGRAM_GROUPS_MAX];

    if (!program_is_root(p))
        return -EPERM;
    if (ARG(0) > PROGRAM_GROUPS_MAX)
        return -EINVAL;
    if (copyin(ARG_PTR(1), groups, ARG(0) * sizeof *groups) != 0)
        return -EFAULT;
    __builtin_memcpy(p->groups, groups, ARG(0) * sizeof *groups);
    p->group_count = ARG_U32(0);
    return 0;
}
