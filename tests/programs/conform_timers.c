/* SPDX-License-Identifier: BSD-2-Clause */
/* A program may have as many POSIX timers as signals may be pending for its user. */
#include "conform.h"

static volatile int fired;
static volatile long fired_sum;

static void fire(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    (void)context;
    fired++;
    fired_sum += info->si_value.sival_int;
}

/* Each has a number of its own and its signal, also the thousandth. */
static void many_timers(void)
{
    struct sigaction action = {.sa_sigaction = fire, .sa_flags = SA_SIGINFO};
    struct itimerspec soon = {{0, 0}, {0, 1000000}};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN};
    static timer_t timer[1000];
    int made = 0, same = 0;

    sigaction(SIGRTMIN, &action, NULL);
    for (int i = 0; i < 1000; i++) {
        event.sigev_value.sival_int = i;
        made += timer_create(i % 50 ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID, &event,
                             &timer[i]) == 0;
        same += i > 0 && timer[i] == timer[i - 1];
    }
    SAY("made %d, same %d\n", made, same);
    for (int i = 0; i < 1000; i++)
        timer_settime(timer[i], 0, &soon, NULL);
    for (int i = 0; i < 2000 && fired < 980; i++)
        usleep(10000);
    while (fired < 1000)
        ; /* for those that are due after so much CPU time */
    SAY("fired %d, sum %ld\n", fired, fired_sum);
    made = 0;
    for (int i = 0; i < 1000; i++)
        made += timer_delete(timer[i]) == 0;
    SAY("deleted %d\n", made);
    made = 0;
    for (int i = 0; i < 5000; i++) { /* more than there may be at once: numbers come back */
        made += timer_create(CLOCK_MONOTONIC, &event, &timer[0]) == 0;
        made += timer_create(CLOCK_MONOTONIC, &event, &timer[1]) == 0;
        timer_delete(timer[0]);
        timer_delete(timer[1]);
    }
    SAY("two by two %d\n", made);
}

int main(void)
{
    many_timers();
    return 0;
}
