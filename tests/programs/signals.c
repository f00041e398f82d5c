/* SPDX-License-Identifier: BSD-2-Clause */
/* 10^5 signals come while it computes; nothing of the computation may change. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

static volatile sig_atomic_t count, alarms;
static volatile double spoil;

static void handler(int signal)
{
    spoil = spoil * 1.5 + signal;
    count++;
}

static void on_alarm(int signal)
{
    spoil += signal;
    alarms++;
}

int main(int argc, char **argv)
{
    int turns = argc > 1 ? atoi(argv[1]) : 100000;
    struct itimerval every = {{0, 1000}, {0, 1000}}, off = {{0, 0}, {0, 0}};
    double sum = 0;
    unsigned long mix = 1;

    signal(SIGUSR1, handler);
    signal(SIGALRM, on_alarm);
    setitimer(ITIMER_REAL, &every, NULL);
    for (int i = 0; i < turns; i++) {
        kill(getpid(), SIGUSR1);
        sum += 1.0 / (i + 1);
        mix = mix * 6364136223846793005ul + (unsigned long)i;
    }
    while (alarms == 0)
        pause();
    setitimer(ITIMER_REAL, &off, NULL);
    printf("signals %d sum %.15f mix %lx alarms %d\n", (int)count, sum, mix, alarms > 0);
    return 0;
}
