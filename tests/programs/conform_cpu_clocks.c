/* SPDX-License-Identifier: BSD-2-Clause */
/* Clocks of CPU time: another process's, a thread's; timers and sleeps by them; who may set which
 * clock. */
#include "conform.h"
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timex.h>

#define MS 1000000l

static void work(void)
{
    for (;;)
        __asm__ volatile("" ::: "memory");
}

/* A timer on CLOCK sends its signal while somebody works. */
static void fires(clockid_t clock, int64_t ms)
{
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    struct itimerspec when = {.it_value = {0, ms * MS}};
    struct timespec most = {60, 0}, before, after;
    timer_t timer;
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    TEST(clock_gettime(clock, &before));
    TEST(timer_create(clock, &event, &timer));
    TEST(timer_settime(timer, 0, &when, NULL));
    TEST(sigtimedwait(&set, NULL, &most) == SIGUSR1);
    TEST(clock_gettime(clock, &after));
    TEST((after.tv_sec - before.tv_sec) * 1000 + (after.tv_nsec - before.tv_nsec) / MS >= ms);
    TEST(timer_delete(timer));
}

static void *works(void *unused)
{
    (void)unused;
    work();
    return NULL;
}

static void of_others(void)
{
    struct timespec asleep = {0, 20 * MS}, now;
    clockid_t clock;
    pthread_t thread;
    pid_t child = fork();

    if (child == 0)
        work();
    TEST(clock_getcpuclockid(child, &clock));
    fires(clock, 20);
    TEST(clock_nanosleep(clock, 0, &asleep, NULL));
    TEST(clock_gettime(clock, &now) == 0 && now.tv_sec * 1000 + now.tv_nsec / MS >= 40);
    kill(child, SIGKILL);
    wait(NULL);
    TEST(clock_gettime(clock, &now));
    TEST(pthread_create(&thread, NULL, works, NULL));
    TEST(pthread_getcpuclockid(thread, &clock));
    fires(clock, 20);
    fires(CLOCK_PROCESS_CPUTIME_ID, 20);
    TEST(clock_nanosleep(CLOCK_PROCESS_CPUTIME_ID, 0, &asleep, NULL));
    TEST(clock_nanosleep(CLOCK_THREAD_CPUTIME_ID, 0, &asleep, NULL));
}

static void set(void)
{
    struct timespec bad = {0, 1000000000}, good = {1, 0};
    struct timeval worse = {0, 1000000};

    TEST(clock_settime(CLOCK_MONOTONIC, &good));
    TEST(clock_settime(CLOCK_BOOTTIME, &good));
    TEST(clock_settime(CLOCK_REALTIME, &bad));
    TEST(clock_settime(CLOCK_PROCESS_CPUTIME_ID, &good));
    TEST(clock_settime(77, &good));
    TEST(settimeofday(&worse, NULL));
}

/* What the clock of the wall says of itself. */
static void asked(void)
{
    struct timex state = {.modes = 0};
    struct timespec now;

    TEST(adjtimex(&state) >= 0);
    clock_gettime(CLOCK_REALTIME, &now);
    TEST(now.tv_sec - state.time.tv_sec <= 1);
    TEST(state.tick >= 9000 && state.tick <= 11000);
    TEST(clock_adjtime(CLOCK_REALTIME, &state) >= 0);
    TEST(clock_adjtime(CLOCK_MONOTONIC, &state));
    TEST(clock_adjtime(77, &state));
    state.modes = ADJ_OFFSET_SS_READ;
    TEST(adjtimex(&state) >= 0);
    TEST(syscall(SYS_adjtimex, NULL));
}

/* Without a value, an interval stays where no clock of the wall is meant. */
static void intervals(int which)
{
    struct itimerval new = {.it_interval = {10, 0}}, old = {.it_value = {1, 1}};

    TEST(setitimer(which, &new, NULL));
    TEST(getitimer(which, &old));
    TEST(old.it_value.tv_sec == 0 && old.it_value.tv_usec == 0);
    TEST(old.it_interval.tv_sec);
}

int main(void)
{
    sigset_t blocked;

    alarm(120);
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR1);
    sigprocmask(SIG_BLOCK, &blocked, NULL);
    intervals(ITIMER_REAL);
    intervals(ITIMER_VIRTUAL);
    intervals(ITIMER_PROF);
    set();
    asked();
    of_others();
    return 0;
}
