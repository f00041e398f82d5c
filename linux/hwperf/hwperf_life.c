/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Event counters over the lives of programs. A program has a block once it, or another for it, has
 * asked for counters; a task a member while it is to count. Both are under hwperf_lock. A task that
 * ends comes here, and takes that lock, before it is off its program's list: so who holds the lock
 * and finds a task there that does not end may keep it.
 */
#include "kernel/hwperf/hwperf_system.h"
#include "kernel/memory/kmem.h"
#include "kernel/process/process.h"
#include "linux/hwperf/hwperf_private.h"
#include "linux/program/program_part.h"

bool hwperf_in_use;

void hwperf_enter(void)
{
    hwperf_boot();
    __atomic_store_n(&hwperf_in_use, true, __ATOMIC_SEQ_CST);
    mutex_enter(&hwperf_lock);
}

struct hwperf_block *hwperf_block_of(struct program *program)
{
    struct hwperf_block *block = program->hwperf ? program->hwperf : hwperf_block_create();
    uintptr_t state = spinlock_acquire(&program_lock);

    program->hwperf = block;
    spinlock_release(&program_lock, state);
    return block;
}

/* Somebody else may be giving it another parent, or the parent may be ending. */
bool hwperf_block_of_parent(struct program *program)
{
    struct hwperf_block *block = hwperf_block_create();
    struct program *parent;
    uintptr_t state;

    if (!block)
        return false;
    state = spinlock_acquire(&program_lock);
    parent = program->parent;
    if (parent && !parent->hwperf) {
        parent->hwperf = block;
        block = NULL;
    }
    spinlock_release(&program_lock, state);
    if (block)
        hwperf_block_free(block);
    return true;
}

/* A task that does not end keeps its program. */
struct program *hwperf_find_program(uint32_t id)
{
    uintptr_t state = spinlock_acquire(&program_lock);
    struct program *program = program_find(id);
    struct task *task = NULL;

    if (program)
        TAILQ_FOREACH (task, &program->tasks, in_program)
            if (!__atomic_load_n(&task->ends, __ATOMIC_SEQ_CST))
                break;
    spinlock_release(&program_lock, state);
    return task ? program : NULL;
}

/* One that runs, and has no member yet. */
static struct task *hwperf_next_task(struct program *program)
{
    uintptr_t state = spinlock_acquire(&program_lock);
    struct task *task;

    TAILQ_FOREACH (task, &program->tasks, in_program)
        if (task->thread && !task->hwperf && !__atomic_load_n(&task->ends, __ATOMIC_SEQ_CST))
            break;
    spinlock_release(&program_lock, state);
    return task;
}

/* The first task whose number is above ID and that has a member. */
static struct task *hwperf_next_member(struct program *program, uint32_t id)
{
    uintptr_t state = spinlock_acquire(&program_lock);
    struct task *task, *next = NULL;

    TAILQ_FOREACH (task, &program->tasks, in_program)
        if (task->hwperf && task->id > id && (!next || task->id < next->id))
            next = task;
    spinlock_release(&program_lock, state);
    return next;
}

int hwperf_start_tasks(struct program *program)
{
    struct task *task;
    int error = 0;

    while ((task = hwperf_next_task(program)) != NULL) {
        task->hwperf = hwperf_member_create(program->hwperf, &task->thread->lwp);
        if (!task->hwperf)
            return ENOMEM;
    }
    task = hwperf_next_member(program, 0);
    for (; task && error == 0; task = hwperf_next_member(program, task->id))
        error = hwperf_member_start(task->hwperf);
    if (error != 0)
        hwperf_stop_tasks(program);
    return error;
}

void hwperf_stop_tasks(struct program *program)
{
    struct task *task = hwperf_next_member(program, 0);

    for (; task; task = hwperf_next_member(program, task->id))
        hwperf_member_stop(task->hwperf);
}

static void hwperf_fork(struct task *task, struct task *child_task)
{
    struct program *self = task->program, *child = child_task->program;

    if (!hwperf_in_use || child == self)
        return;
    mutex_enter(&hwperf_lock);
    if (self->hwperf && hwperf_block_is_on(self->hwperf))
        child->hwperf = hwperf_block_inherit(self->hwperf); /* without memory it does not count */
    if (child->hwperf)
        (void)hwperf_signal_set(child, hwperf_block_control(child->hwperf)->signal);
    mutex_exit(&hwperf_lock);
}

static void hwperf_begin(struct task *task)
{
    struct hwperf_block *block;

    if (!hwperf_in_use)
        return;
    mutex_enter(&hwperf_lock);
    block = task->program->hwperf;
    if (!task->hwperf) /* else somebody has found it already, and has started it */
        hwperf_disinherit();
    if (!task->hwperf && block && hwperf_block_is_on(block)) {
        hwperf_block_name(block, task->program->id);
        task->hwperf = hwperf_member_create(block, curlwp);
        if (!task->hwperf || hwperf_member_start(task->hwperf) != 0)
            hwperf_block_lose(block);
        hwperf_profile_flush(task->program); /* its memory is that of its buckets */
    }
    mutex_exit(&hwperf_lock);
}

/* Also where nobody counts: whoever begins to sees that the task ends. */
static void hwperf_exit(struct task *task)
{
    __atomic_store_n(&task->ends, true, __ATOMIC_SEQ_CST);
    if (!__atomic_load_n(&hwperf_in_use, __ATOMIC_SEQ_CST))
        return;
    mutex_enter(&hwperf_lock);
    if (task->hwperf)
        hwperf_member_free(task->hwperf);
    task->hwperf = NULL;
    hwperf_profile_flush(task->program);
    if (task->program->task_count == 1)
        hwperf_system_forget(task->program->id);
    mutex_exit(&hwperf_lock);
}

/* Whether a thread of the parent sleeps in a wait that means PROGRAM. */
static bool hwperf_is_awaited(const struct program *program)
{
    const struct program_waiter *waiter;

    SLIST_FOREACH(waiter, &program->parent->waits, link)
    if (waiter->options & WEXITED &&
        program_wait_means(program->parent, program, waiter->who, waiter->options))
        return true;
    return false;
}

/* Its parent may get what it counted. */
static void hwperf_settle(struct program *program)
{
    struct program *parent = program->parent;

    if (!program->hwperf || !parent || !parent->hwperf)
        return;
    if (program->hwperf_saved ||
        (hwperf_block_is_wanted(parent->hwperf) && hwperf_is_awaited(program)))
        hwperf_block_add(parent->hwperf, program->hwperf);
}

static void hwperf_discard(struct program *program)
{
    if (program->hwperf)
        hwperf_block_free(program->hwperf);
    program->hwperf = NULL;
    kmem_free(program->hwperf_item); /* all that were pending are flushed */
}

const struct program_part hwperf_part = {.fork = hwperf_fork,
                                         .begin = hwperf_begin,
                                         .exec = hwperf_profile_exec,
                                         .deliver = hwperf_profile_deliver,
                                         .exit = hwperf_exit,
                                         .settle = hwperf_settle,
                                         .discard = hwperf_discard};
