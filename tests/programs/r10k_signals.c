/* SPDX-License-Identifier: BSD-2-Clause */
/* Which signal a threshold sends: the one of the last call that succeeded, also where another was
 * pending when it was made. */
#include "r10k.h"
#include <sys/syssgi.h>

#define THRESHOLD 10007
#define LOOP      1000000ul
#define PATIENCE  1000 /* loops until something has been sent */

static volatile unsigned first, second;
static hwperf_profevctrarg_t user, kernel;

static void handler(int signal)
{
    if (signal == SIGUSR1)
        first++;
    else
        second++;
}

/* What comes in some turns: the first signal, the second. */
static void comes(const char *when)
{
    first = second = 0;
    for (int i = 0; i < PATIENCE && first + second == 0; i++)
        loop(LOOP);
    loop(LOOP);
    printf("%s %d %d\n", when, first > 0, second > 0);
}

static int with(hwperf_profevctrarg_t *a, int signal)
{
    a->hwp_ovflw_sig = signal;
    a->hwp_ovflw_freq[INSTRUCTIONS] = THRESHOLD;
    return 0;
}

static int asks(int fd, unsigned long call, hwperf_profevctrarg_t *a, int signal)
{
    with(a, signal);
    return ioctl(fd, call, a);
}

static int system_asks(int command, int signal)
{
    with(&kernel, signal);
    return syssgi(SGI_EVENTCTR, command, &kernel);
}

static void wait_until_pending(int signal)
{
    sigset_t set;

    do {
        loop(LOOP);
        sigpending(&set);
    } while (!sigismember(&set, signal));
}

static void while_pending(int fd)
{
    sigset_t set, none;

    sigemptyset(&none);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    asks(fd, PIOCENEVCTRS, &user, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, NULL);
    wait_until_pending(SIGUSR1);
    printf("change %s\n", said(asks(fd, PIOCSETEVCTRL, &user, SIGUSR2)));
    first = 0;
    sigprocmask(SIG_SETMASK, &none, NULL);
    printf("pending %u\n", first);
    comes("then");
    sigprocmask(SIG_BLOCK, &set, NULL);
    asks(fd, PIOCSETEVCTRL, &user, SIGUSR1);
    wait_until_pending(SIGUSR1);
    asks(fd, PIOCSETEVCTRL, &user, 0);
    sigprocmask(SIG_SETMASK, &none, NULL);
    first = second = 0;
    loop(LOOP);
    loop(LOOP);
    printf("none %u %u\n", first, second);
}

/* A signal that waits tells how many thresholds have been passed since. */
static void sums(int fd)
{
    unsigned long long passed;
    siginfo_t info;
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, NULL);
    asks(fd, PIOCENEVCTRS, &user, SIGUSR1);
    while (count(fd, INSTRUCTIONS) < 300 * THRESHOLD)
        loop(LOOP / 10);
    ioctl(fd, PIOCRELEVCTRS);
    passed = count(fd, INSTRUCTIONS) / THRESHOLD;
    info.si_value.sival_int = 0;
    printf("waits %d", sigwaitinfo(&set, &info) == SIGUSR1);
    printf(" %d\n", passed >= 300 && (unsigned long long)info.si_value.sival_int == passed);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
}

int main(void)
{
    int fd = open_process(getpid());

    signal(SIGUSR1, handler);
    signal(SIGUSR2, handler);
    want(&user, INSTRUCTIONS, HWPERF_CNTEN_U);
    want(&kernel, INSTRUCTIONS, HWPERF_CNTEN_U | HWPERF_CNTEN_K);
    printf("system %s\n", said(asks(fd, PIOCENEVCTRS, &kernel, SIGUSR1)));
    printf("again %s\n", said(asks(fd, PIOCENEVCTRS, &kernel, SIGUSR2)));
    comes("still");
    printf("user %s\n", said(asks(fd, PIOCENEVCTRS, &user, SIGUSR2)));
    comes("still");
    ioctl(fd, PIOCRELEVCTRS);
    while_pending(fd);
    ioctl(fd, PIOCRELEVCTRS);
    sums(fd);
    printf("system %s\n", said(asks(fd, PIOCENEVCTRS, &kernel, SIGUSR2)));
    comes("still");
    printf("all %s\n", said(system_asks(HWPERF_ENSYSCNTRS, SIGUSR1)));
    printf("all %s\n", said(system_asks(HWPERF_ENSYSCNTRS, SIGUSR2)));
    comes("still");
    printf("change %s\n", said(system_asks(HWPERF_SETSYSEVCTRL, SIGUSR2)));
    comes("then");
    syssgi(SGI_EVENTCTR, HWPERF_RELSYSCNTRS);
    return 0;
}
