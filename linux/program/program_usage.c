/* SPDX-License-Identifier: BSD-2-Clause */
/* What programs have used: of threads that are there, of those that have ended, of children. */
#include "kernel/process/process.h"
#include "linux/program/launch_account.h"
#include "linux/program/program_private.h"

static void program_usage_task_counts_sum(struct task_counts *to, const struct task_counts *from)
{
    to->calls += from->calls;
    to->reads += from->reads;
    to->writes += from->writes;
    to->read_bytes += from->read_bytes;
    to->written_bytes += from->written_bytes;
    to->signals += from->signals;
}

void program_usage_of_task(const struct task *task, struct program_usage *usage)
{
    struct thread *thread = task->thread;
    struct thread_time time;

    program_usage_task_counts_sum(&usage->counts, &task->counts);
    if (!thread)
        return; /* not yet */
    thread_time_get(thread, &time);
    usage->time.all += time.all;
    usage->time.user += time.user;
    usage->voluntary += thread->switches - thread->involuntary;
    usage->involuntary += thread->involuntary;
}

/* TASK, the running thread's, ends: what it has used is its program's, up to now. */
void program_usage_settle(struct task *task)
{
    struct program_usage *dead = &task->program->dead;
    struct thread_time before = dead->time;

    program_usage_of_task(task, dead);
    task->thread->settled =
        (struct thread_time){dead->time.all - before.all, dead->time.user - before.user};
}

void program_usage_faults(const struct program *program, struct program_usage *out)
{
    out->minor = program->process->faults.minor;
    out->major = program->process->faults.major;
    out->zeroed = program->process->faults.zeroed;
    out->copied = program->process->faults.copied;
}

void program_usage(struct program *program, struct program_usage *out)
{
    const struct task *task;

    *out = program->dead;
    TAILQ_FOREACH (task, &program->tasks, in_program)
        program_usage_of_task(task, out);
}

void program_usage_sum(struct program_usage *to, const struct program_usage *from)
{
    to->time.all += from->time.all;
    to->time.user += from->time.user;
    to->voluntary += from->voluntary;
    to->involuntary += from->involuntary;
    to->minor += from->minor;
    to->major += from->major;
    program_usage_task_counts_sum(&to->counts, &from->counts);
    if (to->most_resident < from->most_resident)
        to->most_resident = from->most_resident;
}

void program_settle(struct program *program)
{
    struct program_usage usage = program->dead;

    if (!program->account)
        return;
    program_usage_sum(&usage, &program->children_usage);
    launch_account_leave(program, &usage);
}
