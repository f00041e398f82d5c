/* SPDX-License-Identifier: BSD-2-Clause */
/* The calls by which threads and programs end. */
#include "kernel/process/process.h"
#include "linux/program/program_private.h"

CALL(exit)
{
    struct task *task = task_current();

    /* The process's status is the last thread's, or the first's. */
    if (task->id == task->program->id || task->program->task_count == 1)
        task->program->process->status = program_status_exit(ARG_INT(0));
    task_exit();
}

CALL(exit_group)
{
    program_exit(program_status_exit(ARG_INT(0)));
}

CALL(set_tid_address)
{
    struct task *task = task_current();

    task->clear_tid = ARG(0);
    return task->id;
}
