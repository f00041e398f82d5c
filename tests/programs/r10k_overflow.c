/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Thresholds with a signal: r10k_overflow N TURNS [turns|system|syssgi|syssgi-left|syssgi-alone].
 * Prints 1 for each that holds: signals came; not more than thresholds; they carried as many as
 * floor(count / N) thresholds. turns: another event of the counter has every second tick. The
 * others: so, in system mode, where each CPU counts to N by itself; syssgi-left leaves that on, and
 * prints nothing; syssgi-alone: no other event of the counter.
 */
#include "r10k.h"
#include <sys/syssgi.h>

static volatile unsigned long long signals, carried;
static hwperf_profevctrarg_t a;
static int fd, n;

static void handler(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    (void)context;
    signals++;
    carried += (unsigned)info->si_value.sival_int;
}

static unsigned long long records_of_cpus(unsigned long long *counted)
{
    unsigned long long records = 0;
    hwperf_cntr_t c;

    *counted = 0;
    for (int cpu = 0; syssgi(SGI_EVENTCTR, HWPERF_GETCPUCNTRS, cpu, &c) > 0; cpu++) {
        *counted += c.hwp_evctr[INSTRUCTIONS];
        records += c.hwp_evctr[INSTRUCTIONS] / (unsigned)n;
    }
    return records;
}

static void report(const char *how)
{
    unsigned long long counted, records;

    if (how[0] == 's') {
        records = records_of_cpus(&counted);
    } else {
        counted = count(fd, INSTRUCTIONS);
        records = counted / (unsigned)n;
    }
    printf("%d %d %d\n", signals > 0, signals <= records, carried == records);
    fprintf(stderr, "%llu events, %llu thresholds, %llu signals for %llu\n", counted, records,
            signals, carried);
}

static void others(const char *how)
{
    if (how[0] != 0 && strcmp(how, "syssgi-alone") != 0)
        want(&a, CYCLES_0, HWPERF_CNTEN_U);
    if (how[0] == 's')
        want(&a, GRADUATED, HWPERF_CNTEN_K | HWPERF_CNTEN_U);
}

int main(int argc, char **argv)
{
    unsigned long turns = argc > 2 ? strtoul(argv[2], NULL, 0) : 1000000;
    const char *how = argc > 3 ? argv[3] : "";
    int all = strncmp(how, "syssgi", 6) == 0;
    struct sigaction action;

    fd = open_process(getpid());
    n = argc > 1 ? atoi(argv[1]) : 1000;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = handler;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGUSR1, &action, NULL);
    want(&a, INSTRUCTIONS, HWPERF_CNTEN_U);
    others(how);
    a.hwp_ovflw_freq[INSTRUCTIONS] = n;
    a.hwp_ovflw_sig = SIGUSR1;
    if ((all ? syssgi(SGI_EVENTCTR, HWPERF_ENSYSCNTRS, &a) : ioctl(fd, PIOCENEVCTRS, &a)) < 0) {
        perror("begin");
        return 1;
    }
    loop(turns);
    if (strcmp(how, "syssgi-left") == 0)
        return 0;
    if (all)
        syssgi(SGI_EVENTCTR, HWPERF_RELSYSCNTRS);
    else
        ioctl(fd, PIOCRELEVCTRS);
    usleep(50000);
    report(how);
    return 0;
}
