/* SPDX-License-Identifier: BSD-2-Clause */
/* cat, tee and echo: bytes as they are. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "tools.h"

#define PIECE 65536

/* All of it: 0 or -1. */
static int write_all(int descriptor, const char *data, size_t size)
{
    while (size > 0) {
        ssize_t done = write(descriptor, data, size);

        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return -1;
        data += done;
        size -= (size_t)done;
    }
    return 0;
}

/* 0; 1: it cannot be read; 2: nothing can be written. */
static int cat_file(const char *name)
{
    static char piece[PIECE];
    int descriptor = strcmp(name, "-") == 0 ? 0 : open(name, O_RDONLY);
    ssize_t got = -1;
    int status = 0;

    while (descriptor >= 0 && (got = read(descriptor, piece, sizeof piece)) > 0 && status == 0)
        status = write_all(1, piece, (size_t)got) == 0 ? 0 : 2;
    if (status == 2) {
        tool_complain("write error");
    } else if (got < 0) {
        tool_complain(name);
        status = 1;
    }
    if (descriptor > 0)
        close(descriptor);
    return status;
}

int cat_main(int argc, char **argv)
{
    int status = 0;

    if (getopt(argc, argv, "u") == '?')
        return tool_usage("cat [-u] [FILE ...]");
    argv += optind;
    if (!*argv)
        return cat_file("-") ? 1 : 0;
    for (; *argv && status < 2; argv++) {
        int result = cat_file(*argv);

        if (result > status)
            status = result;
    }
    return status ? 1 : 0;
}

int tee_main(int argc, char **argv)
{
    int flags = O_WRONLY | O_CREAT | O_TRUNC, option, status = 0;
    static char piece[PIECE];
    ssize_t got;

    while ((option = getopt(argc, argv, "ai")) != -1) {
        if (option == '?')
            return tool_usage("tee [-ai] [FILE ...]");
        if (option == 'a')
            flags = O_WRONLY | O_CREAT | O_APPEND;
        else
            signal(SIGINT, SIG_IGN);
    }
    argc -= optind;
    argv += optind;
    int files[argc + 1];

    files[argc] = 1;
    for (int i = 0; i < argc; i++) {
        files[i] = open(argv[i], flags, 0666);
        if (files[i] < 0) {
            tool_complain(argv[i]);
            status = 1;
        }
    }
    while ((got = read(0, piece, sizeof piece)) > 0)
        for (int i = 0; i <= argc; i++)
            if (files[i] >= 0 && write_all(files[i], piece, (size_t)got) < 0) {
                tool_complain(i < argc ? argv[i] : "write error");
                files[i] = -1;
                status = 1;
            }
    if (got < 0)
        tool_complain("-");
    return got < 0 ? 1 : status;
}

int echo_main(int argc, char **argv)
{
    bool newline = argc < 2 || strcmp(argv[1], "-n") != 0;

    for (int i = newline ? 1 : 2; i < argc; i++)
        printf("%s%s", argv[i], i + 1 < argc ? " " : "");
    if (newline)
        putchar('\n');
    return tool_finish(0, 1);
}
