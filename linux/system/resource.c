/* SPDX-License-Identifier: BSD-2-Clause */
/* What a program uses and may use; waiting for children. */
#include "fs/file/file.h"
#include "kernel/cpu/cpu.h"
#include "kernel/process/process.h"
#include "kernel/time/clock.h"
#include "kernel/vm/vm.h"
#include "lib/string.h"
#include "linux/file/pidfd.h"
#include "linux/program/program_private.h"
#include "linux/time/timer.h"

#define RUSAGE_SELF     0
#define RUSAGE_CHILDREN (-1)
#define RUSAGE_THREAD   1

static void resource_usage(const struct program_usage *from, struct abi_rusage *out)
{
    memset(out, 0, sizeof *out);
    out->user = call_timeval(program_user_ns(from));
    out->system = call_timeval(program_system_ns(from));
    out->maxrss = (int64_t)from->most_resident * 4;
    out->minflt = (int64_t)from->minor;
    out->majflt = (int64_t)from->major;
    out->nvcsw = (int64_t)from->voluntary;
    out->nivcsw = (int64_t)from->involuntary;
}

CALL(getrusage)
{
    struct program *program = task_current()->program;
    struct program_usage usage = {0};
    struct abi_rusage out;
    uintptr_t state;

    if (ARG_INT(0) < RUSAGE_CHILDREN || ARG_INT(0) > RUSAGE_THREAD)
        return -EINVAL;
    state = spinlock_acquire(&program_lock);
    if (ARG_INT(0) == RUSAGE_CHILDREN)
        usage = program->children_usage;
    else if (ARG_INT(0) == RUSAGE_SELF)
        program_usage(program, &usage);
    else
        program_usage_of_task(task_current(), &usage);
    spinlock_release(&program_lock, state);
    if (ARG_INT(0) != RUSAGE_CHILDREN) {
        usage.most_resident = vm_resident_most(vm_current());
        program_usage_faults(program, &usage);
    }
    resource_usage(&usage, &out);
    return copyout(&out, ARG_PTR(1), sizeof out);
}

/* The program's memory heeds three of them. */
static void resource_apply(struct program *program, unsigned which)
{
    struct vm *vm = vm_current();

    if (program == task_current()->program && vm)
        vm->limits =
            (struct vm_limits){program->limits[RLIMIT_AS].now, program->limits[RLIMIT_DATA].now,
                               program->limits[RLIMIT_STACK].now};
    if (which == RLIMIT_CPU && program == task_current()->program)
        timers_watch_cpu(program);
}

/* NEW and OLD may be NULL. */
static long resource_limit(uint32_t id, unsigned which, const struct abi_rlimit *new,
                           struct abi_rlimit *old)
{
    struct program *self = task_current()->program, *program;
    uintptr_t state;
    long result = 0;

    if (which >= RLIMITS || (new && new->now > new->max))
        return -EINVAL;
    state = spinlock_acquire(&program_lock);
    program = id == 0 ? self : program_find(id);
    if (!program)
        result = -ESRCH;
    else if (program != self && !program_is_root(self) && self->uid != program->uid)
        result = -EPERM;
    else if (new && new->max > program->limits[which].max && !program_is_root(self))
        result = -EPERM;
    if (result == 0) {
        *old = program->limits[which];
        if (new)
            program->limits[which] = *new;
    }
    spinlock_release(&program_lock, state);
    if (result == 0 && new && program == self)
        resource_apply(program, which);
    return result;
}

static long resource_limit_call(uint32_t id, unsigned which, uint64_t new_at, uint64_t old_at)
{
    struct abi_rlimit new, old;
    long result;

    if (new_at && copyin((const void *)new_at, &new, sizeof new) != 0)
        return -EFAULT;
    result = resource_limit(id, which, new_at ? &new : NULL, &old);
    return result == 0 && old_at ? copyout(&old, (void *)old_at, sizeof old) : result;
}

CALL(prlimit64)
{
    return resource_limit_call(ARG_U32(0), ARG_U32(1), ARG(2), ARG(3));
}

CALL(getrlimit)
{
    return ARG(1) == 0 ? -EFAULT : resource_limit_call(0, ARG_U32(0), 0, ARG(1));
}

CALL(setrlimit)
{
    return ARG(1) == 0 ? -EFAULT : resource_limit_call(0, ARG_U32(0), ARG(1), 0);
}

CALL(wait4)
{
    struct program_usage usage;
    struct abi_rusage out;
    int status;
    long result;

    if (ARG_U32(2) & ~(WNOHANG | WUNTRACED | WCONTINUED | 0xe0000000u))
        return -EINVAL;
    if (ARG_INT(0) == INT32_MIN)
        return -ESRCH;
    result = program_wait(task_current()->program, ARG_INT(0), ARG_U32(2) | WEXITED, &status, NULL,
                          &usage);
    if (result <= 0)
        return result;
    if (ARG(1) != 0 && copyout(&status, ARG_PTR(1), sizeof status) != 0)
        return -EFAULT;
    resource_usage(&usage, &out);
    return ARG(3) != 0 && copyout(&out, ARG_PTR(3), sizeof out) != 0 ? -EFAULT : result;
}

/* P_PIDFD: the child that DESCRIPTOR is of. */
static int64_t resource_pidfd(int descriptor)
{
    struct file *file = call_file(descriptor);
    uint32_t id;

    if (!file)
        return -EBADF;
    id = pidfd_id(file);
    file_release(file);
    return id == 0 ? -EBADF : (int64_t)id;
}

CALL(waitid)
{
    struct abi_siginfo info;
    struct program_usage usage;
    struct abi_rusage out;
    uint32_t options = ARG_U32(3);
    int64_t who = ARG_INT(0) == P_ALL   ? -1
                  : ARG_INT(0) == P_PID ? ARG_INT(1)
                                        : -(int64_t)ARG_INT(1);
    long result;

    if (options & ~(WNOHANG | WUNTRACED | WEXITED | WCONTINUED | WNOWAIT | 0xe0000000u) ||
        !(options & (WUNTRACED | WEXITED | WCONTINUED)) || ARG_INT(0) < P_ALL ||
        ARG_INT(0) > P_PIDFD || (ARG_INT(0) == P_PID && ARG_INT(1) <= 0) || ARG_INT(1) < 0)
        return -EINVAL;
    if (ARG_INT(0) == P_PIDFD) {
        who = resource_pidfd(ARG_INT(1));
        if (who < 0)
            return who;
    }
    memset(&info, 0, sizeof info);
    memset(&usage, 0, sizeof usage);
    result = program_wait(task_current()->program, who, options, NULL, &info, &usage);
    if (result < 0)
        return result;
    if (result > 0)
        info.head.signo = SIGCHLD;
    resource_usage(&usage, &out);
    if (ARG(2) != 0 && copyout(&info, ARG_PTR(2), sizeof info) != 0)
        return -EFAULT;
    return ARG(4) != 0 ? copyout(&out, ARG_PTR(4), sizeof out) : 0;
}

CALL(sched_yield)
{
    (void)frame;
    thread_yield();
    return 0;
}

/* The CPUs that a thread may be on; 0: there is none of that number. Lock. */
static uint64_t resource_affinity_of(uint32_t id)
{
    const struct task *task = id == 0 ? task_current() : task_find(id);
    uint64_t all = (1ull << cpu_count()) - 1;

    if (!task)
        return 0;
    return (task->thread ? task->thread->affinity : task->affinity ? task->affinity : all) & all;
}

CALL(sched_getaffinity)
{
    uint64_t set;
    uintptr_t state;

    if (ARG(1) < sizeof set || ARG(1) % sizeof set != 0)
        return -EINVAL;
    state = spinlock_acquire(&program_lock);
    set = resource_affinity_of(ARG_U32(0));
    spinlock_release(&program_lock, state);
    if (set == 0)
        return -ESRCH;
    return copyout(&set, ARG_PTR(2), sizeof set) != 0 ? -EFAULT : (long)sizeof set;
}

static long resource_affinity(uint32_t id, uint32_t set)
{
    const struct program *self = task_current()->program;
    struct task *task;
    uintptr_t state;
    long result = -ESRCH;

    if (id == 0 || id == task_current()->id)
        return thread_set_affinity(thread_current(), set);
    state = spinlock_acquire(&program_lock);
    task = task_find(id);
    if (task) {
        bool may = program_is_root(self) || self->euid == task->program->uid ||
                   self->euid == task->program->euid;

        result = !may                                ? -EPERM
                 : task->thread                      ? thread_ask_affinity(task->thread, set)
                 : set & ((1ull << cpu_count()) - 1) ? 0
                                                     : -EINVAL;
        if (result == 0)
            task->affinity = set;
    }
    spinlock_release(&program_lock, state);
    return result;
}

CALL(sched_setaffinity)
{
    uint64_t set = 0;

    if (copyin(ARG_PTR(2), &set, ARG(1) < sizeof set ? ARG(1) : sizeof set) != 0)
        return -EFAULT;
    return resource_affinity(ARG_U32(0), (uint32_t)set);
}

CALL(getcpu)
{
    uint32_t cpu = thread_cpu(), node = 0;

    if (ARG(0) != 0 && copyout(&cpu, ARG_PTR(0), sizeof cpu) != 0)
        return -EFAULT;
    return ARG(1) != 0 ? copyout(&node, ARG_PTR(1), sizeof node) : 0;
}
