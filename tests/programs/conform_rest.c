/* SPDX-License-Identifier: BSD-2-Clause */
/* Locks in a circle, the limit of pending signals, and what /proc tells of others. */
#include "conform.h"
#include <sys/resource.h>

static long lock(int fd, int type, off_t start, int command)
{
    struct flock range = {.l_type = (short)type, .l_start = start, .l_len = 1};

    return fcntl(fd, command, &range);
}

static void circle(void)
{
    int fd = open("file", O_RDWR | O_CREAT, 0600), ready[2], status;
    pid_t child;
    char byte;

    TEST(pipe(ready));
    TEST(lock(fd, F_WRLCK, 0, F_SETLK));
    child = fork();
    if (child == 0) {
        lock(fd, F_WRLCK, 1, F_SETLK);
        if (write(ready[1], "r", 1) != 1)
            _exit(1);
        _exit(lock(fd, F_WRLCK, 0, F_SETLKW) == 0 ? 0 : 2);
    }
    TEST(read(ready[0], &byte, 1));
    usleep(50000);
    TEST(lock(fd, F_WRLCK, 1, F_SETLKW));
    TEST(lock(fd, F_UNLCK, 0, F_SETLK));
    waitpid(child, &status, 0);
    TEST(status);
    TEST(lock(fd, F_WRLCK, 1, F_SETLKW));
    close(fd);
    close(ready[0]);
    close(ready[1]);
    unlink("file");
}

static void pending(void)
{
    struct rlimit few = {0, 0}; /* others of the user may have some */
    union sigval value = {.sival_int = 1};
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, NULL);
    TEST(setrlimit(RLIMIT_SIGPENDING, &few));
    TEST(sigqueue(getpid(), SIGRTMIN, value));
    TEST(kill(getpid(), SIGUSR1));
    TEST(sigwaitinfo(&set, NULL) == SIGUSR1);
}

/* Of a user of whom nothing else runs: what is taken, or forgotten, makes room. */
static void pending_room(void)
{
    struct rlimit three = {3, 3};
    union sigval value = {.sival_int = 1};
    uid_t nobodys = 20000 + (uid_t)getpid() % 40000;
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN);
    CHILD({
        sigprocmask(SIG_BLOCK, &set, NULL);
        TEST(setuid(nobodys));
        TEST(setrlimit(RLIMIT_SIGPENDING, &three));
        for (int i = 0; i < 4; i++)
            TEST(sigqueue(getpid(), SIGRTMIN, value));
        TEST(sigwaitinfo(&set, NULL) == SIGRTMIN);
        for (int i = 0; i < 2; i++)
            TEST(sigqueue(getpid(), SIGRTMIN, value));
        signal(SIGRTMIN, SIG_IGN);
        signal(SIGRTMIN, SIG_DFL);
        for (int i = 0; i < 4; i++)
            TEST(sigqueue(getpid(), SIGRTMIN, value));
    });
}

static void others(void)
{
    pid_t child = fork();
    char path[64], line[256] = "", own[64];
    FILE *maps;

    if (child == 0)
        for (;;)
            pause();
    snprintf(path, sizeof path, "/proc/%d/maps", (int)child);
    maps = fopen(path, "r");
    TEST(maps != NULL);
    TEST(maps && fgets(line, sizeof line, maps) != NULL);
    TEST(strchr(line, '-') != NULL);
    if (maps)
        fclose(maps);
    snprintf(path, sizeof path, "/proc/%d/fd", (int)child);
    TEST(access(path, R_OK));
    snprintf(path, sizeof path, "/proc/%d/cwd", (int)child);
    line[readlink(path, line, sizeof line - 1)] = '\0';
    TEST(strcmp(line, conform_folder));
    TEST(readlink("/proc/self/root", own, sizeof own));
    TEST(own[0]);
    TEST(access("/proc/self/statm", R_OK));
    kill(child, SIGKILL);
    wait(NULL);
}

int main(void)
{
    conform_begin();
    circle();
    others();
    CHILD(pending());
    pending_room();
    return conform_end(0);
}
