/* SPDX-License-Identifier: BSD-2-Clause */
/* Processes and threads are born: fork, vfork, clone. */
#include <arch/user.h>
#include "fs/file/file_table.h"
#include "kernel/memory/kmem.h"
#include "kernel/process/process.h"
#include "kernel/process/process_count.h"
#include "kernel/thread/user.h"
#include "kernel/vm/vm.h"
#include "lib/string.h"
#include "linux/file/pidfd.h"
#include "linux/program/machine.h"
#include "linux/program/program_part.h"
#include "linux/program/program_private.h"

#define TASK_ID_FIRST 32768u /* threads other than first ones: above all processes */
#define TASK_ID_LAST  0x3fffffffu

struct clone {
    uint64_t flags, stack, tls, parent_tid, child_tid, pidfd; /* pidfd: where its number goes */
    uint32_t exit_signal;
};

void task_begin(void *argument)
{
    struct task_start start = *(struct task_start *)argument;
    struct trap_frame frame = *start.frame;
    uint32_t id = start.task->id;
    uintptr_t state;

    kmem_free(start.frame);
    kmem_free(argument);
    thread_user_adopt(&start.task->owner, start.state);
    state = spinlock_acquire(&program_lock);
    task_set_thread(start.task);
    if (signal_deliverable(start.task))
        thread_interrupt(thread_current());
    spinlock_release(&program_lock, state);
    if (start.task->affinity)
        (void)thread_set_affinity(thread_current(), start.task->affinity);
    PROGRAM_PARTS_TELL(begin, start.task);
    if (start.child_tid)
        (void)copyout(&id, (void *)start.child_tid, sizeof id);
    if (task_is_ending(start.task) || start.task->program->stopped)
        signal_deliver(&frame, 0);
    user_start(&frame);
}

static uint32_t task_next_id(void)
{
    static uint32_t last = TASK_ID_FIRST - 1;

    do
        last = last < TASK_ID_LAST ? last + 1 : TASK_ID_FIRST;
    while (task_find(last));
    return last;
}

/* The child's registers: the parent's, with 0 as the call's result. NULL: no memory. */
static struct task_start *task_clone_start(const struct trap_frame *frame,
                                           const struct clone *clone, struct task *task)
{
    struct task_start *start = kmem_zalloc(sizeof *start);
    struct trap_frame *own = kmem_alloc(sizeof *own);
    struct user_state *state = user_state_create();

    if (!start || !own || !state) {
        kmem_free(start);
        kmem_free(own);
        if (state)
            user_state_free(state);
        return NULL;
    }
    *own = *frame;
    call_set_result(own, 0);
    clone_frame(own, clone->stack);
    user_state_copy(state, thread_user_state());
    if (clone->flags & CLONE_SETTLS)
        user_state_set_tls(state, clone->tls);
    start->task = task;
    start->frame = own;
    start->state = state;
    if (clone->flags & CLONE_CHILD_SETTID)
        start->child_tid = clone->child_tid;
    return start;
}

static void task_clone_start_free(struct task_start *start)
{
    if (start) {
        user_state_free(start->state);
        kmem_free(start->frame);
        kmem_free(start);
    }
}

/* A new task takes over from its creator what a thread has for itself. */
static struct task *task_clone_task(struct program *program, const struct clone *clone)
{
    struct task *self = task_current(), *task = task_create(program);

    if (!task)
        return NULL;
    task->blocked = self->blocked;
    task->aligned = self->aligned;
    if (!(clone->flags & CLONE_VM) || clone->flags & CLONE_VFORK)
        task->alternate = self->alternate;
    if (clone->flags & CLONE_CHILD_CLEARTID)
        task->clear_tid = clone->child_tid;
    PROGRAM_PARTS_TELL(fork, self, task);
    return task;
}

static void task_clone_tell(const struct clone *clone, uint32_t id)
{
    if (clone->flags & CLONE_PARENT_SETTID)
        (void)copyout(&id, (void *)clone->parent_tid, sizeof id);
}

static long task_clone_thread(struct trap_frame *frame, const struct clone *clone)
{
    struct program *program = task_current()->program;
    struct task *task = task_clone_task(program, clone);
    struct task_start *start = task ? task_clone_start(frame, clone, task) : NULL;
    uintptr_t state;
    uint32_t id;
    int error;

    if (!start) {
        task_free(task);
        return -ENOMEM;
    }
    state = spinlock_acquire(&program_lock);
    id = task_next_id();
    task_enter(task, id);
    spinlock_release(&program_lock, state);
    task_clone_tell(clone, id);
    error = process_thread_create(program->process, program->process->name,
                                  thread_current()->priority, task_begin, start);
    if (error == 0)
        return id;
    state = spinlock_acquire(&program_lock);
    task_remove(task);
    spinlock_release(&program_lock, state);
    task_free(task);
    task_clone_start_free(start);
    return error == -ESRCH ? -RESTART_CALL : -EAGAIN;
}

/* Whether the user has as many processes as RLIMIT_NPROC lets it. */
static bool task_clone_is_limited(const struct program *self)
{
    uint64_t limit = self->limits[RLIMIT_NPROC].now, count = 0;
    const struct program *program;
    uintptr_t state;

    state = spinlock_acquire(&program_lock);
    if (program_count() >= limit)
        TAILQ_FOREACH (program, &program_all, in_all)
            count += program->uid == self->uid;
    spinlock_release(&program_lock, state);
    return count >= limit && limit != RLIM_INFINITY;
}

static int task_clone_memory(struct process *process, const struct clone *clone)
{
    struct vm *vm = vm_current();
    int error;

    if (clone->flags & CLONE_VM) {
        vm_hold(vm);
    } else {
        vm_copies_begin();
        error = vm_copy(vm, &vm);
        if (error == 0)
            vm_attach(process, vm);
        vm_copies_end();
        return error;
    }
    vm_attach(process, vm);
    return 0;
}

/* Until CHILD executes a program or ends; the caller's own end ends it too, other signals wait. */
static void task_clone_wait(struct program_vfork *vfork, struct task *child)
{
    uintptr_t state = spinlock_acquire(&program_lock);
    bool signals = false;

    while (!vfork->done && !task_is_ending(task_current()))
        if (wait_interruptible(&vfork->waiters, &program_lock, &state, WAIT_FOREVER) == -EINTR)
            signals |= thread_interruption_take();
    if (!vfork->done)
        child->vfork = NULL;
    if (signals)
        thread_interrupt(thread_current());
    spinlock_release(&program_lock, state);
}

/* Everything but the thread: *PROCESS and TASK's program, in the tree. */
static int task_clone_program(const struct clone *clone, struct program *program, struct task *task,
                              struct process **process)
{
    struct task *self = task_current();
    struct program *parent = clone->flags & CLONE_PARENT && self->program->parent
                                 ? self->program->parent
                                 : self->program;
    uintptr_t state;
    int error = process_create(self->program->process->name, process);

    if (error != 0)
        return error;
    error = task_clone_memory(*process, clone);
    if (error == 0)
        error = program_enter(program, *process, parent);
    if (error != 0) {
        process_discard(*process);
        return error;
    }
    program->exit_signal =
        clone->flags & CLONE_PARENT ? self->program->exit_signal : clone->exit_signal;
    state = spinlock_acquire(&program_lock);
    task_enter(task, program->id);
    spinlock_release(&program_lock, state);
    return 0;
}

/* The last step failed. */
static void task_clone_undo(struct program *program, struct task *task, struct process *process)
{
    uintptr_t state = spinlock_acquire(&program_lock);

    task_remove(task);
    if (program->parent)
        TAILQ_REMOVE(&program->parent->children, program, sibling);
    program_remove(program);
    spinlock_release(&program_lock, state);
    process_discard(process);
}

/* CLONE_PIDFD: the number of a file of the new process, where it is to go; it is closed again if
 * that fails. */
static int task_clone_pidfd(const struct clone *clone, uint32_t id, int32_t *number)
{
    struct program *self = task_current()->program;
    struct file *file;
    int error;

    *number = -1;
    if (!(clone->flags & CLONE_PIDFD))
        return 0;
    error = pidfd_create(id, 0, &file);
    if (error != 0)
        return error;
    *number = (int32_t)call_file_add(file, 0, true);
    if (*number < 0)
        return *number;
    error = copyout(number, (void *)clone->pidfd, sizeof *number);
    if (error != 0)
        file_table_close(self->files, *number);
    return error;
}

static void task_clone_count(const struct clone *clone)
{
    evcnt_incr(&process_event[PROCESS_FORKS]);
    if (clone->flags & CLONE_VFORK)
        evcnt_incr(&process_event[PROCESS_FORKS_PPWAIT]);
    if (clone->flags & CLONE_VM)
        evcnt_incr(&process_event[PROCESS_FORKS_SHARED]);
}

static long task_clone_process(struct trap_frame *frame, const struct clone *clone)
{
    struct program *self = task_current()->program;
    struct program_vfork vfork = {.done = false};
    struct process *process;
    struct program *program;
    struct task_start *start;
    struct task *task;
    int32_t pidfd = -1;
    uint32_t id;
    int error;

    if (task_clone_is_limited(self))
        return -EAGAIN;
    program = program_create(self, clone->flags & CLONE_FILES, clone->flags & CLONE_FS);
    task = program ? task_clone_task(program, clone) : NULL;
    start = task ? task_clone_start(frame, clone, task) : NULL;
    error = start ? task_clone_program(clone, program, task, &process) : -ENOMEM;
    if (error == 0) {
        id = program->id;
        task_clone_tell(clone, id);
        if (clone->flags & CLONE_VFORK) {
            wait_queue_init(&vfork.waiters);
            task->vfork = &vfork;
        }
        error = task_clone_pidfd(clone, id, &pidfd);
        if (error == 0)
            error = process_thread_create(process, process->name, thread_current()->priority,
                                          task_begin, start);
        if (error != 0) {
            task_clone_undo(program, task, process);
            if (pidfd >= 0)
                file_table_close(self->files, pidfd);
        }
    }
    if (error != 0) {
        task_clone_start_free(start);
        task_free(task);
        if (program)
            program_discard(program);
        return error == -ENOMEM || error == -EMFILE || error == -EFAULT ? error : -EAGAIN;
    }
    process_release(process);
    task_clone_count(clone);
    if (clone->flags & CLONE_VFORK)
        task_clone_wait(&vfork, task);
    return id;
}

/* What there is of clone(2). */
static long task_clone_run(struct trap_frame *frame, const struct clone *clone)
{
    uint64_t flags = clone->flags;

    if ((flags & CLONE_SIGHAND && !(flags & CLONE_VM)) ||
        (flags & CLONE_THREAD && !(flags & CLONE_SIGHAND)) || flags & CLONE_NEW)
        return -EINVAL;
    if (flags & CLONE_PIDFD && flags & (CLONE_THREAD | CLONE_DETACHED))
        return -EINVAL;
    if (flags & CLONE_THREAD)
        return flags & CLONE_FILES ? task_clone_thread(frame, clone) : -EINVAL;
    return task_clone_process(frame, clone);
}

CALL(clone)
{
    struct clone clone = {.flags = ARG(0) & ~255ull & UINT32_MAX,
                          .exit_signal = ARG_U32(0) & 255u,
                          .stack = ARG(1),
                          .parent_tid = ARG(2),
                          .child_tid = ABI_CALL_NUMBER(ARG(3), ARG(4)),
                          .tls = ABI_CALL_NUMBER(ARG(4), ARG(3))};

    clone.pidfd = clone.parent_tid;
    if ((clone.flags & CLONE_PIDFD) && (clone.flags & CLONE_PARENT_SETTID))
        return -EINVAL;
    return task_clone_run(frame, &clone);
}

CALL(clone3)
{
    struct abi_clone in = {0};
    struct clone clone;

    if (ARG(1) < 64)
        return -EINVAL;
    if (copyin(ARG_PTR(0), &in, ARG(1) < sizeof in ? ARG(1) : sizeof in) != 0)
        return -EFAULT;
    if (in.set_tid_size != 0 || in.flags >> 33 != 0 || in.exit_signal > ABI_SIGNALS)
        return -EINVAL;
    if ((in.stack == 0) != (in.stack_size == 0))
        return -EINVAL;
    clone = (struct clone){.flags = in.flags,
                           .exit_signal = (uint32_t)in.exit_signal,
                           .stack = in.stack ? in.stack + in.stack_size : 0,
                           .parent_tid = in.parent_tid,
                           .child_tid = in.child_tid,
                           .pidfd = in.pidfd,
                           .tls = in.tls};
    return task_clone_run(frame, &clone);
}

CALL(fork)
{
    return task_clone_run(frame, &(struct clone){.exit_signal = SIGCHLD});
}

CALL(vfork)
{
    return task_clone_run(frame,
                          &(struct clone){.flags = CLONE_VM | CLONE_VFORK, .exit_signal = SIGCHLD});
}
