/* SPDX-License-Identifier: BSD-2-Clause */
/* What random calls (fuzz_calls.c) have found, one case for each. */
#include "conform.h"
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/time.h>

/* A child that is killed before it has begun ends all the same. */
static void killed_early(void)
{
    int ended = 0;

    for (int i = 0; i < 300; i++) {
        pid_t child = fork();
        int status;

        if (child == 0)
            for (;;)
                pause();
        kill(child, SIGKILL);
        ended += waitpid(child, &status, 0) == child && WIFSIGNALED(status);
    }
    SAY("ended %d\n", ended);
}

/* Who waits for a vfork can be killed. */
static void killed_vfork(void)
{
    pid_t child = fork(), group = child;
    int status;

    if (child == 0) {
        setpgid(0, 0);
        if (vfork() == 0)
            for (;;)
                pause();
        _exit(1);
    }
    usleep(100000);
    TEST(kill(child, SIGKILL));
    TEST(waitpid(child, &status, 0) == child && WIFSIGNALED(status));
    TEST(kill(-group, SIGKILL));
}

/* No number of a signal is too high for clone; its parent is told nothing then. */
static void odd_signals(void)
{
    int right = 0;

    for (int signal_ = 130; signal_ < 256; signal_++) {
        pid_t child = (pid_t)syscall(SYS_clone, signal_, 0, 0, 0, 0);

        if (child == 0)
            _exit(5);
        right += waitpid(child, NULL, __WALL) == child;
    }
    SAY("right %d\n", right);
    signal(SIGUSR1, SIG_IGN);
    CHILD(pid_t child = (pid_t)syscall(SYS_clone, CLONE_PARENT | SIGKILL, 0, 0, 0, 0));
    TEST(waitpid(-1, NULL, 0) > 0); /* with its creator's own signal */
}

static timer_t timers[200];

static void *delete_all(void *unused)
{
    long count = 0;

    for (int i = 0; i < 200; i++)
        count += syscall(SYS_timer_delete, (int)(long)timers[i]) == 0;
    return (void *)count;
}

static void timer_owners(void)
{
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL | 4, .sigev_signo = SIGUSR1};
    struct itimerspec soon = {{0, 1}, {0, 1}};
    pthread_t other;
    void *deleted;
    int id = 0, count = 60;
    long sum;

    event._sigev_un._tid = getppid();
    TEST(syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &id));
    event._sigev_un._tid = 0;
    TEST(syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &id));
    event._sigev_un._tid = getpid();
    WORKS(syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &id));
    TEST(syscall(SYS_timer_settime, id, 0, &soon, NULL));
    usleep(20000); /* each nanosecond: there is time left for others */
    TEST(syscall(SYS_timer_delete, id));
    TEST(syscall(SYS_timer_delete, id));
    event.sigev_notify = SIGEV_NONE;
    for (int i = 0; i < count; i++) {
        syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &id);
        timers[i] = (timer_t)(long)id;
    }
    for (int i = count; i < 200; i++)
        timers[i] = (timer_t)(long)1000000;
    pthread_create(&other, NULL, delete_all, NULL);
    sum = (long)delete_all(NULL);
    pthread_join(other, &deleted);
    SAY("deleted %ld\n", sum + (long)deleted);
}

static volatile int alarms;

static void count_alarm(int signal_)
{
    static const struct itimerval off;

    (void)signal_;
    if (++alarms == 100)
        setitimer(ITIMER_REAL, &off, NULL);
}

static void fast_alarm(void)
{
    struct itimerval each = {{0, 1}, {0, 1}};

    signal(SIGALRM, count_alarm);
    TEST(setitimer(ITIMER_REAL, &each, NULL));
    while (alarms < 100)
        ;
    SAY("alarms %d\n", alarms >= 100);
}

/* A program that has ended and not been waited for has its number, its group and its session. */
static void ended(void)
{
    siginfo_t info;
    pid_t child = fork();

    if (child == 0) {
        setuid(5);
        _exit(0);
    }
    waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT);
    TEST(getsid(child) == getsid(0));
    TEST(getpgid(child) == getpgrp());
    CHILD(setuid(7); TEST(kill(child, SIGCONT)); TEST(kill(child, SIGTERM)));
    TEST(kill(child, SIGCONT));
    TEST(waitpid(child, NULL, 0) == child);
    TEST(kill(child, SIGCONT));
}

int main(void)
{
    conform_begin();
    killed_early();
    killed_vfork();
    odd_signals();
    timer_owners();
    fast_alarm();
    ended();
    return conform_end(0);
}
