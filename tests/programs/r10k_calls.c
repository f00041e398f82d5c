/* SPDX-License-Identifier: BSD-2-Clause */
/* Every call and error of r10k_counters(5) on /proc, and what is counted exactly. */
#include "r10k.h"

static hwperf_profevctrarg_t zero;

static void errors(int fd)
{
    hwperf_profevctrarg_t a = zero;
    hwperf_cntr_t c;
    hwperf_eventctrl_t e;
    hwperf_prusage_t u;

    printf("nothing yet %s ", said(ioctl(fd, PIOCGETEVCTRS, &c)));
    printf("%s ", said(ioctl(fd, PIOCGETPREVCTRS, &u)));
    printf("%s ", said(ioctl(fd, PIOCGETEVCTRL, &e)));
    want(&a, INSTRUCTIONS, HWPERF_CNTEN_U);
    printf("%s ", said(ioctl(fd, PIOCSETEVCTRL, &a)));
    printf("%s\n", said(ioctl(fd, PIOCRELEVCTRS)));
    printf("no event %s\n", said(ioctl(fd, PIOCENEVCTRS, &zero)));
    a.hwp_ovflw_freq[3] = -1;
    printf("negative %s\n", said(ioctl(fd, PIOCENEVCTRS, &a)));
    a = zero;
    want(&a, INSTRUCTIONS, 0);
    printf("no mode %s\n", said(ioctl(fd, PIOCENEVCTRS, &a)));
    want(&a, INSTRUCTIONS, HWPERF_CNTEN_U);
    a.hwp_evctrargs.hwp_evctrl[INSTRUCTIONS].hwperf_creg.hwp_ev = 14;
    printf("another's %s\n", said(ioctl(fd, PIOCENEVCTRS, &a)));
    a = zero;
    want(&a, INSTRUCTIONS, HWPERF_CNTEN_U);
    a.hwp_ovflw_sig = 33;
    printf("signal 33 %s\n", said(ioctl(fd, PIOCENEVCTRS, &a)));
    a.hwp_ovflw_sig = -1;
    printf("signal -1 %s\n", said(ioctl(fd, PIOCENEVCTRS, &a)));
    printf("address %s\n", said(ioctl(fd, PIOCENEVCTRS, (void *)8)));
    printf("nothing at an address %s\n", said(ioctl(fd, PIOCGETEVCTRS, (void *)8)));
    printf("unknown %s\n", said(ioctl(fd, PIOC | 0x47, &a)));
}

/* As nobody: K and S are root's, and so is another's process; EINVAL comes first. */
static void as_nobody(pid_t parent)
{
    hwperf_profevctrarg_t a = zero;
    int own, theirs;

    setpgid(0, 0);
    if (setuid(1000) != 0)
        exit(1);
    own = open_process(getpid());
    theirs = open_process(parent);
    want(&a, INSTRUCTIONS, HWPERF_CNTEN_U | HWPERF_CNTEN_K);
    printf("kernel %s\n", said(ioctl(own, PIOCENEVCTRS, &a)));
    want(&a, INSTRUCTIONS, HWPERF_CNTEN_S);
    printf("supervisor %s\n", said(ioctl(own, PIOCENEVCTRS, &a)));
    a.hwp_ovflw_freq[0] = -1;
    printf("EINVAL first %s\n", said(ioctl(own, PIOCENEVCTRS, &a)));
    a = zero;
    want(&a, INSTRUCTIONS, HWPERF_CNTEN_U | HWPERF_CNTEN_E);
    printf("exceptions %s\n", said(ioctl(own, PIOCENEVCTRS, &a)));
    printf("another's process %s\n", said(ioctl(theirs, PIOCENEVCTRS, &a)));
    printf("%s ", said(ioctl(theirs, PIOCGETEVCTRL, &a.hwp_evctrargs)));
    printf("%s ", said(ioctl(theirs, PIOCGETEVCTRS, (void *)8)));
    printf("%s ", said(ioctl(theirs, PIOCRELEVCTRS)));
    printf("%s\n", said(ioctl(theirs, PIOCSAVECCNTRS)));
    fflush(stdout);
    _exit(0);
}

static unsigned long long turns(int fd, int i, unsigned long n)
{
    unsigned long long before = count(fd, i), none;

    loop(0 + 1);
    none = count(fd, i) - before;
    before = count(fd, i);
    loop(n + 1);
    return count(fd, i) - before - none;
}

static unsigned long long since(const struct timespec *time)
{
    return time->tv_sec * 1000000000ull + (unsigned long long)time->tv_nsec;
}

static unsigned long long monotonic(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return since(&now);
}

static void counting(int fd)
{
    hwperf_profevctrarg_t a = zero;
    hwperf_eventctrl_t e;
    hwperf_prusage_t u;
    int first, second;
    unsigned long long at, early, late;

    want(&a, INSTRUCTIONS, HWPERF_CNTEN_U);
    want(&a, GRADUATED, HWPERF_CNTEN_U);
    first = ioctl(fd, PIOCENEVCTRS, &a);
    printf("begin %s\n", said(first));
    printf("counter 0 %llu\n", turns(fd, INSTRUCTIONS, 100000));
    printf("counter 1 %llu\n", turns(fd, GRADUATED, 100000));
    printf("same number %d\n", ioctl(fd, PIOCGETEVCTRL, &e) == first);
    printf("same control %d\n", memcmp(&e, &a.hwp_evctrargs, sizeof e) == 0);
    printf("spec %#x\n", (unsigned short)e.hwp_evctrl[INSTRUCTIONS].hwperf_spec);
    printf("addresses %s", said(ioctl(fd, PIOCGETEVCTRS, (void *)8)));
    printf(" %s", said(ioctl(fd, PIOCGETPREVCTRS, (void *)8)));
    printf(" %s\n", said(ioctl(fd, PIOCGETEVCTRL, (void *)8)));
    at = count(fd, INSTRUCTIONS);
    early = monotonic();
    printf("usage %d ", ioctl(fd, PIOCGETPREVCTRS, &u) == first);
    late = monotonic();
    printf("%d ", since(&u.pu_tstamp) >= early && since(&u.pu_tstamp) <= late);
    printf("%d %d %d\n", u.pu_cpu_mon.hwp_evctr[INSTRUCTIONS] > at, u.pu_sysc > 0, u.pu_rss > 0);
    want(&a, GRADUATED, 0);
    a.hwp_evctrargs.hwp_evctrl[GRADUATED].hwperf_spec = 0;
    second = ioctl(fd, PIOCSETEVCTRL, &a);
    printf("another number %d\n", second == first + 1);
    printf("counts stay %d\n", count(fd, INSTRUCTIONS) > at);
    printf("counter 0 %llu counter 1 %llu\n", turns(fd, INSTRUCTIONS, 1000),
           turns(fd, GRADUATED, 1000));
    at = count(fd, INSTRUCTIONS);
    loop(1000);
    printf("release %s\n", said(ioctl(fd, PIOCRELEVCTRS)));
    printf("until then %d\n", count(fd, INSTRUCTIONS) - at >= 2000);
    at = count(fd, INSTRUCTIONS);
    loop(1000);
    printf("stays %d\n", at > 200000 && count(fd, INSTRUCTIONS) == at);
    printf("set without counters %s\n", said(ioctl(fd, PIOCSETEVCTRL, &a)));
    want(&a, INSTRUCTIONS, HWPERF_CNTEN_S);
    printf("root's supervisor %s", said(ioctl(fd, PIOCENEVCTRS, &a)));
    loop(1000);
    printf(" %llu\n", count(fd, INSTRUCTIONS));
    ioctl(fd, PIOCRELEVCTRS);
}

int main(void)
{
    int fd = open_process(getpid()), plain;
    char path[32];
    pid_t child;

    setvbuf(stdout, NULL, _IOLBF, 0);
    snprintf(path, sizeof path, "/proc/%d", (int)getpid());
    plain = open(path, O_RDWR);
    printf("open %d %d\n", fd >= 0, plain >= 0);
    errors(fd);
    child = fork();
    if (child == 0)
        as_nobody(getppid());
    waitpid(child, NULL, 0);
    counting(plain);
    child = fork();
    if (child == 0)
        pause();
    fd = open_process(child);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    printf("gone %s\n", said(ioctl(fd, PIOCRELEVCTRS)));
    return 0;
}
