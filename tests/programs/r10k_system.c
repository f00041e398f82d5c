/* SPDX-License-Identifier: BSD-2-Clause */
/* r10k_counters(5) in system mode: every call and error of syssgi(SGI_EVENTCTR), and how the modes
 * exclude each other. */
#include "r10k.h"
#include <sys/syssgi.h>

#define LOOP 20000000ul

static hwperf_profevctrarg_t user, kernel;
static hwperf_cntr_t counts;
static hwperf_eventctrl_t control;

static int system_begin(void)
{
    return syssgi(SGI_EVENTCTR, HWPERF_ENSYSCNTRS, &kernel);
}

static void unused(void)
{
    printf("control %s\n", said(syssgi(SGI_EVENTCTR, HWPERF_GETSYSEVCTRL, &control)));
    printf("set %s\n", said(syssgi(SGI_EVENTCTR, HWPERFSETSYSEVCTRL, &kernel)));
    printf("release %s\n", said(syssgi(SGI_EVENTCTR, HWPERF_RELSYSCNTRS)));
    printf("no K %s\n", said(syssgi(SGI_EVENTCTR, HWPERF_ENSYSCNTRS, &user)));
    printf("address %s\n", said(syssgi(SGI_EVENTCTR, HWPERF_ENSYSCNTRS, 8)));
    printf("unknown %s", said(syssgi(SGI_EVENTCTR, 99)));
    printf(" %s\n", said(syssgi(SGI_EVENTCTR + 1, HWPERF_RELSYSCNTRS)));
}

static void as_nobody(void)
{
    pid_t child = fork();

    if (child != 0) {
        waitpid(child, NULL, 0);
        return;
    }
    if (setuid(1000) != 0)
        _exit(1);
    printf("nobody %s", said(system_begin()));
    printf(" %s", said(syssgi(SGI_EVENTCTR, HWPERF_ENSYSCNTRS, &user)));
    printf(" %s\n", said(syssgi(SGI_EVENTCTR, HWPERF_RELSYSCNTRS)));
    fflush(stdout);
    _exit(0);
}

/* Through /proc: not while one that counts is running, but while it sleeps. */
static void lazily(int self)
{
    pid_t child;
    int fd, before, own;

    printf("user %s\n", said(ioctl(self, PIOCENEVCTRS, &user)));
    printf("running %s\n", said(ioctl(self, PIOCENEVCTRS, &kernel)));
    child = fork(); /* it counts, too */
    if (child == 0)
        for (;;)
            pause();
    ioctl(self, PIOCRELEVCTRS);
    usleep(100000);
    fd = open_process(child);
    before = ioctl(fd, PIOCGETEVCTRS, &counts);
    own = ioctl(self, PIOCENEVCTRS, &kernel);
    printf("sleeping %s\n", said(own));
    printf("its generation grew %d\n", ioctl(fd, PIOCGETEVCTRS, &counts) == before + 1);
    printf("it sets %s", said(ioctl(fd, PIOCSETEVCTRL, &user)));
    printf(" it begins %s\n", said(ioctl(fd, PIOCENEVCTRS, &user)));
    loop(LOOP);
    printf("same number %d\n", ioctl(self, PIOCGETEVCTRS, &counts) == own);
    printf("enough %d\n", counts.hwp_evctr[INSTRUCTIONS] > 2 * LOOP);
    printf("again %s by force %s", said(ioctl(self, PIOCENEVCTRS, &kernel)), "");
    printf("%s\n", said(system_begin()));
    printf("release %s\n", said(ioctl(self, PIOCRELEVCTRS)));
    printf("it begins %s\n", said(ioctl(fd, PIOCENEVCTRS, &user)));
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

static void by_force(int self)
{
    int before = ioctl(self, PIOCENEVCTRS, &user), first, second;
    unsigned long long at;

    first = system_begin();
    printf("force %s\n", said(first));
    printf("lost %d\n", ioctl(self, PIOCGETEVCTRS, &counts) == before + 1);
    at = counts.hwp_evctr[INSTRUCTIONS];
    loop(1000);
    printf("stays %d\n", count(self, INSTRUCTIONS) == at);
    printf("second %s user %s", said(system_begin()), "");
    printf("%s\n", said(ioctl(self, PIOCENEVCTRS, &user)));
    printf("control %d", syssgi(SGI_EVENTCTR, HWPERF_GET_SYSEVCTRL, &control) == first);
    printf(" %d\n", memcmp(&control, &kernel.hwp_evctrargs, sizeof control) == 0);
    loop(LOOP);
    printf("counts %d", syssgi(SGI_EVENTCTR, HWPERF_GETSYSCNTRS, &counts) == first);
    printf(" %d\n", counts.hwp_evctr[INSTRUCTIONS] > 2 * LOOP);
    second = syssgi(SGI_EVENTCTR, HWPERF_SETSYSEVCTRL, &kernel);
    printf("set %d\n", second == first + 1);
}

static void of_cpus(void)
{
    unsigned long long sum = 0, wide = 1ull << 32;
    hwperf_cntr_t all;
    int n = 0;

    printf("released %s\n", said(syssgi(SGI_EVENTCTR, HWPERF_RELSYSCNTRS)));
    syssgi(SGI_EVENTCTR, HWPERF_GETSYSCNTRS, &all);
    while (syssgi(SGI_EVENTCTR, HWPERF_GETCPUCNTRS, n, &counts) > 0) {
        sum += counts.hwp_evctr[INSTRUCTIONS];
        n++;
    }
    printf("sum of CPUs %d\n", n > 0 && sum == all.hwp_evctr[INSTRUCTIONS] && sum > 2 * LOOP);
    __asm__("" : "+r"(wide)); /* an int's register may have more bits than an int */
    printf("CPU 0 %s\n", said(syssgi(SGI_EVENTCTR, HWPERF_GETCPUCNTRS, (int)wide, &counts)));
    printf("no such CPU %s", said(syssgi(SGI_EVENTCTR, HWPERF_GETCPUCNTRS, n, &counts)));
    printf(" %s\n", said(syssgi(SGI_EVENTCTR, HWPERF_GETCPUCNTRS, -1, &counts)));
    fprintf(stderr, "%d CPUs\n", n);
}

/* Who is killed in system mode leaves it. */
static void killed(int self)
{
    pid_t child = fork();
    int fd;

    if (child == 0) {
        fd = open_process(getpid());
        if (ioctl(fd, PIOCENEVCTRS, &kernel) < 0)
            perror("child");
        kill(getpid(), SIGKILL);
    }
    waitpid(child, NULL, 0);
    printf("after a kill %s", said(ioctl(self, PIOCENEVCTRS, &user)));
    ioctl(self, PIOCRELEVCTRS);
    printf(" %s\n", said(system_begin()));
    syssgi(SGI_EVENTCTR, HWPERF_RELSYSCNTRS);
}

int main(void)
{
    int self = open_process(getpid());

    setvbuf(stdout, NULL, _IOLBF, 0);
    want(&user, INSTRUCTIONS, HWPERF_CNTEN_U);
    want(&kernel, INSTRUCTIONS, HWPERF_CNTEN_U | HWPERF_CNTEN_K);
    unused();
    as_nobody();
    lazily(self);
    by_force(self);
    of_cpus();
    killed(self);
    return 0;
}
