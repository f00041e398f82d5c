/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events of perf_event_open(2) over the lives of tasks. A new thread has the counters that its
 * creator has running, from its first instruction on (pmc_fork); its heirs here only say whose they
 * are.
 */
#include "kernel/memory/kmem.h"
#include "linux/perf/perf_private.h"
#include "linux/program/program_part.h"

/* Pages that fault are the process's, whichever of its threads they fault in. */
static bool perf_inherits(const struct perf_event *event, const struct task *child)
{
    bool same = child->program == event->task->program;

    if (!(event->flags & PERF_INHERIT) || (event->flags & PERF_INHERIT_THREAD && !same))
        return false;
    return !same || event->kind < PERF_FAULTS || event->kind > PERF_FAULTS_MAJOR;
}

/* Without memory it is not inherited. */
static struct perf_event *perf_heir(struct perf_event *event, struct task *child)
{
    struct perf_event *heir = kmem_zalloc(sizeof *heir);
    struct perf_event *origin = event->origin ? event->origin : event;

    if (!heir)
        return NULL;
    heir->origin = origin;
    heir->cpu = -1;
    heir->kind = event->kind;
    heir->request = event->request;
    heir->flags = event->flags;
    heir->wanted = event->wanted;
    perf_attach(heir, child, event->leader != event ? event->leader->heir : NULL);
    heir->active = event->active && !event->taken; /* it may get another counter */
    heir->counter = heir->active ? event->counter : -1;
    heir->enabled = event->enabled;
    TAILQ_INSERT_TAIL(&origin->heirs, heir, in_origin);
    return heir;
}

/* CHILD inherits events. */
static void perf_fork(struct task *self, struct task *child)
{
    struct perf_event *event;

    if (!perf_in_use)
        return;
    mutex_enter(&perf_lock);
    TAILQ_FOREACH (event, &self->perf, in_task)
        event->heir = perf_inherits(event, child) ? perf_heir(event, child) : NULL;
    mutex_exit(&perf_lock);
}

static void perf_begin(struct task *task)
{
    if (!perf_in_use)
        return;
    mutex_enter(&perf_lock);
    perf_start_heirs(task);
    perf_release_unused(task);
    perf_update_task(task);
    mutex_exit(&perf_lock);
}

static void perf_exec(struct task *task)
{
    struct perf_event *event;

    if (!perf_in_use)
        return;
    mutex_enter(&perf_lock);
    TAILQ_FOREACH (event, &task->perf, in_task)
        if (event->flags & PERF_ENABLE_ON_EXEC) {
            event->flags &= ~PERF_ENABLE_ON_EXEC;
            event->wanted = true;
        }
    perf_update_task(task);
    mutex_exit(&perf_lock);
}

static void perf_bequeath(struct perf_event *heir)
{
    struct perf_count *to = &heir->origin->children;

    to->value += heir->own.value;
    to->enabled += heir->own.enabled;
    to->running += heir->own.running;
    perf_leave_group(heir);
    TAILQ_REMOVE(&heir->origin->heirs, heir, in_origin);
    kmem_free(heir);
}

/* The end, or it has never begun. More than once does no harm. */
static void perf_end(struct task *task)
{
    struct perf_event *event;

    if (!perf_in_use)
        return;
    mutex_enter(&perf_lock);
    task->perf_ended = true;
    TAILQ_FOREACH (event, &task->perf, in_task)
        event->wanted = false;
    perf_update_task(task);
    while ((event = TAILQ_FIRST(&task->perf)) != NULL) {
        perf_detach(event);
        if (event->origin)
            perf_bequeath(event);
    }
    mutex_exit(&perf_lock);
}

const struct program_part perf_part = {
    .fork = perf_fork, .begin = perf_begin, .exec = perf_exec, .exit = perf_end, .free = perf_end};
