/* SPDX-License-Identifier: BSD-2-Clause */
/* What ioctl(2) answers for every file. */
#include "conform.h"
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#define FIOQSIZE_HERE (FIONBIO == 0x5421 ? 0x5460 : 0x667f)
#define FIGETBSZ      _IO(0, 2)

static void all(const char *name, int fd)
{
    int zero = 0, one = 1, value = -1;
    long long size = -1;

    SAY("%s\n", name);
    TEST(ioctl(fd, FIOCLEX));
    TEST(fcntl(fd, F_GETFD));
    TEST(ioctl(fd, FIONCLEX));
    TEST(fcntl(fd, F_GETFD));
    TEST(ioctl(fd, FIONBIO, &one));
    TEST((fcntl(fd, F_GETFL) & O_NONBLOCK) != 0);
    TEST(ioctl(fd, FIONBIO, &zero));
    TEST((fcntl(fd, F_GETFL) & O_NONBLOCK) != 0);
    TEST(ioctl(fd, FIONBIO, (void *)8));
    TEST(ioctl(fd, FIOASYNC, &zero));
    TEST(ioctl(fd, FIOQSIZE_HERE, &size));
    TEST(size % 512); /* how much a file takes is each file system's */
    TEST(ioctl(fd, 0x12345678, &value));
    TEST(ioctl(fd, TIOCGPGRP, &value));
}

int main(void)
{
    int file, folder, nothing, ends[2], pair[2], value = -1;

    conform_begin();
    file = open("file", O_RDWR | O_CREAT, 0600);
    write(file, "hello, world", 12);
    lseek(file, 5, SEEK_SET);
    all("file", file);
    TEST(ioctl(file, FIONREAD, &value));
    TEST(value);
    lseek(file, 20, SEEK_SET);
    TEST(ioctl(file, FIONREAD, &value));
    TEST(value);
    TEST(ioctl(file, FIONREAD, (void *)8));
    TEST(ioctl(file, FIGETBSZ, &value));
    TEST(value);
    folder = open(".", O_RDONLY);
    TEST(ioctl(folder, FIOCLEX));
    TEST(fcntl(folder, F_GETFD));
    TEST(ioctl(folder, FIONREAD, &value));
    TEST(ioctl(folder, FIGETBSZ, &value));
    TEST(value);
    nothing = open("/dev/null", O_RDWR);
    all("null", nothing);
    TEST(ioctl(nothing, FIONREAD, &value));
    pipe(ends);
    write(ends[1], "abc", 3);
    all("pipe", ends[0]);
    TEST(ioctl(ends[0], FIONREAD, &value));
    TEST(value);
    socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
    write(pair[1], "abcd", 4);
    all("socket", pair[0]);
    TEST(ioctl(pair[0], FIONREAD, &value));
    TEST(value);
    all("event", eventfd(1, 0));
    TEST(ioctl(99, FIOCLEX));
    folder = open(".", O_PATH);
    TEST(ioctl(folder, FIOCLEX));
    unlink("file");
    return conform_end(0);
}
