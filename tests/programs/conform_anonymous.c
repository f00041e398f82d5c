/* SPDX-License-Identifier: BSD-2-Clause */
/* Positions and sizes of what has none: events, timers, pipes, sockets. */
#include "conform.h"
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>

static void all(const char *name, int fd)
{
    char text[8] = "";

    SAY("%s\n", name);
    TEST(fd >= 0);
    TEST(lseek(fd, 0, SEEK_SET));
    TEST(lseek(fd, 5, SEEK_SET));
    TEST(lseek(fd, 0, SEEK_CUR));
    TEST(lseek(fd, 0, SEEK_END));
    TEST(lseek(fd, 0, 9));
    TEST(pread(fd, text, 8, 0));
    TEST(pread(fd, text, 8, -1));
    TEST(pwrite(fd, text, 8, 4));
    TEST(ftruncate(fd, 0));
    TEST(fsync(fd));
    TEST(posix_fadvise(fd, 0, 0, POSIX_FADV_NORMAL));
    TEST(posix_fadvise(fd, 0, 0, 99));
    TEST(fallocate(fd, 0, 0, 5));
    TEST(fchdir(fd));
    TEST(close(fd));
}

int main(void)
{
    int ends[2];
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    all("event", eventfd(1, EFD_NONBLOCK));
    all("epoll", epoll_create1(0));
    all("timer", timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK));
    all("signal", signalfd(-1, &set, SFD_NONBLOCK));
    pipe2(ends, O_NONBLOCK);
    all("reads", ends[0]);
    all("writes", ends[1]);
    socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends);
    all("socket", ends[0]);
    all("folder", open("/", O_PATH));
    return 0;
}
