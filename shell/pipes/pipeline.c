/* SPDX-License-Identifier: BSD-2-Clause */
#include "shell/pipes/pipeline.h"
#include "fs/file/file.h"
#include "fs/pipe/pipe.h"
#include "kernel/memory/kmem.h"
#include "kernel/thread/thread.h"
#include "kernel/thread/wait.h"
#include "lib/errno.h"
#include "linux/start/launch.h"
#include "linux/program/program.h"
#include "linux/tty/tty.h"
#include "shell/command.h"
#include "shell/command_list.h"
#include "shell/job.h"
#include "shell/parser.h"
#include "shell/pipes/stage.h"

int pipeline_launch(struct pipeline *pipeline, struct launch *launch, uint32_t *id)
{
    int error = -EINTR;

    mutex_enter(&pipeline->starting);
    if (!pipeline->interrupted) {
        launch->group = pipeline->group;
        launch->background = pipeline->background || pipeline->group != 0;
        error = launch_program(launch, id);
        if (error == 0 && pipeline->group == 0)
            pipeline->group = *id;
    }
    mutex_exit(&pipeline->starting);
    return error;
}

/* The terminal's ^C or ^\, with its lock. */
static bool pipeline_told(struct console_owner *owner, char byte)
{
    struct pipeline *pipeline = (struct pipeline *)owner;

    (void)byte;

    pipeline->signalled = true;
    thread_interrupt(pipeline->leader);
    return true;
}

/* Not again: a group that is gone already has nobody to be told. */
static void pipeline_signal(const struct pipeline *pipeline)
{
    uintptr_t state = spinlock_acquire(&program_lock);

    if (program_group_find(pipeline->group))
        signal_send_group(pipeline->group, SIGINT, NULL);
    spinlock_release(&program_lock, state);
}

static void pipeline_interrupt(struct pipeline *pipeline)
{
    mutex_enter(&pipeline->starting);
    pipeline->interrupted = true;
    if (pipeline->group != 0 && !pipeline->signalled)
        pipeline_signal(pipeline);
    pipeline->signalled = false;
    mutex_exit(&pipeline->starting);
    for (unsigned i = 0; i < pipeline->count; i++)
        thread_interrupt(pipeline->stages[i].thread);
}

static void pipeline_stage_run(void *argument)
{
    struct stage *stage = argument;
    struct pipeline *pipeline = stage->pipeline;
    bool may_start;
    uintptr_t state;

    mutex_enter(&pipeline->starting); /* until all are there, or one could not be */
    may_start = !pipeline->interrupted;
    mutex_exit(&pipeline->starting);
    if (may_start)
        stage->status = stage_run(stage) & 255;
    else
        stage_close(stage);
    state = spinlock_acquire(&pipeline->lock);
    pipeline->running--;
    wait_wake_all(&pipeline->ended);
    spinlock_release(&pipeline->lock, state);
}

/* The pipes between them: 0 or -ENOMEM. */
static int pipeline_connect(struct pipeline *pipeline)
{
    for (unsigned i = 0; i + 1 < pipeline->count; i++) {
        struct file *ends[2];
        int error = pipe_create(0, ends);

        if (error != 0)
            return error;
        pipeline->stages[i].files[1] = ends[1];
        pipeline->stages[i + 1].files[0] = ends[0];
    }
    return 0;
}

/* All their threads, which begin when there are all: 0, or nothing has begun. */
static int pipeline_start(struct pipeline *pipeline)
{
    int error = pipeline_connect(pipeline);

    mutex_enter(&pipeline->starting);
    for (unsigned i = 0; i < pipeline->count && error == 0; i++) {
        struct stage *stage = &pipeline->stages[i];
        const char *name = stage->command->argc > 0 ? stage->command->argv[0] : "shell";

        error =
            thread_create(name, THREAD_PRIORITY_NORMAL, pipeline_stage_run, stage, &stage->thread);
        if (error == 0)
            pipeline->running++;
    }
    pipeline->interrupted = error != 0;
    mutex_exit(&pipeline->starting);
    return error;
}

/* Until all have ended; whether they were interrupted. */
static bool pipeline_wait(struct pipeline *pipeline)
{
    uintptr_t state = spinlock_acquire(&pipeline->lock);
    bool interrupted = false;

    while (pipeline->running > 0) {
        if (wait_interruptible(&pipeline->ended, &pipeline->lock, &state, WAIT_FOREVER) == 0)
            continue;
        spinlock_release(&pipeline->lock, state);
        if (thread_interruption_take()) {
            interrupted = true;
            pipeline_interrupt(pipeline);
        }
        state = spinlock_acquire(&pipeline->lock);
    }
    spinlock_release(&pipeline->lock, state);
    return interrupted;
}

static struct pipeline *pipeline_create(const struct parser *parser)
{
    unsigned count = parser->stage_count;
    struct pipeline *pipeline = kmem_zalloc(sizeof *pipeline + count * sizeof(struct stage));

    if (!pipeline)
        return NULL;
    pipeline->stages = (struct stage *)(pipeline + 1);
    pipeline->owner.takes = pipeline_told;
    pipeline->leader = thread_current();
    pipeline->background = job_current();
    mutex_init(&pipeline->starting, "pipeline");
    spinlock_init(&pipeline->lock, "pipeline");
    wait_queue_init(&pipeline->ended);
    pipeline->count = count;
    for (unsigned i = 0; i < count; i++) {
        pipeline->stages[i].command = &parser->stages[i];
        pipeline->stages[i].pipeline = pipeline;
    }
    return pipeline;
}

static void pipeline_free(struct pipeline *pipeline)
{
    for (unsigned i = 0; i < pipeline->count; i++) {
        struct stage *stage = &pipeline->stages[i];

        if (stage->thread)
            thread_join(stage->thread);
        stage_close(stage);
    }
    mutex_destroy(&pipeline->starting);
    kmem_free(pipeline);
}

/* Its programs have ended, and the terminal is the shell's again. */
static void pipeline_leave_terminal(struct pipeline *pipeline)
{
    if (pipeline->background)
        return;
    tty_tell(NULL);
    if (pipeline->group != 0)
        (void)tty_console_give_back();
}

static int pipeline_run_stages(struct pipeline *pipeline)
{
    bool interrupted;
    int status;

    if (!pipeline->background)
        tty_tell(&pipeline->owner);
    if (pipeline_start(pipeline) != 0) {
        shell_complain("shell: no memory for the pipeline\n");
        pipeline->stages[pipeline->count - 1].status = 1;
    }
    interrupted = pipeline_wait(pipeline);
    pipeline_leave_terminal(pipeline);
    status = pipeline->stages[pipeline->count - 1].status;
    pipeline_free(pipeline);
    if (interrupted)
        thread_interrupt(thread_current());
    return interrupted ? STATUS_INTERRUPTED : status;
}

static int pipeline_run(const struct parser *parser)
{
    struct stage alone = {.command = &parser->stages[0]};
    struct pipeline *pipeline;

    if (parser->stage_count == 1)
        return stage_run(&alone);
    pipeline = pipeline_create(parser);
    if (!pipeline) {
        shell_complain("shell: no memory for the pipeline\n");
        return 1;
    }
    return pipeline_run_stages(pipeline);
}

static const struct command_pipes pipeline_pipes = {pipeline_run};
LINKER_SET_ADD(command_pipes, pipeline_pipes);
