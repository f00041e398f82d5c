/* SPDX-License-Identifier: BSD-2-Clause */
/* For conform_*.c: a line for each call, with its result and error, the same on Linux and Quipu. */
#pragma once

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SAY(...) (printf(__VA_ARGS__), fflush(stdout))
#define TEST(expression)                                                                           \
    do {                                                                                           \
        errno = 0;                                                                                 \
        long value_ = (long)(expression);                                                          \
        SAY("%s: %ld %s\n", #expression, value_, errno ? strerrorname_np(errno) : "-");            \
    } while (0)
/* Only whether it worked: for what is not the same everywhere. */
#define WORKS(expression)                                                                          \
    do {                                                                                           \
        errno = 0;                                                                                 \
        long value_ = (long)(expression);                                                          \
        SAY("%s: %s %s\n", #expression, value_ == -1 ? "fails" : "works",                          \
            value_ == -1 ? strerrorname_np(errno) : "-");                                          \
    } while (0)

static char conform_folder[] = "/tmp/conformXXXXXX";

/* Into a new folder, which is left and removed with all in it at the end. */
static void __attribute__((unused)) conform_begin(void)
{
    umask(022);
    if (!mkdtemp(conform_folder) || chdir(conform_folder) != 0)
        exit(99);
}

static int __attribute__((unused)) conform_end(int status)
{
    if (chdir("/") != 0 || rmdir(conform_folder) != 0)
        SAY("left over: %s\n", strerrorname_np(errno));
    return status;
}

/* STATEMENTS in a child, whose end is told. */
#define CHILD(...)                                                                                 \
    do {                                                                                           \
        int status_ = 0;                                                                           \
        pid_t child_ = fork();                                                                     \
        if (child_ == 0) {                                                                         \
            __VA_ARGS__;                                                                           \
            _exit(0);                                                                              \
        }                                                                                          \
        waitpid(child_, &status_, 0);                                                              \
        if (WIFSIGNALED(status_))                                                                  \
            SAY("child: signal %s\n", sigabbrev_np(WTERMSIG(status_)));                            \
        else                                                                                       \
            SAY("child: exit %d\n", WEXITSTATUS(status_));                                         \
    } while (0)

static void __attribute__((unused)) conform_make(const char *name, const char *text)
{
    int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0644);

    if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
        SAY("cannot make %s\n", name);
    close(fd);
}
