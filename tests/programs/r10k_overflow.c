/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Thresholds with a signal: r10k_overflow N TURNS. Prints 1 for each that holds: signals came; not
 * more than thresholds; they carried as many as floor(count / N) thresholds.
 */
#include "r10k.h"

static volatile unsigned long long signals, carried;

static void handler(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    (void)context;
    signals++;
    carried += (unsigned)info->si_value.sival_int;
}

static void report(int fd, int index, int n)
{
    unsigned long long counted, records;

    ioctl(fd, PIOCRELEVCTRS);
    usleep(50000);
    counted = count(fd, index);
    records = counted / (unsigned)n;
    printf("%d %d %d\n", signals > 0, signals <= records, carried == records);
    fprintf(stderr, "%llu events, %llu thresholds, %llu signals for %llu\n", counted, records,
            signals, carried);
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1000, fd = open_process(getpid());
    unsigned long turns = argc > 2 ? strtoul(argv[2], NULL, 0) : 1000000;
    struct sigaction action;
    hwperf_profevctrarg_t a;

    memset(&a, 0, sizeof a);
    memset(&action, 0, sizeof action);
    action.sa_sigaction = handler;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGUSR1, &action, NULL);
    want(&a, INSTRUCTIONS, HWPERF_CNTEN_U);
    a.hwp_ovflw_freq[INSTRUCTIONS] = n;
    a.hwp_ovflw_sig = SIGUSR1;
    if (ioctl(fd, PIOCENEVCTRS, &a) < 0) {
        perror("begin");
        return 1;
    }
    loop(turns);
    report(fd, INSTRUCTIONS, n);
    return 0;
}
