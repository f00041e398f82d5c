/* SPDX-License-Identifier: BSD-2-Clause */
/* System calls that belong nowhere else. */
#include "fs/dev.h"
#include "kernel/memory/page.h"
#include "kernel/process/process.h"
#include "kernel/time/clock.h"
#include "lib/string.h"
#include "linux/program_private.h"

#define PR_SET_PDEATHSIG    1
#define PR_GET_PDEATHSIG    2
#define PR_GET_DUMPABLE     3
#define PR_SET_DUMPABLE     4
#define PR_SET_NAME         15
#define PR_GET_NAME         16
#define PR_SET_NO_NEW_PRIVS 38
#define PR_GET_NO_NEW_PRIVS 39
#define NAME_SIZE           16u
#define RANDOM_CHUNK        256u

CALL(uname)
{
    struct abi_utsname out;

    memset(&out, 0, sizeof out);
    strlcpy(out.sysname, "Linux", sizeof out.sysname);
    strlcpy(out.nodename, "quipu", sizeof out.nodename);
    strlcpy(out.release, "6.1.0-quipu", sizeof out.release);
    strlcpy(out.version, "#1 Quipu", sizeof out.version);
    strlcpy(out.machine, ABI_MACHINE_NAME, sizeof out.machine);
    strlcpy(out.domainname, "(none)", sizeof out.domainname);
    return copyout(&out, ARG_PTR(0), sizeof out);
}

CALL(sysinfo)
{
    struct abi_sysinfo out;
    struct page_stats pages;

    memset(&out, 0, sizeof out);
    page_stats_get(&pages);
    out.uptime = (int64_t)(clock_now() / 1000000000u);
    out.totalram = pages.total;
    out.freeram = pages.free;
    out.procs = (uint16_t)program_count();
    out.unit = PAGE_SIZE;
    return copyout(&out, ARG_PTR(0), sizeof out);
}

CALL(getrandom)
{
    uint8_t bytes[RANDOM_CHUNK];
    uint64_t left = ARG(1) > INT32_MAX ? INT32_MAX : ARG(1), done = 0;

    if (ARG_U32(2) & ~7u)
        return -EINVAL;
    while (left > 0 && (done == 0 || !thread_interrupted())) {
        uint64_t size = left < RANDOM_CHUNK ? left : RANDOM_CHUNK;

        random_bytes(bytes, size);
        if (copyout(bytes, (char *)ARG_PTR(0) + done, size) != 0)
            return done > 0 ? (long)done : -EFAULT;
        done += size;
        left -= size;
    }
    return (long)done;
}

CALL(personality)
{
    struct program *program = task_current()->program;
    uint32_t old = program->personality;

    if (ARG_U32(0) != UINT32_MAX)
        program->personality = ARG_U32(0);
    return old;
}

static long misc_set_name(const void *user)
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

CALL(prctl)
{
    struct program *program = task_current()->program;
    char name[NAME_SIZE];

    switch (ARG_INT(0)) {
    case PR_SET_NAME:
        return misc_set_name(ARG_PTR(1));
    case PR_GET_NAME:
        memset(name, 0, sizeof name);
        strlcpy(name, thread_current()->name, sizeof name);
        return copyout(name, ARG_PTR(1), sizeof name);
    case PR_GET_DUMPABLE:
        return program->dumpable;
    case PR_SET_DUMPABLE:
        if (ARG(1) > 1)
            return -EINVAL;
        program->dumpable = ARG_U32(1);
        return 0;
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
        return ARG(1) || ARG(2) || ARG(3) || ARG(4) ? -EINVAL : program->no_new_privileges;
    default:
        return -EINVAL;
    }
}

/* Nobody has the privileges to do more. */
CALL(sethostname)
{
    (void)frame;
    return -EPERM;
}
