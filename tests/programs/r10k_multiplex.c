/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * System mode with several events on a side: r10k_multiplex EVENTS ROTATIONS. Runs a steady loop,
 * and prints of both counters how many events it has, and per cent of the true number of
 * instructions in hundredths, projected; then whether the CPUs' counts are the global ones, event
 * by event: before, at, and after the release.
 */
#include "r10k.h"
#include <sys/syssgi.h>
#include <time.h>

#define TICKS 100 /* a second */
#define PIECE 200000ul

static hwperf_profevctrarg_t args;

static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Counts only in user mode, but that of one event, so that the mode is the system's. */
static int all_of(int fd, int first, int events)
{
    int side = first / HWPERF_CNTEVENTMAX * HWPERF_CNTEVENTMAX, n = 1;

    want(&args, first, HWPERF_CNTEN_U);
    for (int i = side; i < side + HWPERF_CNTEVENTMAX && n < events; i++) {
        hwperf_profevctrarg_t one = {.hwp_ovflw_sig = 0};

        want(&one, i, HWPERF_CNTEN_U);
        if (i == first || ioctl(fd, PIOCENEVCTRS, &one) < 0)
            continue;
        want(&args, i, HWPERF_CNTEN_U | HWPERF_CNTEN_K);
        n++;
    }
    ioctl(fd, PIOCRELEVCTRS);
    return n;
}

static int sums(int exact)
{
    hwperf_cntr_t all, of[64], again;
    int n = 0, good = 1;

    syssgi(SGI_EVENTCTR, HWPERF_GETSYSCNTRS, &all);
    while (n < 64 && syssgi(SGI_EVENTCTR, HWPERF_GETCPUCNTRS, n, &of[n]) > 0)
        n++;
    syssgi(SGI_EVENTCTR, HWPERF_GETSYSCNTRS, &again);
    for (int i = 0; i < HWPERF_EVENTMAX; i++) {
        unsigned long long sum = 0;

        for (int cpu = 0; cpu < n; cpu++)
            sum += of[cpu].hwp_evctr[i];
        good = good && all.hwp_evctr[i] <= sum && sum <= again.hwp_evctr[i] &&
               (!exact || all.hwp_evctr[i] == sum);
    }
    return good && n > 0;
}

int main(int argc, char **argv)
{
    int events = argc > 1 ? atoi(argv[1]) : 2, rotations = argc > 2 ? atoi(argv[2]) : 64;
    int fd = open_process(getpid()), n0 = all_of(fd, INSTRUCTIONS, events);
    int n1 = all_of(fd, GRADUATED, events), while_on;
    unsigned long long pieces = 0, truth;
    hwperf_cntr_t c;
    double until;

    if (n0 == 1 && n1 == 1)
        args.hwp_evctrargs.hwp_evctrl[GRADUATED].hwperf_creg.hwp_mode |= HWPERF_CNTEN_K;
    if (syssgi(SGI_EVENTCTR, HWPERF_ENSYSCNTRS, &args) < 0) {
        perror("begin");
        return 1;
    }
    until = seconds() + (double)(n0 > n1 ? n0 : n1) * rotations / TICKS;
    while (seconds() < until) {
        loop(PIECE);
        pieces++;
    }
    while_on = sums(0);
    syssgi(SGI_EVENTCTR, HWPERF_RELSYSCNTRS);
    syssgi(SGI_EVENTCTR, HWPERF_GETSYSCNTRS, &c);
    truth = pieces * 2 * PIECE;
    printf("%d %d %llu %llu\n", n0, n1, c.hwp_evctr[INSTRUCTIONS] * (unsigned)n0 * 10000 / truth,
           c.hwp_evctr[GRADUATED] * (unsigned)n1 * 10000 / truth);
    printf("%d %d\n", while_on, sums(1));
    return 0;
}
