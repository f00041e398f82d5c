/* SPDX-License-Identifier: BSD-2-Clause */
/* Does so many of each thing that is counted, by its arguments: WHAT NUMBER WHAT NUMBER ... Behind
 * `child 2` a child does the next two, is waited for, and ends. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile int handled;

static void handler(int signal)
{
    (void)signal;
    handled++;
}

static char *pages(long n)
{
    return mmap(NULL, (n + 1) * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void touch(volatile char *at, long n)
{
    for (long i = 0; i < n; i++)
        at[i * 4096] = 1;
}

/* N pages that a child has copied. */
static void copy(long n)
{
    char *at = pages(n);

    touch(at, n);
    if (fork() == 0) {
        touch(at, n);
        _exit(0);
    }
    wait(NULL);
}

static void forks(long n, int by_vfork)
{
    for (long i = 0; i < n; i++) {
        if ((by_vfork ? vfork() : fork()) == 0)
            _exit(0);
        wait(NULL);
    }
}

/* N calls: of 70 bytes each to read, of 100 to write. */
static void move(const char *name, int flags, long n)
{
    static char bytes[100];
    int file = open(name, flags);

    while (n-- > 0)
        flags == O_RDONLY ? read(file, bytes, 70) : write(file, bytes, sizeof bytes);
    close(file);
}

/* N datagrams of 100 bytes, of each of which 40 are taken. */
static void transfer(long n)
{
    static char bytes[100];
    int ends[2];

    socketpair(AF_UNIX, SOCK_DGRAM, 0, ends);
    while (n-- > 0) {
        send(ends[0], bytes, sizeof bytes, 0);
        recv(ends[1], bytes, 40, 0);
    }
}

static void spin(long ms)
{
    struct timespec now, end;

    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += ms / 1000;
    end.tv_nsec += ms % 1000 * 1000000;
    do {
        for (volatile int i = 0; i < 100000; i++)
            ;
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while (now.tv_sec < end.tv_sec || (now.tv_sec == end.tv_sec && now.tv_nsec < end.tv_nsec));
}

static void execute(const char *self, long n)
{
    while (n-- > 0) {
        if (vfork() == 0) {
            execl("/proc/self/exe", self, (char *)NULL);
            _exit(1);
        }
        wait(NULL);
    }
}

static void *count(void *turns)
{
    for (volatile long i = 0; i < (long)turns; i++)
        ;
    return NULL;
}

/* N threads, three at a time. */
static void threads(long n)
{
    pthread_t made[3];

    for (long i = 0; i < n; i += 3) {
        for (int k = 0; k < 3; k++)
            pthread_create(&made[k], NULL, count, (void *)(1000L * k));
        for (int k = 0; k < 3; k++)
            pthread_join(made[k], NULL);
    }
}

/* N processes that wait. */
static void crowd(long n)
{
    long made = 0;

    for (long i = 0; i < n; i++) {
        pid_t child = fork();

        if (child == 0)
            for (;;)
                pause();
        made += child > 0;
    }
    printf("made %ld\n", made);
}

static void usage(int who, const char *name)
{
    struct rusage u;

    getrusage(who, &u);
    printf("%s user %ld.%06ld sys %ld.%06ld minflt %ld majflt %ld nvcsw %ld nivcsw %ld\n", name,
           (long)u.ru_utime.tv_sec, (long)u.ru_utime.tv_usec, (long)u.ru_stime.tv_sec,
           (long)u.ru_stime.tv_usec, u.ru_minflt, u.ru_majflt, u.ru_nvcsw, u.ru_nivcsw);
}

/* N children that are killed: while they are there, or when they have ENDED. */
static void kills(long n, int ended)
{
    siginfo_t info;

    while (n-- > 0) {
        pid_t child = fork();

        if (child == 0) {
            if (!ended)
                pause();
            _exit(0);
        }
        if (ended)
            waitid(P_PID, child, &info, WEXITED | WNOWAIT);
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
    }
}

/* Signals until one is refused, and what comes all the same. Nothing of this needs new memory. */
static void fill(long n)
{
    union sigval value = {.sival_int = 1};
    int refused, killed, plain, queued, came[3];
    sigset_t set, three;
    long made = 0;

    setrlimit(RLIMIT_SIGPENDING, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY});
    sigfillset(&set);
    sigprocmask(SIG_BLOCK, &set, NULL);
    sigemptyset(&three);
    sigaddset(&three, SIGRTMIN + 1);
    sigaddset(&three, SIGUSR1);
    sigaddset(&three, SIGUSR2);
    kill(getpid(), SIGUSR1);
    sigqueue(getpid(), SIGUSR2, value);
    sigwaitinfo(&three, NULL);
    sigwaitinfo(&three, NULL);
    while (made < n && sigqueue(getpid(), SIGRTMIN, value) == 0)
        made++;
    refused = errno;
    killed = kill(getpid(), SIGRTMIN + 1);
    plain = kill(getpid(), SIGUSR1);
    queued = sigqueue(getpid(), SIGUSR2, value);
    for (int i = 0; i < 3; i++)
        came[i] = sigwaitinfo(&three, NULL);
    signal(SIGRTMIN, SIG_IGN);
    printf("many %d %s, then %d %d %d: ", made > 10000 && made < n, strerrorname_np(refused),
           killed, plain, queued);
    printf("%d %d RTMIN+%d came\n", came[0], came[1], came[2] - SIGRTMIN);
}

static void naps(long n)
{
    while (n-- > 0)
        usleep(1000);
}

static void show(const char *name)
{
    char text[2048];
    int file = open(name, O_RDONLY);
    ssize_t got;

    while ((got = read(file, text, sizeof text)) > 0)
        fwrite(text, 1, (size_t)got, stdout);
    close(file);
}

static void act(const char *self, const char *what, long n)
{
    if (strcmp(what, "getpid") == 0)
        for (long i = 0; i < n; i++)
            syscall(SYS_getpid);
    else if (strcmp(what, "zero") == 0)
        touch(pages(n), n);
    else if (strcmp(what, "copy") == 0)
        copy(n);
    else if (strcmp(what, "fork") == 0 || strcmp(what, "vfork") == 0)
        forks(n, what[0] == 'v');
    else if (strcmp(what, "exec") == 0)
        execute(self, n);
    else if (strcmp(what, "read") == 0)
        move("/dev/zero", O_RDONLY, n);
    else if (strcmp(what, "write") == 0)
        move("/dev/null", O_WRONLY, n);
    else if (strcmp(what, "send") == 0)
        transfer(n);
    else if (strcmp(what, "spin") == 0)
        spin(n);
    else if (strcmp(what, "sleep") == 0)
        usleep(n * 1000);
    else if (strcmp(what, "naps") == 0)
        naps(n);
    else if (strcmp(what, "killed") == 0 || strcmp(what, "zombie") == 0)
        kills(n, what[0] == 'z');
    else if (strcmp(what, "fill") == 0)
        fill(n);
    else if (strcmp(what, "die") == 0)
        kill(getpid(), SIGKILL);
    else if (strcmp(what, "signal") == 0)
        for (long i = 0; i < n; i++)
            kill(getpid(), SIGUSR1);
    else if (strcmp(what, "thread") == 0)
        threads(n);
    else if (strcmp(what, "usage") == 0)
        usage(n ? RUSAGE_CHILDREN : RUSAGE_SELF, n ? "children" : "self");
    else if (strcmp(what, "crowd") == 0)
        crowd(n);
    else if (strcmp(what, "hold") == 0)
        for (;;)
            pause();
}

static void act_all(char **argv, int from, int to)
{
    for (int i = from; i + 1 < to; i += 2) {
        int behind = i + 2 + 2 * atoi(argv[i + 1]);

        if (argv[i + 1][0] == '/')
            show(argv[i + 1]);
        else if (strcmp(argv[i], "child") != 0)
            act(argv[0], argv[i], atol(argv[i + 1]));
        else if (fork() == 0) {
            act_all(argv, i + 2, behind < to ? behind : to);
            exit(0);
        } else {
            wait(NULL);
            i = behind - 2;
        }
    }
}

int main(int argc, char **argv)
{
    signal(SIGUSR1, handler);
    setvbuf(stdout, NULL, _IOLBF, 1024);
    act_all(argv, 1, argc);
    return 0;
}
