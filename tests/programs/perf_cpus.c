/* SPDX-License-Identifier: BSD-2-Clause */
/* perf_cpus CPUS: counts what each CPU does by perf_event_open(2), and prints what must be so. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "loop.h"

#define CPUS_MOST 16

static int cpus, event[CPUS_MOST];

static int open_event(uint32_t type, uint64_t config, int cpu)
{
    struct perf_event_attr attr;

    memset(&attr, 0, sizeof attr);
    attr.type = type;
    attr.size = sizeof attr;
    attr.config = config;
    attr.disabled = 1;
    attr.exclude_kernel = type == PERF_TYPE_HARDWARE;
    attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    return (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, 0);
}

static void all(unsigned long what)
{
    for (int cpu = 0; cpu < cpus; cpu++)
        ioctl(event[cpu], what, 0);
}

/* N turns here and as many in a child, wherever either runs: what all CPUs have counted. */
static uint64_t counted(unsigned long n)
{
    uint64_t sum = 0, got[3];

    all(PERF_EVENT_IOC_RESET);
    all(PERF_EVENT_IOC_ENABLE);
    if (fork() == 0) {
        loop(n);
        _exit(0);
    }
    loop(n);
    wait(NULL);
    all(PERF_EVENT_IOC_DISABLE);
    for (int cpu = 0; cpu < cpus; cpu++) {
        if (read(event[cpu], got, sizeof got) != sizeof got || got[1] != got[2] || got[1] == 0)
            return 0;
        sum += got[0];
    }
    return sum;
}

/* Whether it is the CPU's own event that moves where the program runs. */
static int own(int cpu)
{
    uint64_t got[3];
    cpu_set_t set;
    int right = 0;

    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0)
        return 0;
    all(PERF_EVENT_IOC_RESET);
    all(PERF_EVENT_IOC_ENABLE);
    loop(50000);
    all(PERF_EVENT_IOC_DISABLE);
    for (int other = 0; other < cpus; other++)
        right += read(event[other], got, sizeof got) == sizeof got &&
                 (got[0] >= 100000) == (other == cpu);
    return right == cpus;
}

int main(int argc, char **argv)
{
    static volatile unsigned long turns[] = {10, 10, 10, 100010};
    uint64_t got[3] = {0}, at[4];
    int clock, failed = 0;

    cpus = argc > 1 ? atoi(argv[1]) : 1;
    for (int cpu = 0; cpu < cpus; cpu++) {
        event[cpu] = open_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, cpu);
        failed += event[cpu] < 0;
    }
    printf("failed %d\n", failed);
    for (int i = 0; i < 4; i++)
        at[i] = counted(turns[i]);
    printf("more %ld\n", (long)(at[3] - at[2]));
    printf("some %d\n", at[1] > 40);
    for (int cpu = 0; cpu < cpus; cpu++)
        failed += !own(cpu);
    printf("own %d\n", failed == 0);
    for (int cpu = 0; cpu < cpus; cpu++)
        close(event[cpu]);
    clock = open_event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 0);
    ioctl(clock, PERF_EVENT_IOC_ENABLE, 0);
    usleep(20000);
    ioctl(clock, PERF_EVENT_IOC_DISABLE, 0);
    printf("clock %d\n", read(clock, got, sizeof got) == sizeof got && got[0] >= 20000000);
    printf("none %d\n", open_event(PERF_TYPE_HARDWARE, 1, 4096) == -1 && errno == ENODEV);
    printf("faults %d\n", open_event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 0) == -1 &&
                              errno == EOPNOTSUPP);
    if (setuid(1000) == 0)
        printf("others %d\n", open_event(PERF_TYPE_HARDWARE, 1, 0) == -1 && errno == EACCES);
    return 0;
}
