/* SPDX-License-Identifier: BSD-2-Clause */
#include "shell/pipes/stage.h"
#include "fs/file/calls.h"
#include "fs/file/file.h"
#include "kernel/console/console.h"
#include "lib/errno.h"
#include "linux/proc/proc.h"
#include "linux/tty/tty.h"
#include "shell/command.h"
#include "shell/parser.h"

#define STATUS_PIPE 141 /* 128 and SIGPIPE */

static const struct {
    int error;
    const char *text;
} stage_errors[] = {
    {-ENOENT, "No such file or directory"},
    {-EACCES, "Permission denied"},
    {-ENOTDIR, "Not a directory"},
    {-EISDIR, "Is a directory"},
    {-EROFS, "Read-only file system"},
    {-ENOSPC, "No space left on device"},
    {-ENOMEM, "Cannot allocate memory"},
    {-ELOOP, "Too many levels of symbolic links"},
    {-ENAMETOOLONG, "File name too long"},
    {-EFBIG, "File too large"},
    {-ENOEXEC, "Exec format error"},
    {-E2BIG, "Argument list too long"},
    {-EBADF, "Bad file descriptor"},
    {-ENXIO, "No such device or address"},
    {-ENODEV, "No such device"},
    {-EPERM, "Operation not permitted"},
    {-EINVAL, "Invalid argument"},
    {-EAGAIN, "Resource temporarily unavailable"},
    {-EIO, "Input/output error"},
};

const char *stage_error_text(int error)
{
    for (unsigned i = 0; i < sizeof stage_errors / sizeof stage_errors[0]; i++)
        if (stage_errors[i].error == error)
            return stage_errors[i].text;
    return "Input/output error";
}

/* All of the text, or until an error: 0 or that. */
static int stage_write_file(struct file *file, const char *text, size_t length)
{
    struct io_vector vector;
    struct uio uio;
    long moved = 0;

    while (length > 0 && moved >= 0) {
        uio_single(&uio, &vector, (void *)(uintptr_t)text, length, false);
        moved = file_write(file, &uio);
        if (moved == 0)
            moved = -EIO;
        if (moved > 0) {
            text += moved;
            length -= (size_t)moved;
        }
    }
    return moved < 0 ? (int)moved : 0;
}

/* Nobody is told that there is no reader; an interruption is known already. */
static void stage_write(struct shell_output *output, const char *text, size_t length)
{
    struct stage *stage = (struct stage *)output;

    if (!stage->files[1]) {
        console_write(text, length);
        return;
    }
    stage->error = stage_write_file(stage->files[1], text, length);
    output->closed = stage->error != 0 && stage->error != -EINTR;
}

static void stage_complain(struct shell_output *output, const char *text, size_t length)
{
    struct stage *stage = (struct stage *)output;

    if (stage->files[2])
        (void)stage_write_file(stage->files[2], text, length);
    else
        console_write(text, length);
}

struct stage *stage_current(void)
{
    struct shell_output *output = shell_output();

    while (output && output->write != stage_write)
        output = output->outer;
    return (struct stage *)output;
}

void stage_close(struct stage *stage)
{
    for (unsigned i = 0; i < 3; i++) {
        file_release(stage->files[i]);
        stage->files[i] = NULL;
    }
}

void stage_handed_over(struct stage *stage)
{
    if (stage->pipeline && !command_find(stage->command->argv[0]))
        stage_close(stage);
}

static uint32_t stage_flags(unsigned kind)
{
    switch (kind) {
    case PARSER_INPUT:
        return O_RDONLY;
    case PARSER_APPEND:
        return O_WRONLY | O_CREAT | O_APPEND;
    default:
        return O_WRONLY | O_CREAT | O_TRUNC;
    }
}

static int stage_open(const struct parser_redirection *redirection, struct file **out)
{
    struct path_walk walk = {.base = path_base_create(), .who = credentials_root};
    int error = -ENOMEM;

    if (walk.base) {
        error =
            fs_open(&walk, redirection->path, stage_flags(redirection->kind) | O_NOCTTY, 0666, out);
        path_base_release(walk.base);
    }
    return error;
}

static int stage_redirect_one(struct stage *stage, const struct parser_redirection *redirection)
{
    struct file *file = NULL;
    int error = 0;

    if (redirection->kind != PARSER_SAME)
        error = stage_open(redirection, &file);
    else if (stage->files[redirection->from])
        file = file_hold(stage->files[redirection->from]);
    if (error != 0)
        return error;
    file_release(stage->files[redirection->descriptor]);
    stage->files[redirection->descriptor] = file;
    return 0;
}

/* From left to right; false: one of them failed, as a line has said. */
static bool stage_redirect(struct stage *stage)
{
    const struct parser_stage *command = stage->command;

    if (command->redirection_count > 0) {
        tty_register();
        proc_register_programs();
    }
    for (unsigned i = 0; i < command->redirection_count; i++) {
        int error = stage_redirect_one(stage, &command->redirections[i]);

        if (error != 0) {
            shell_complain("shell: %s: %s\n", command->redirections[i].path,
                           stage_error_text(error));
            return false;
        }
    }
    return true;
}

/* What became of a command that has ended with STATUS, its output considered. */
static int stage_status(const struct stage *stage, int status)
{
    if (!stage->output.closed)
        return status;
    if (stage->error == -EPIPE)
        return STATUS_PIPE;
    shell_complain("shell: %s: write error: %s\n", stage->command->argv[0],
                   stage_error_text(stage->error));
    return 1;
}

int stage_run(struct stage *stage)
{
    const struct parser_stage *command = stage->command;
    int status = 0;

    stage->output.write = stage_write;
    stage->output.complain = stage_complain;
    shell_output_begin(&stage->output);
    if (!stage_redirect(stage))
        status = 1;
    else if (command->argc > 0)
        status = stage_status(stage, command_run(command->argc, command->argv));
    shell_output_end(&stage->output);
    stage_close(stage);
    return status;
}
