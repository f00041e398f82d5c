/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What perfex and its like run in their tests: r10k_perfex WHAT.
 *
 *   loop N     N turns of a loop, of two instructions each
 *   nobody ... runs ... as user 1000
 *   taken      a child's loop, then the counters are taken for the system, and the loop again
 *   signals    has perfex -s begin and stop twice, with loops of known instructions on and off
 *   family     two children of known instructions, which stay long enough to be seen
 *   env A B C  runs C ... with T5_EVENT0=A and T5_EVENT1=B
 */
#include <sys/syssgi.h>
#include "r10k.h"

#define COUNTED   10000000ul
#define UNCOUNTED 30000000ul

static int self;

/* Whether what is counted of us grows. */
static int grows(void)
{
    unsigned long long before = count(self, INSTRUCTIONS);

    loop(100000);
    return count(self, INSTRUCTIONS) != before;
}

static void tell(int signal)
{
    kill(getppid(), signal);
    while (grows() != (signal == SIGUSR1))
        usleep(1000);
}

static void signals(void)
{
    self = open_process(getpid());
    for (int i = 0; i < 2; i++) {
        loop(UNCOUNTED);
        tell(SIGUSR1);
        loop(COUNTED);
        tell(SIGUSR2);
    }
    loop(UNCOUNTED);
}

static void family(void)
{
    for (unsigned long i = 1; i <= 2; i++)
        if (fork() == 0) {
            /* The second may end before the first one's end has waked who waits for both. */
            ioctl(open_process(getpid()), PIOCSAVECCNTRS);
            loop(i * COUNTED);
            usleep(300000);
            _exit(0);
        }
    while (wait(NULL) > 0)
        ;
}

static void taken(void)
{
    hwperf_profevctrarg_t system = {.hwp_ovflw_sig = 0};

    want(&system, INSTRUCTIONS, HWPERF_CNTEN_K);
    if (fork() != 0) {
        wait(NULL);
        return;
    }
    loop(COUNTED);
    if (syssgi(SGI_EVENTCTR, HWPERF_ENSYSCNTRS, &system) < 0)
        perror("system mode");
    loop(COUNTED);
    syssgi(SGI_EVENTCTR, HWPERF_RELSYSCNTRS);
    loop(COUNTED);
    _exit(0);
}

int main(int argc, char **argv)
{
    if (strcmp(argv[1], "signals") == 0)
        signals();
    else if (strcmp(argv[1], "family") == 0)
        family();
    else if (strcmp(argv[1], "taken") == 0)
        taken();
    else if (argc == 3 && strcmp(argv[1], "loop") == 0)
        loop(strtoul(argv[2], NULL, 10));
    else if (argc > 2 && strcmp(argv[1], "nobody") == 0)
        return setuid(1000) == 0 ? execvp(argv[2], argv + 2) : 1;
    else if (argc > 4) {
        setenv("T5_EVENT0", argv[2], 1);
        if (*argv[3])
            setenv("T5_EVENT1", argv[3], 1);
        execvp(argv[4], argv + 4);
    }
    return 0;
}
