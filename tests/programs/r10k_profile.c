/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * PC buckets: r10k_profile N TURNS. Two functions execute the same loop, one three times as often;
 * every Nth instruction raises a bucket of 4 bytes of text. Prints per mille of the hits that the
 * first has; whether all buckets, with that for the rest, are floor(count / N); and what errors and
 * others' lives do. r10k_profile N TURNS kstat: no bucket for the rest, and the second function's
 * memory is gone; prints the hits that were kept, and the thresholds, and stays.
 */
#include "r10k.h"
#include <sys/mman.h>
#include <sys/profil.h>
#include <sys/syssgi.h>

#define BYTES 0x8000ul /* a scale: text that a bucket has is 4 bytes */
#define SIZE  64       /* buckets of a function */

static hwperf_profevctrarg_t a;
static volatile unsigned short hits[2][SIZE], rest[1];
static struct prof regions[3];
static int fd, n;

__attribute__((noinline, aligned(256))) static void often(unsigned long turns)
{
    loop(turns);
}

__attribute__((noinline, aligned(256))) static void seldom(unsigned long turns)
{
    loop(turns);
}

static void region(struct prof *prof, volatile unsigned short *buckets, size_t size,
                   void (*function)(unsigned long))
{
    prof->pr_base = (void *)buckets;
    prof->pr_size = size;
    prof->pr_off = (size_t)function;
    prof->pr_scale = function ? BYTES : 2;
}

static int begin(int count)
{
    return syssgi(SGI_EVENTCTR, HWPERF_PROFENABLE, &a, regions, count);
}

static unsigned long long sum(const volatile unsigned short *buckets, int count)
{
    unsigned long long all = 0;

    for (int i = 0; i < count; i++)
        all += buckets[i];
    return all;
}

static void wrong(void)
{
    hwperf_profevctrarg_t good = a;

    printf("no region %s too many %s", said(begin(0)), "");
    printf("%s\n", said(begin(17)));
    regions[0].pr_size = 1;
    printf("no bucket %s\n", said(begin(3)));
    region(&regions[0], hits[0], sizeof hits[0], often);
    a.hwp_ovflw_freq[INSTRUCTIONS] = 0;
    printf("no threshold %s\n", said(begin(3)));
    a = good;
    want(&a, INSTRUCTIONS, HWPERF_CNTEN_U | HWPERF_CNTEN_K);
    printf("kernel %s\n", said(begin(3)));
    a = good;
    printf("address %s\n", said(syssgi(SGI_EVENTCTR, HWPERF_PROFENABLE, &a, 8, 3)));
}

/* Without a call that would bring them: they come by themselves. */
static void by_themselves(unsigned long turns)
{
    printf("begin %s\n", said(begin(3)));
    while (sum(hits[0], SIZE) == 0)
        often(turns / 100);
    printf("by themselves 1\n");
}

/* A child has buckets of its own memory; another program has none. */
static void child(unsigned long turns)
{
    unsigned long long before, after;
    int status;
    pid_t pid;

    begin(3);
    before = sum(hits[1], SIZE);
    pid = fork();
    if (pid == 0) {
        fd = open_process(getpid());
        seldom(turns);
        ioctl(fd, PIOCRELEVCTRS);
        after = sum(hits[1], SIZE);
        _exit(after - before >= turns / (unsigned)n ? 0 : 1);
    }
    waitpid(pid, &status, 0);
    after = sum(hits[1], SIZE);
    printf("child %d own %d\n", WEXITSTATUS(status), after == before);
    pid = fork();
    if (pid == 0) {
        execl("/proc/self/exe", "r10k_profile", "empty", NULL);
        _exit(1);
    }
    waitpid(pid, &status, 0);
    printf("exec %d\n", WEXITSTATUS(status));
}

static void shares(unsigned long turns)
{
    unsigned long long all, records;

    ioctl(fd, PIOCRELEVCTRS);
    memset((void *)hits, 0, sizeof hits);
    rest[0] = 0;
    begin(3);
    for (int i = 0; i < 100; i++) {
        often(turns / 100 * 3);
        seldom(turns / 100);
    }
    ioctl(fd, PIOCRELEVCTRS);
    all = sum(hits[0], SIZE) + sum(hits[1], SIZE);
    records = count(fd, INSTRUCTIONS) / (unsigned)n;
    printf("all %d\n", all + rest[0] == records);
    printf("share %llu\n", all ? (sum(hits[0], SIZE) * 1000 + all / 2) / all : 0); /* rounded */
    fprintf(stderr, "%llu + %u hits, %llu thresholds\n", all, rest[0], records);
}

static void stay(unsigned long turns)
{
    void *gone = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    region(&regions[1], gone, SIZE * sizeof hits[0][0], seldom);
    munmap(gone, 4096);
    begin(2);
    for (int i = 0; i < 100; i++) {
        often(turns / 100 * 3);
        seldom(turns / 100);
        loop(turns / 100);
    }
    ioctl(fd, PIOCRELEVCTRS);
    printf("kept %llu of %llu\n", sum(hits[0], SIZE), count(fd, INSTRUCTIONS) / (unsigned)n);
    pause();
}

int main(int argc, char **argv)
{
    unsigned long turns = argc > 2 ? strtoul(argv[2], NULL, 0) : 10000000;

    if (argc > 1 && strcmp(argv[1], "empty") == 0) {
        loop(1000000);
        return sum(hits[0], SIZE) + sum(hits[1], SIZE) + rest[0] != 0;
    }
    n = argc > 1 ? atoi(argv[1]) : 1009;
    fd = open_process(getpid());
    setvbuf(stdout, NULL, _IOLBF, 0);
    want(&a, INSTRUCTIONS, HWPERF_CNTEN_U);
    a.hwp_ovflw_freq[INSTRUCTIONS] = n;
    region(&regions[0], hits[0], sizeof hits[0], often);
    region(&regions[1], hits[1], sizeof hits[1], seldom);
    region(&regions[2], rest, sizeof rest, NULL);
    if (argc > 3) {
        stay(turns);
        return 1;
    }
    wrong();
    by_themselves(turns);
    child(turns);
    shares(turns);
    return 0;
}
