/* SPDX-License-Identifier: BSD-2-Clause */
/* A sleep of 200 us by its own CPU time of a program that does nothing else: an alarm ends it. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static void nothing(int signal)
{
    (void)signal;
}

int main(void)
{
    struct timespec asleep = {0, 200000}, rest = {0, 0};
    int error;

    signal(SIGALRM, nothing);
    alarm(2);
    error = clock_nanosleep(CLOCK_PROCESS_CPUTIME_ID, 0, &asleep, &rest);
    printf("%s, some is left: %d\n", error == EINTR ? "interrupted" : "over",
           rest.tv_sec == 0 && rest.tv_nsec > 0 && rest.tv_nsec <= asleep.tv_nsec);
    return 0;
}
