/* SPDX-License-Identifier: BSD-2-Clause */
/* exec: runs a Linux program of the boot archive. */
#include "fs/file/calls.h"
#include "fs/file/file.h"
#include "fs/file/path.h"
#include "kernel/console/script.h"
#include "kernel/console/stream.h"
#include "kernel/memory/kmem.h"
#include "kernel/thread/thread.h"
#include "lib/errno.h"
#include "lib/format.h"
#include "lib/string.h"
#include "linux/start/launch.h"
#include "linux/proc/proc.h"
#include "linux/program/program.h"
#include "linux/tty/second_line.h"
#include "linux/program/signal_kernel.h"
#include "linux/tty/tty.h"
#include "shell/command.h"
#include "shell/job.h"
#include "shell/options.h"
#include "shell/output.h"
#include "shell/pipes/pipeline.h"
#include "shell/pipes/stage.h"

#define PATH_SIZE 256
#define WORDS_MAX 512

#define NO_SECOND_LINE "exec: this board has no second serial line\n"

#define BUSYBOX "/bin/busybox" /* is what its first argument names */

#define ENVIRONMENT(term)                                                                          \
    {"PATH=/bin:/usr/bin:/sbin", "HOME=/", "TERM=" term, "USER=root", "SHELL=/bin/sh", NULL}
static const char *const environment[] = ENVIRONMENT("vt100");
/* In a script, where nobody has a keyboard. */
static const char *const environment_unattended[] = ENVIRONMENT("dumb");

/* PATH_SIZE bytes; a name without a slash lies in /bin. False: too long. */
static bool exec_path(const char *name, char *path)
{
    path[0] = '\0';
    if (!strchr(name, '/'))
        strlcpy(path, "/bin/", PATH_SIZE);
    return strlcpy(path + strlen(path), name, PATH_SIZE - strlen(path)) < PATH_SIZE - strlen(path);
}

/* Nothing comes from there. */
static struct file *exec_no_input(void)
{
    struct path_walk walk = {.base = path_base_create(), .who = credentials_root};
    struct file *file = NULL;

    if (walk.base && fs_open(&walk, "/dev/null", O_RDONLY, 0, &file) != 0)
        file = NULL;
    if (walk.base)
        path_base_release(walk.base);
    return file;
}

/* The console is the terminal's; in the background nobody reads it. */
static bool exec_terminal(bool background, struct file *files[3])
{
    files[1] = tty_console_open(O_RDWR);
    if (!files[1])
        return false;
    files[0] = background ? exec_no_input() : file_hold(files[1]);
    files[2] = file_hold(files[1]);
    if (files[0])
        return true;
    file_release(files[1]);
    file_release(files[2]);
    return false;
}

/* What STAGE (or NULL) has is in place of the console's. */
static bool exec_files(const struct stage *stage, bool piped, bool background,
                       struct file *files[3])
{
    tty_register();
    proc_register_programs();
    if (!(piped ? second_line_files(files) : exec_terminal(background, files)))
        return false;
    for (unsigned i = 0; i < 3; i++)
        if (stage && stage->files[i]) {
            file_release(files[i]);
            files[i] = file_hold(stage->files[i]);
        }
    return true;
}

/* Where PIPED, the console is the program's standard output. */
static void exec_say(bool piped, const char *text)
{
    if (piped && stream_get())
        stream_write(stream_get(), text, strlen(text));
    else
        shell_complain("%s", text);
}

/* Its wait status as a shell tells it; a signal that nobody at the keyboard
 * sent is named. */
static int exec_status(int status, const char *path, bool piped)
{
    int signal = status & 0x7f;
    char text[PATH_SIZE + 32];

    if (signal != 0 && signal != SIGINT && signal != SIGPIPE) {
        if (signal_kernel_name(signal))
            format(text, sizeof text, "exec: %s: ended by SIG%s\n", path,
                   signal_kernel_name(signal));
        else
            format(text, sizeof text, "exec: %s: ended by signal %d\n", path, signal);
        exec_say(piped, text);
    }
    return signal != 0 ? 128 + signal : status >> 8 & 255;
}

/* `stop` and its like, by which the caller is interrupted, are for all of the
 * program. In a pipeline that is not ours to say, but the command that we are
 * part of ends as well. */
static int exec_wait(uint32_t id, const struct pipeline *pipeline)
{
    bool interrupted = false;
    int status = 0;

    while (program_wait_kernel(id, &status) == -EINTR) {
        struct program *program;
        uintptr_t state;

        if (!thread_interruption_take())
            continue;
        interrupted = pipeline != NULL;
        if (interrupted)
            continue;
        state = spinlock_acquire(&program_lock);
        program = program_find(id);
        if (program)
            signal_send_group(program->wait_group, SIGINT, NULL);
        spinlock_release(&program_lock, state);
    }
    if (interrupted)
        thread_interrupt(thread_current());
    return status;
}

static int exec_failed(const char *path, int error)
{
    if (error == -EINTR)
        return STATUS_INTERRUPTED;
    shell_complain("exec: %s: %s\n", path, stage_error_text(error));
    return error == -ENOENT ? STATUS_NOT_FOUND : 126;
}

/* PATH with ARGV, and what the caller's stage says about files, group and
 * terminal. */
static int exec_run_path(const char *path, int argc, char **argv, bool piped)
{
    struct stage *stage = stage_current();
    struct pipeline *pipeline = stage ? stage->pipeline : NULL;
    struct launch launch = {.path = path, .argc = argc, .argv = argv};
    bool failed, interrupted;
    uint32_t id;
    int error;

    launch.environment = script_get() ? environment_unattended : environment;
    launch.background = pipeline ? pipeline->background : job_current();
    if (!exec_files(stage, piped, launch.background, launch.files)) {
        shell_complain(piped ? NO_SECOND_LINE : "exec: no terminal\n");
        return 126;
    }
    error = pipeline ? pipeline_launch(pipeline, &launch, &id) : launch_program(&launch, &id);
    for (int i = 0; i < 3; i++)
        file_release(launch.files[i]);
    if (error == 0 && stage)
        stage_handed_over(stage);
    failed = error != 0;
    error = failed ? exec_failed(path, error) : exec_status(exec_wait(id, pipeline), path, piped);
    interrupted = !pipeline && !launch.background && tty_console_give_back();
    if (failed && interrupted) /* a ^C for the program, which never ran, is ours */
        thread_interrupt(thread_current());
    return error;
}

static int exec_run_program(int argc, char **argv, bool piped)
{
    char path[PATH_SIZE];

    if (exec_path(argv[0], path))
        return exec_run_path(path, argc, argv, piped);
    shell_complain("exec: %s: File name too long\n", argv[0]);
    return 126;
}

static void exec_write_error(struct shell_output *output, const char *text, size_t length)
{
    (void)output;
    stream_write(stream_get(), text, length);
}

/* By way of `pmc stat`, whose report goes to standard error. */
static int exec_counted(const char *events, int argc, char **argv)
{
    struct shell_output output = {.write = exec_write_error, .complain = exec_write_error};
    char **words = kmem_alloc(sizeof *words * ((size_t)argc + 8));
    int n = 0, status;

    if (!words || !stream_get()) {
        shell_complain(words ? NO_SECOND_LINE : "exec: no memory\n");
        kmem_free(words);
        return 126;
    }
    words[n++] = "pmc";
    words[n++] = "stat";
    if (events[0] != '\0') {
        words[n++] = "-e";
        words[n++] = (char *)(uintptr_t)events;
    }
    words[n++] = "exec";
    words[n++] = "-p";
    for (int i = 0; i < argc; i++)
        words[n++] = argv[i];
    words[n] = NULL;
    shell_output_begin(&output);
    status = command_run(n, words);
    shell_output_end(&output);
    kmem_free(words);
    return status;
}

static int exec_command(int argc, char **argv)
{
    struct options options = {.argc = argc, .argv = argv, .letters = "pe:"};
    const char *events = NULL;
    bool piped = false;
    int option;

    while ((option = options_next(&options)) != OPTIONS_END) {
        if (option == OPTIONS_BAD)
            return STATUS_USAGE;
        if (option == 'p')
            piped = true;
        if (option == 'e')
            events = options.value;
    }
    if (options.index >= argc)
        return command_usage("exec");
    argc -= options.index;
    argv += options.index;
    if (events != NULL && strcmp(events, "none") != 0)
        return exec_counted(strcmp(events, "default") == 0 ? "" : events, argc, argv);
    return exec_run_program(argc, argv, piped || events != NULL);
}

/* Whether there is a file of that path. */
static bool exec_is_there(const char *path)
{
    struct path_walk walk = {.base = path_base_create(), .who = credentials_root};
    struct vnode *node;
    bool there;

    if (!walk.base)
        return false;
    there = path_lookup(&walk, path, PATH_FOLLOW, &node) == 0;
    path_base_release(walk.base);
    if (there)
        vnode_release(node);
    return there;
}

/* Programs by name or path, without `exec`; then what a busybox has under that
 * name. PATH has PATH_SIZE bytes. */
static bool exec_find(const char *name, char *path)
{
    if (exec_path(name, path) && exec_is_there(path))
        return true;
    strlcpy(path, BUSYBOX, PATH_SIZE);
    return !strchr(name, '/') && exec_is_there(path);
}

static bool exec_knows(const char *name)
{
    char path[PATH_SIZE];

    return exec_find(name, path);
}

static int exec_by_name(int argc, char **argv)
{
    char path[PATH_SIZE];

    return exec_find(argv[0], path) ? exec_run_path(path, argc, argv, false) : COMMAND_NONE;
}

static const struct command_other exec_other = {exec_by_name, exec_knows};
LINKER_SET_ADD(command_others, exec_other);

COMMAND(exec, .name = "exec", .summary = "run a Linux program of the boot archive",
        .usage = "exec [-p] [-e EVENTS] PROGRAM [ARGUMENT ...]",
        .description = "The program runs in user mode with the console as its terminal, and "
                       "^C is its\n"
                       "own. A name without a slash is looked for in /bin. The status is the\n"
                       "program's, or 128 and the number of the signal that ended it.\n\n"
                       "  -p         standard input and error are the second serial line\n"
                       "  -e EVENTS  the same, and what was counted follows there; none, "
                       "default\n\n"
                       "Example: exec sh -c 'ls -l /'\n",
        .run = exec_command);
