/* SPDX-License-Identifier: BSD-2-Clause */
/* Facts about programs: see program_facts.h. */
#include "linux/program/program_facts.h"
#include "fs/file/path.h"
#include "kernel/process/process.h"
#include "lib/string.h"
#include "linux/program/program_private.h"

static void facts_of_signals(const struct program *program, struct program_facts *facts)
{
    const struct task *first = TAILQ_FIRST(&program->tasks);

    for (int i = 1; i <= ABI_SIGNALS; i++) {
        uint64_t handler = program->actions->of[i].handler;

        if (handler == SIG_IGN)
            signal_add(&facts->ignored, i);
        else if (handler != SIG_DFL)
            signal_add(&facts->handled, i);
    }
    facts->pending = program->pending.set;
    if (first) {
        facts->blocked = first->blocked;
        facts->pending_first = first->pending.set;
    }
}

static char facts_state(const struct program *program)
{
    const struct task *task;

    if (program->state == PROGRAM_ENDED)
        return 'Z';
    if (program->stopped)
        return 'T';
    TAILQ_FOREACH (task, &program->tasks, in_program)
        if (task->thread && task->thread->state == THREAD_READY)
            return 'R';
    return 'S';
}

static void facts_of_ids(const struct program *program, struct program_facts *facts)
{
    facts->id = program->id;
    facts->parent = program->parent ? program->parent->id : 0;
    facts->group = program->wait_group;
    facts->left_tty = program->left_tty;
    facts->session = program->group->session;
    facts->uid = program->uid;
    facts->euid = program->euid;
    facts->suid = program->suid;
    facts->fsuid = program->fsuid;
    facts->gid = program->gid;
    facts->egid = program->egid;
    facts->sgid = program->sgid;
    facts->fsgid = program->fsgid;
}

static void facts_of_settings(const struct program *program, struct program_facts *facts)
{
    facts->no_new_privileges = program->no_new_privileges;
    facts->nice = program->nice;
    facts->policy = program->policy;
    facts->umask = program->base ? (int32_t)path_base_umask(program->base) : -1;
    facts->status = program->status;
    facts->exit_signal = program->exit_signal;
    facts->resident_limit = program->limits[RLIMIT_RSS].now;
    facts->arguments = program->arguments;
    facts->arguments_end = program->arguments_end;
    facts->environment_end = program->environment_end;
}

static void facts_of_tasks(struct program *program, struct program_facts *facts)
{
    const struct task *first = TAILQ_FIRST(&program->tasks);

    facts->threads = program->task_count;
    facts->state = facts_state(program);
    if (first && first->thread) {
        facts->cpu = first->thread->cpu;
        facts->priority = first->thread->priority;
        facts->affinity = thread_affinity(first->thread) & (uint32_t)((1ull << cpu_count()) - 1);
    }
    program_usage(program, &facts->usage);
    program_usage_faults(program, &facts->usage);
    facts->children = program->children_usage;
}

bool program_facts_get(struct process *process, struct program_facts *facts)
{
    uintptr_t state = spinlock_acquire(&program_lock);
    struct program *program = program_find(process->id);

    memset(facts, 0, sizeof *facts);
    if (program && program->process == process) {
        facts_of_ids(program, facts);
        facts_of_settings(program, facts);
        facts_of_tasks(program, facts);
        facts_of_signals(program, facts);
        facts->started_ns = program->started_ns;
        vm_sizes_get(process, &facts->sizes);
        strlcpy(facts->name, process->name, sizeof facts->name);
    }
    spinlock_release(&program_lock, state);
    return facts->id != 0;
}

bool program_facts_next(uint32_t id, struct program_facts *facts)
{
    struct process *process;
    bool found = false;

    while (!found && (process = process_next(id)) != NULL) {
        id = process->id;
        found = program_facts_get(process, facts);
        process_release(process);
    }
    return found;
}
