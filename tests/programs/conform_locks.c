/* SPDX-License-Identifier: BSD-2-Clause */
/* Locks of files: flock, fcntl's of processes and of open files. */
#include "conform.h"
#include <sys/file.h>

static void told(int fd, int command, int type, long start, long length)
{
    struct flock lock = {.l_type = (short)type, .l_start = start, .l_len = length};

    TEST(fcntl(fd, command, &lock));
    SAY("type %d whence %d start %ld length %ld pid %s\n", lock.l_type, lock.l_whence,
        (long)lock.l_start, (long)lock.l_len,
        lock.l_pid == 0           ? "0"
        : lock.l_pid == getppid() ? "parent"
        : lock.l_pid == getpid()  ? "own"
        : lock.l_pid < 0          ? "none"
                                  : "0");
}

static int set(int fd, int command, int type, int whence, long start, long length)
{
    struct flock lock = {
        .l_type = (short)type, .l_whence = (short)whence, .l_start = start, .l_len = length};

    return fcntl(fd, command, &lock);
}

static void whole(void)
{
    int one = open("f", O_RDWR | O_CREAT, 0644), other = open("f", O_RDONLY), same = dup(one);

    TEST(flock(one, LOCK_SH));
    TEST(flock(other, LOCK_SH | LOCK_NB));
    TEST(flock(one, LOCK_EX | LOCK_NB));
    TEST(flock(other, LOCK_UN));
    TEST(flock(same, LOCK_EX | LOCK_NB));
    TEST(flock(other, LOCK_SH | LOCK_NB));
    CHILD(TEST(flock(one, LOCK_EX | LOCK_NB)); TEST(flock(other, LOCK_SH | LOCK_NB)));
    close(one);
    TEST(flock(other, LOCK_SH | LOCK_NB));
    close(same);
    TEST(flock(other, LOCK_EX | LOCK_NB));
    TEST(flock(other, 0));
    TEST(flock(other, LOCK_SH | LOCK_EX));
    TEST(flock(99, LOCK_SH));
    close(other);
}

static void ranges(void)
{
    int fd = open("f", O_RDWR), reading = open("f", O_RDONLY), writing = open("f", O_WRONLY), third;

    TEST(write(fd, "0123456789", 10));
    TEST(set(fd, F_SETLK, F_WRLCK, SEEK_SET, 0, 100));
    told(fd, F_GETLK, F_WRLCK, 0, 10);
    CHILD(told(fd, F_GETLK, F_RDLCK, 50, 10); TEST(set(fd, F_SETLK, F_RDLCK, SEEK_SET, 99, 1));
          TEST(set(fd, F_SETLK, F_RDLCK, SEEK_SET, 100, 1)));
    TEST(set(fd, F_SETLK, F_UNLCK, SEEK_SET, 40, 20));
    CHILD(told(fd, F_GETLK, F_WRLCK, 0, 0); told(fd, F_GETLK, F_WRLCK, 40, 20);
          told(fd, F_GETLK, F_WRLCK, 45, 100));
    TEST(set(fd, F_SETLK, F_RDLCK, SEEK_SET, 10, 10));
    CHILD(told(fd, F_GETLK, F_RDLCK, 10, 5); told(fd, F_GETLK, F_WRLCK, 10, 5));
    TEST(set(fd, F_SETLK, F_WRLCK, SEEK_SET, 30, 40));
    CHILD(told(fd, F_GETLK, F_WRLCK, 50, 1));
    TEST(set(fd, F_SETLK, F_WRLCK, SEEK_CUR, -5, 5));
    TEST(set(fd, F_SETLK, F_WRLCK, SEEK_END, 0, 0));
    TEST(set(fd, F_SETLK, F_WRLCK, SEEK_SET, 10, -5));
    TEST(set(fd, F_SETLK, F_WRLCK, SEEK_SET, 3, -5));
    TEST(set(fd, F_SETLK, F_WRLCK, SEEK_SET, -1, 5));
    TEST(set(fd, F_SETLK, F_WRLCK, 7, 0, 5));
    TEST(set(fd, F_SETLK, 9, SEEK_SET, 0, 5));
    TEST(set(reading, F_SETLK, F_WRLCK, SEEK_SET, 0, 1));
    TEST(set(writing, F_SETLK, F_RDLCK, SEEK_SET, 0, 1));
    TEST(fcntl(fd, F_SETLK, (void *)8));
    third = open("f", O_RDONLY);
    close(third); /* takes all of them away */
    CHILD(told(fd, F_GETLK, F_WRLCK, 0, 0));
    TEST(set(fd, F_OFD_SETLK, F_WRLCK, SEEK_SET, 0, 10));
    TEST(set(reading, F_OFD_SETLK, F_RDLCK, SEEK_SET, 0, 10));
    TEST(set(fd, F_SETLK, F_WRLCK, SEEK_SET, 0, 10));
    CHILD(told(fd, F_OFD_GETLK, F_WRLCK, 0, 5); told(reading, F_GETLK, F_WRLCK, 0, 5));
    close(fd), close(reading), close(writing);
}

/* One waits until the other lets go, or is interrupted. */
static void waiting(void)
{
    int fd = open("f", O_RDWR), ends[2];
    char byte = 0;
    pid_t child;

    pipe(ends);
    TEST(set(fd, F_SETLK, F_WRLCK, SEEK_SET, 0, 1));
    child = fork();
    if (child == 0) {
        int other = open("f", O_RDWR);

        write(ends[1], "1", 1);
        byte = set(other, F_SETLKW, F_WRLCK, SEEK_SET, 0, 1) == 0 ? 'y' : 'n';
        write(ends[1], &byte, 1);
        _exit(0);
    }
    read(ends[0], &byte, 1);
    usleep(20000);
    TEST(set(fd, F_SETLK, F_UNLCK, SEEK_SET, 0, 0));
    read(ends[0], &byte, 1);
    SAY("got it %c\n", byte);
    waitpid(child, NULL, 0);
    TEST(set(fd, F_SETLK, F_WRLCK, SEEK_SET, 0, 1));
    CHILD(alarm(1); set(fd, F_SETLKW, F_WRLCK, SEEK_SET, 0, 1));
    close(fd), close(ends[0]), close(ends[1]);
}

int main(void)
{
    conform_begin();
    whole();
    ranges();
    waiting();
    unlink("f");
    return conform_end(0);
}
