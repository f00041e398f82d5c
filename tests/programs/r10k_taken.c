/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events whose counter is taken for the system while they have no chance to be told, on one CPU.
 * r10k_taken TURNS born: a child's, before the child has run. It counts the loop's instructions if
 * it has got another counter, else nothing, and then it does not say that it ran.
 * r10k_taken TURNS asleep: one of a child that sleeps, disabled, and the counter is given back. It
 * counts from the first time on that it is enabled again.
 * r10k_taken TURNS held: a child of one whose events have all counters, which it does not inherit,
 * is to count for its parent before it has run. It has the counters from its first instruction on.
 */
#define _GNU_SOURCE
#include <linux/perf_event.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/syssgi.h>
#include <sys/wait.h>
#include "loop.h"
#include "r10k.h"

struct count {
    uint64_t value, enabled, running;
};

static hwperf_profevctrarg_t a;

static struct count look(int event)
{
    struct count count;

    if (read(event, &count, sizeof count) != sizeof count)
        exit(1);
    return count;
}

static void take(void)
{
    if (syssgi(SGI_EVENTCTR, HWPERF_ENSYSCNTRS, &a) < 0) {
        perror("system");
        exit(1);
    }
}

static int opened(struct perf_event_attr *attr, pid_t pid)
{
    attr->size = sizeof *attr;
    attr->config = PERF_COUNT_HW_INSTRUCTIONS;
    attr->exclude_kernel = 1;
    attr->read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    return (int)syscall(SYS_perf_event_open, attr, pid, -1, -1, 0);
}

static void born(unsigned long turns)
{
    struct perf_event_attr attr = {.inherit = 1};
    int event = opened(&attr, 0), counted;
    struct count before = look(event), after;
    uint64_t value, enabled, running;

    if (fork() == 0) {
        loop(turns);
        _exit(0);
    }
    take();
    wait(NULL);
    after = look(event);
    syssgi(SGI_EVENTCTR, HWPERF_RELSYSCNTRS);
    value = after.value - before.value;
    enabled = after.enabled - before.enabled;
    running = after.running - before.running;
    counted = value >= 2 * turns;
    printf("%s %d\n", value < 3 * turns ? "counts" : "too much",
           (running > enabled / 2) == counted);
    fprintf(stderr, "%llu of %llu, ran %llu of %llu\n", (unsigned long long)value, 2ull * turns,
            (unsigned long long)running, (unsigned long long)enabled);
}

static void asleep(unsigned long turns)
{
    struct perf_event_attr attr = {.disabled = 1};
    int channel[2], event;
    struct count count;
    char byte = 0;
    pid_t child;

    if (pipe(channel) != 0 || (child = fork()) < 0)
        exit(1);
    if (child == 0) {
        if (read(channel[0], &byte, 1) == 1)
            loop(turns);
        _exit(0);
    }
    usleep(100000);
    event = opened(&attr, child);
    ioctl(event, PERF_EVENT_IOC_ENABLE, 0); /* it has a counter now */
    ioctl(event, PERF_EVENT_IOC_DISABLE, 0);
    take();
    syssgi(SGI_EVENTCTR, HWPERF_RELSYSCNTRS);
    ioctl(event, PERF_EVENT_IOC_ENABLE, 0);
    if (write(channel[1], &byte, 1) != 1)
        exit(1);
    wait(NULL);
    count = look(event);
    printf("counts %d\n",
           count.value >= 2 * turns && count.value < 3 * turns && count.running == count.enabled);
    fprintf(stderr, "%llu of %llu, ran %llu of %llu\n", (unsigned long long)count.value,
            2ull * turns, (unsigned long long)count.running, (unsigned long long)count.enabled);
}

static void held(unsigned long turns)
{
    struct perf_event_attr attr = {.disabled = 0};
    int up[2], down[2], generation, file;
    hwperf_cntr_t counted;
    char byte = 0;
    pid_t child;

    memset(&a, 0, sizeof a);
    want(&a, GRADUATED, HWPERF_CNTEN_U);
    close(open_process(getpid())); /* what is made at the first use is there */
    for (int i = 0; i < 2; i++)
        (void)opened(&attr, 0);
    if (pipe(up) != 0 || pipe(down) != 0 || (child = fork()) < 0)
        exit(1);
    if (child == 0) {
        loop(turns);
        _exit(write(up[1], &byte, 1) != 1 || read(down[0], &byte, 1) != 1);
    }
    file = open_process(child);
    generation = ioctl(file, PIOCENEVCTRS, &a);
    if (generation < 0) {
        perror("begin");
        exit(1);
    }
    if (read(up[0], &byte, 1) != 1)
        exit(1);
    printf("counts %d\n", ioctl(file, PIOCGETEVCTRS, &counted) == generation &&
                              counted.hwp_evctr[GRADUATED] >= 2 * turns);
    fprintf(stderr, "%llu of %llu\n", (unsigned long long)counted.hwp_evctr[GRADUATED],
            2ull * turns);
    exit(write(down[1], &byte, 1) != 1);
}

int main(int argc, char **argv)
{
    unsigned long turns = argc > 1 ? strtoul(argv[1], NULL, 0) : 1000000;

    want(&a, GRADUATED, HWPERF_CNTEN_U | HWPERF_CNTEN_K);
    if (argc > 2 && strcmp(argv[2], "asleep") == 0)
        asleep(turns);
    else if (argc > 2 && strcmp(argv[2], "held") == 0)
        held(turns);
    else
        born(turns);
    return 0;
}
