/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Does one thing N times, so that the difference of two runs is what it costs: r10k_measure WHAT
 * EVENTS N. WHAT: switch (a byte there and back between two processes), read (PIOCGETEVCTRS), loop.
 * EVENTS is how many are counted of each counter in user mode meanwhile, by all processes: 0 none.
 */
#include "r10k.h"

static int fd;

/* Instructions or cycles first, then what the machine has. */
static void begin(int events)
{
    hwperf_profevctrarg_t a = {.hwp_ovflw_sig = 0};

    for (int side = 0; side < HWPERF_EVENTMAX; side += HWPERF_CNTEVENTMAX)
        for (int i = 0, n = 0; i < HWPERF_CNTEVENTMAX && n < events; i++) {
            hwperf_profevctrarg_t more = a;

            want(&more, side + i, HWPERF_CNTEN_U);
            if (ioctl(fd, PIOCENEVCTRS, &more) < 0)
                continue;
            a = more;
            n++;
        }
}

static void switches(long n)
{
    int there[2], back[2];
    char byte = 1;

    if (pipe(there) != 0 || pipe(back) != 0)
        exit(1);
    if (fork() == 0) {
        while (n-- > 0)
            if (read(there[0], &byte, 1) != 1 || write(back[1], &byte, 1) != 1)
                exit(1);
        _exit(0);
    }
    for (; n > 0; n--)
        if (write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1)
            exit(1);
    wait(NULL);
}

int main(int argc, char **argv)
{
    long n = argc > 3 ? atol(argv[3]) : 0;
    hwperf_cntr_t c;

    fd = open_process(getpid());
    begin(argc > 2 ? atoi(argv[2]) : 0);
    if (argc > 1 && strcmp(argv[1], "switch") == 0)
        switches(n);
    else if (argc > 1 && strcmp(argv[1], "loop") == 0)
        loop((unsigned long)n);
    else
        while (n-- > 0)
            ioctl(fd, PIOCGETEVCTRS, &c);
    return 0;
}
