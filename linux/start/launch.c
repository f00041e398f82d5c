/* SPDX-License-Identifier: BSD-2-Clause */
#include "linux/start/launch.h"
#include <arch/user.h>
#include "fs/file/file.h"
#include "fs/file/file_table.h"
#include "fs/file/path.h"
#include "kernel/memory/kmem.h"
#include "kernel/process/process.h"
#include "kernel/thread/user.h"
#include "lib/string.h"
#include "linux/start/exec.h"
#include "linux/program/launch_account.h"
#include "linux/program/program_private.h"
#include "linux/statistics/statistics.h"
#include "linux/tty/tty.h"

#define ENVIRONMENT_LIMIT (1ul << 20)

/* Lives until the new thread has told how execve went. */
struct launching {
    const struct launch *launch;
    struct task *task;
    struct exec_strings strings;
    char *path;
    int error;
    struct program_vfork told; /* done when the program has begun, or has failed */
};

static void launch_tell(struct launching *launching, int error)
{
    uintptr_t state = spinlock_acquire(&program_lock);

    launching->error = error;
    launching->told.done = true;
    wait_wake_all(&launching->told.waiters);
    spinlock_release(&program_lock, state);
}

/* The first thread of the program. */
static void launch_begin(void *argument)
{
    struct launching *launching = argument;
    struct task *task = launching->task;
    struct trap_frame frame;
    struct path_walk walk;
    int error = thread_user_prepare(&task->owner);
    uintptr_t state = spinlock_acquire(&program_lock);

    task_set_thread(task);
    spinlock_release(&program_lock, state);
    if (error != 0) {
        thread_user_adopt(&task->owner, NULL);
        launch_tell(launching, error);
        task_exit();
    }
    error = call_walk_begin(&walk, AT_FDCWD, "");
    if (error == 0) {
        error = exec_run(&walk, launching->path, NULL, &launching->strings, &frame);
        call_walk_end(&walk);
    }
    launch_tell(launching, error);
    if (error != 0)
        program_exit(program_status_exit(127));
    if (task_is_ending(task))
        task_exit();
    user_start(&frame);
}

static int launch_strings(struct launching *launching)
{
    const struct launch *launch = launching->launch;
    struct exec_strings *strings = &launching->strings;
    int error = 0;

    strings->limit = ENVIRONMENT_LIMIT;
    for (int i = 0; i < launch->argc && error == 0; i++)
        error = exec_string_add(strings, launch->argv[i]);
    strings->arguments = (uint32_t)launch->argc;
    strings->arguments_used = strings->used;
    for (unsigned i = 0; launch->environment && launch->environment[i] && error == 0; i++) {
        error = exec_string_add(strings, launch->environment[i]);
        strings->variables++;
    }
    if (error == 0) {
        launching->path = kmem_alloc(PATH_LENGTH);
        if (!launching->path)
            return -ENOMEM;
        if (strlcpy(launching->path, launch->path, PATH_LENGTH) >= PATH_LENGTH)
            return -ENAMETOOLONG;
    }
    return error;
}

static int launch_files(const struct launch *launch, struct program *program)
{
    for (int i = 0; i < 3; i++)
        if (launch->files[i]) {
            int result = file_table_set(program->files, file_hold(launch->files[i]), i, false, 3);

            if (result < 0)
                return result;
        }
    return 0;
}

/* Into the tree, with its first thread. */
static int launch_enter(struct launching *launching, struct program *program, uint32_t *id)
{
    const struct launch *launch = launching->launch;
    struct process *process;
    uintptr_t state;
    int error = process_create(launch->argv[0], &process);

    if (error != 0)
        return error;
    error = program_enter(program, process, NULL);
    if (error != 0) {
        process_discard(process);
        return error;
    }
    *id = program->id;
    state = spinlock_acquire(&program_lock);
    task_enter(launching->task, program->id);
    launch_account_join(program);
    if (launch->group)
        error = program_join_group(program, launch->group, launch->group);
    spinlock_release(&program_lock, state);
    if (!launch->background)
        tty_console_take(program->group->session, program->group->id);
    error = process_thread_create(process, process->name, THREAD_PRIORITY_NORMAL, launch_begin,
                                  launching);
    if (error == 0) {
        process_release(process);
        return 0;
    }
    state = spinlock_acquire(&program_lock);
    task_remove(launching->task);
    program_settle(program);
    program_remove(program);
    spinlock_release(&program_lock, state);
    process_discard(process);
    return error;
}

static void launch_wait(struct launching *launching)
{
    uintptr_t state = spinlock_acquire(&program_lock);

    while (!launching->told.done)
        wait_sleep(&launching->told.waiters, &program_lock, &state, WAIT_FOREVER);
    spinlock_release(&program_lock, state);
}

int launch_program(const struct launch *launch, uint32_t *id)
{
    struct launching launching = {.launch = launch};
    struct program *program = program_create(NULL, false, false);
    int error = program ? launch_strings(&launching) : -ENOMEM;

    statistics_register();
    wait_queue_init(&launching.told.waiters);
    if (error == 0)
        error = launch_files(launch, program);
    if (error == 0) {
        launching.task = task_create(program);
        error = launching.task ? launch_enter(&launching, program, id) : -ENOMEM;
    }
    if (error != 0) {
        if (program)
            program_discard(program);
        task_free(launching.task);
    } else {
        launch_wait(&launching);
        error = launching.error;
        if (error != 0)
            process_wait(*id, PROCESS_UNINTERRUPTED, NULL);
    }
    exec_strings_free(&launching.strings);
    kmem_free(launching.path);
    return error;
}
