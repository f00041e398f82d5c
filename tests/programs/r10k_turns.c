/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Several events on each counter in turns: a steady loop, whose instructions are projected from the
 * turns that they had. Prints EVENTS, the rotations, and per cent of the true number, in
 * hundredths.
 */
#include "r10k.h"
#include <time.h>

#define TICKS 100 /* a second */
#define PIECE 200000ul

static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Events of counter 0 and of counter 1 that are always there, then others, if this machine has
 * them. */
static int try_all(int fd, int first, int events, hwperf_profevctrarg_t *a, int side)
{
    int n = 1;

    want(a, first, HWPERF_CNTEN_U);
    for (int i = side; i < side + HWPERF_CNTEVENTMAX && n < events; i++) {
        hwperf_profevctrarg_t more = *a;

        if (i == first)
            continue;
        want(&more, i, HWPERF_CNTEN_U);
        if (ioctl(fd, PIOCENEVCTRS, &more) < 0)
            continue;
        *a = more;
        n++;
    }
    return n;
}

int main(int argc, char **argv)
{
    int events = argc > 1 ? atoi(argv[1]) : 2, rotations = argc > 2 ? atoi(argv[2]) : 64;
    int fd = open_process(getpid()), n0, n1;
    hwperf_profevctrarg_t a;
    hwperf_cntr_t c;
    double until, begun;
    unsigned long long pieces = 0, truth;

    memset(&a, 0, sizeof a);
    n0 = try_all(fd, INSTRUCTIONS, events, &a, 0);
    n1 = try_all(fd, GRADUATED, events, &a, 16);
    if (ioctl(fd, PIOCENEVCTRS, &a) < 0) {
        perror("begin");
        return 1;
    }
    begun = seconds();
    until = begun + (double)(n0 > n1 ? n0 : n1) * rotations / TICKS;
    while (seconds() < until) {
        loop(PIECE);
        pieces++;
    }
    ioctl(fd, PIOCGETEVCTRS, &c);
    ioctl(fd, PIOCRELEVCTRS);
    truth = pieces * 2 * PIECE;
    printf("%d %d %llu %llu\n", n0, n1, c.hwp_evctr[INSTRUCTIONS] * (unsigned)n0 * 10000 / truth,
           c.hwp_evctr[GRADUATED] * (unsigned)n1 * 10000 / truth);
    return 0;
}
