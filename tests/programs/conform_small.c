/* SPDX-License-Identifier: BSD-2-Clause */
/* What has no room elsewhere: signals to a thread's number, rooms of sockets, advice, times that
 * are not to change, a folder too deep for a path. */
#include "conform.h"
#include <dirent.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#define DEEP 20

static char long_name[NAME_MAX + 1];

static volatile bool ending;

static void *tells(void *number)
{
    *(volatile pid_t *)number = gettid();
    while (!ending)
        usleep(1000);
    return NULL;
}

static void thread_number(void)
{
    volatile pid_t number = 0;
    pthread_t thread;

    TEST(pthread_create(&thread, NULL, tells, (void *)&number));
    while (number == 0)
        usleep(1000);
    TEST(kill(number, 0));
    ending = true;
    TEST(pthread_join(thread, NULL));
}

static int room(int socket, int option, int wanted)
{
    socklen_t size = sizeof wanted;

    if (wanted != 0 && setsockopt(socket, SOL_SOCKET, option, &wanted, sizeof wanted) != 0)
        return -1;
    return getsockopt(socket, SOL_SOCKET, option, &wanted, &size) == 0 ? wanted : -1;
}

static void rooms(void)
{
    static char block[8192];
    int ends[2];

    TEST(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, ends));
    TEST(room(ends[0], SO_SNDBUF, 1));
    TEST(room(ends[0], SO_RCVBUF, 1));
    TEST(send(ends[0], block, sizeof block, 0));
    TEST(room(ends[0], SO_SNDBUF, 16384));
    TEST(send(ends[0], block, sizeof block, 0));
    TEST(room(ends[1], SO_SNDBUF, 10000));
    close(ends[0]);
    close(ends[1]);
    TEST(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends));
    TEST(room(ends[0], SO_SNDBUF, 1));
    while (send(ends[0], block, 64, 0) > 0) {
    }
    TEST(errno == EAGAIN);
    while (recv(ends[1], block, sizeof block, 0) > 0) {
    }
    TEST(errno == EAGAIN);
    TEST(send(ends[0], block, 64, 0));
    close(ends[0]);
    close(ends[1]);
}

static void advice(void)
{
    int file = open("advice", O_RDWR | O_CREAT, 0600), ends[2];

    TEST(pipe(ends));
    TEST(posix_fadvise(file, 0, 0, POSIX_FADV_NORMAL));
    TEST(posix_fadvise(file, 0, 0, 6) == EINVAL);
    TEST(posix_fadvise(file, 0, -1, POSIX_FADV_NORMAL) == EINVAL);
    TEST(posix_fadvise(ends[0], 0, 0, POSIX_FADV_NORMAL) == ESPIPE);
    TEST(posix_fadvise(99, 0, 0, POSIX_FADV_NORMAL) == EBADF);
    close(file);
    close(ends[0]);
    close(ends[1]);
    unlink("advice");
}

/* Whether reading a folder opened with FLAGS changed when it was read last. */
static int noticed(int flags)
{
    struct timespec long_ago[2] = {{1000, 0}, {2000, 0}};
    struct stat now;
    DIR *folder;

    mkdir("folder", 0700);
    utimensat(AT_FDCWD, "folder", long_ago, 0);
    folder = fdopendir(open("folder", O_RDONLY | O_DIRECTORY | flags));
    while (readdir(folder)) {
    }
    closedir(folder);
    stat("folder", &now);
    rmdir("folder");
    return now.st_atim.tv_sec != 1000;
}

/* A pipe, which has no name but that of its descriptor. */
static void pipe_by_name(void)
{
    static const int flags[] = {O_WRONLY,
                                O_WRONLY | O_CREAT,
                                O_WRONLY | O_CREAT | O_TRUNC,
                                O_WRONLY | O_APPEND,
                                O_WRONLY | O_CREAT | O_EXCL,
                                O_WRONLY | O_NOFOLLOW,
                                O_WRONLY | O_CREAT | O_NOFOLLOW,
                                O_RDONLY | O_DIRECTORY,
                                O_WRONLY | O_DIRECTORY | O_CREAT,
                                O_RDWR | O_TMPFILE};
    char path[40], below[48], text[4] = "";
    int ends[2];

    TEST(pipe(ends));
    snprintf(path, sizeof path, "/proc/self/fd/%d", ends[1]);
    snprintf(below, sizeof below, "%s/", path);
    TEST(symlink(path, "to-pipe"));
    for (unsigned i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        int file = -1, linked = -1;

        SAY("flags %u:\n", i);
        TEST((file = open(path, flags[i], 0600)) >= 0);
        TEST((linked = open("to-pipe", flags[i], 0600)) >= 0);
        TEST(write(linked, "abc", 3));
        if (linked >= 0)
            TEST(read(ends[0], text, 3));
        close(file);
        close(linked);
    }
    TEST(open(below, O_WRONLY | O_CREAT, 0600) >= 0);
    TEST(open(below, O_WRONLY) >= 0);
    TEST(truncate(path, 0));
    TEST(mkdir(path, 0700));
    TEST(mkdir(below, 0700));
    TEST(chdir(path));
    TEST(access(path, W_OK));
    TEST(access("to-pipe", W_OK));
    TEST(unlink("to-pipe"));
    close(ends[0]);
    close(ends[1]);
}

static void deep(void)
{
    static char path[3 * PATH_MAX];
    int levels = 0;

    memset(long_name, 'x', NAME_MAX);
    while (levels < DEEP && mkdir(long_name, 0700) == 0 && chdir(long_name) == 0)
        levels++;
    TEST(levels);
    TEST(syscall(SYS_getcwd, path, sizeof path) > 0);
    TEST(syscall(SYS_getcwd, path, 1ul));
    for (; levels > 0; levels--)
        if (chdir("..") != 0 || rmdir(long_name) != 0)
            SAY("level %d stays\n", levels);
    TEST(syscall(SYS_getcwd, path, 1ul));
}

int main(void)
{
    conform_begin();
    thread_number();
    rooms();
    advice();
    TEST(noticed(0));
    TEST(noticed(O_NOATIME));
    pipe_by_name();
    deep();
    return conform_end(0);
}
