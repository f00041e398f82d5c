/* SPDX-License-Identifier: BSD-2-Clause */
/* exec: runs a Linux program of the boot archive. */
#include "fs/file.h"
#include "fs/path.h"
#include "kernel/console/stream.h"
#include "kernel/memory/kmem.h"
#include "kernel/thread/thread.h"
#include "lib/errno.h"
#include "lib/string.h"
#include "linux/launch.h"
#include "linux/proc.h"
#include "linux/program.h"
#include "linux/second_line.h"
#include "linux/tty.h"
#include "shell/command.h"
#include "shell/job.h"
#include "shell/options.h"
#include "shell/output.h"

#define PATH_SIZE 256
#define WORDS_MAX 512

static const char *const environment[] = {
    "PATH=/bin:/usr/bin:/sbin", "HOME=/", "TERM=vt100", "USER=root", "SHELL=/bin/sh", NULL};

/* PATH_SIZE bytes; a name without a slash lies in /bin. False: too long. */
static bool exec_path(const char *name, char *path)
{
    path[0] = '\0';
    if (!strchr(name, '/'))
        strlcpy(path, "/bin/", PATH_SIZE);
    return strlcpy(path + strlen(path), name, PATH_SIZE - strlen(path)) < PATH_SIZE - strlen(path);
}

static const char *exec_error(int error)
{
    switch (error) {
    case -ENOENT:
        return "No such file or directory";
    case -EACCES:
        return "Permission denied";
    case -ENOEXEC:
        return "Exec format error";
    case -ENOMEM:
        return "Cannot allocate memory";
    case -E2BIG:
        return "Argument list too long";
    case -ENOTDIR:
        return "Not a directory";
    case -ELOOP:
        return "Too many levels of symbolic links";
    default:
        return "cannot be executed";
    }
}

static bool exec_files(bool piped, struct file *files[3])
{
    tty_register();
    proc_register_programs();
    if (piped)
        return second_line_files(files);
    files[0] = tty_console_open(O_RDWR);
    if (!files[0])
        return false;
    files[1] = file_hold(files[0]);
    files[2] = file_hold(files[0]);
    return true;
}

/* Its wait status as a shell tells it. */
static int exec_status(int status)
{
    return status & 0x7f ? 128 + (status & 0x7f) : status >> 8 & 255;
}

/* ^C is the program's, whose end comes soon, if anything does; `stop` is for all of it. */
static int exec_wait(uint32_t id)
{
    int status = 0;

    while (program_wait_kernel(id, &status) == -EINTR) {
        struct program *program;
        uintptr_t state;

        if (!thread_interruption_take())
            continue;
        state = spinlock_acquire(&program_lock);
        program = program_find(id);
        if (program)
            signal_send_group(program->wait_group, SIGINT, NULL);
        spinlock_release(&program_lock, state);
    }
    return exec_status(status);
}

static void exec_give_back(bool background)
{
    if (!background)
        tty_console_give_back();
}

static int exec_run_program(int argc, char **argv, bool piped)
{
    struct launch launch = {
        .argc = argc, .argv = argv, .environment = environment, .background = job_current()};
    char path[PATH_SIZE];
    uint32_t id;
    int error;

    if (!exec_path(argv[0], path)) {
        shell_printf("exec: %s: File name too long\n", argv[0]);
        return 126;
    }
    launch.path = path;
    if (!exec_files(piped, launch.files)) {
        shell_printf(piped ? "exec: this board has no second serial line\n"
                           : "exec: no terminal\n");
        return 126;
    }
    error = launch_program(&launch, &id);
    for (int i = 0; i < 3; i++)
        file_release(launch.files[i]);
    if (error != 0) {
        exec_give_back(launch.background);
        shell_printf("exec: %s: %s\n", path, exec_error(error));
        return error == -ENOENT ? STATUS_NOT_FOUND : 126;
    }
    error = exec_wait(id);
    exec_give_back(launch.background);
    return error;
}

static void exec_write_error(const char *text, size_t length)
{
    struct stream *stream = stream_get();

    if (stream)
        stream_write(stream, text, length);
}

/* By way of `pmc stat`, whose report goes to standard error. */
static int exec_counted(const char *events, int argc, char **argv)
{
    char **words = kmem_alloc(sizeof *words * ((size_t)argc + 8));
    int n = 0, status;

    if (!words) {
        shell_printf("exec: no memory\n");
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
    shell_divert(exec_write_error);
    status = command_run(n, words);
    shell_divert(NULL);
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

/* Programs by name or path, without `exec`. */
static int exec_by_name(int argc, char **argv)
{
    struct path_walk walk = {.base = path_base_create(), .who = credentials_root};
    char path[PATH_SIZE];
    struct vnode *node;
    int error = -ENOMEM;

    if (walk.base) {
        error = exec_path(argv[0], path) ? path_lookup(&walk, path, PATH_FOLLOW, &node) : -ENOENT;
        path_base_release(walk.base);
    }
    if (error != 0)
        return COMMAND_NONE;
    vnode_release(node);
    return exec_run_program(argc, argv, false);
}

static const struct command_other exec_other = {exec_by_name};
LINKER_SET_ADD(command_others, exec_other);

COMMAND(exec, .name = "exec", .summary = "Run a Linux program of the boot archive",
        .usage = "exec [-p] [-e EVENTS] PROGRAM [ARGUMENT ...]",
        .description =
            "The program runs in user mode with the console as its terminal, and ^C is its\n"
            "own. A name without a slash is looked for in /bin. The status is the\n"
            "program's, or 128 and the number of the signal that ended it.\n\n"
            "  -p         standard input and error are the second serial line\n"
            "  -e EVENTS  the same, and what was counted follows there; none, default\n\n"
            "Example: exec sh -c 'ls -l /'\n",
        .run = exec_command);
