/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An event whose counter is taken for the system while the program sleeps. perf_taken TURNS [cpu]:
 * the loop; after a second loops that are not to be counted; after one more the event is disabled
 * and enabled again, and the loop. It is the program's event, or that of CPU 0.
 */
#define _GNU_SOURCE
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "loop.h"

struct count {
    uint64_t value, enabled, running;
};

static int event;

static struct count look(void)
{
    struct count count;

    if (read(event, &count, sizeof count) != sizeof count)
        exit(1);
    return count;
}

/* Loops are 2 instructions a turn; what is around them, other programs' too, is less than one. */
static int is(uint64_t value, uint64_t turns)
{
    return value >= 2 * turns && value < 3 * turns;
}

/* A child has its parent's period, but no samples; and what it counts while it has no counter it
 * does not say that it ran. */
static void child(struct perf_event_attr *attr, unsigned long turns)
{
    struct count before = look(), after;
    int status, sampled;

    attr->sample_period = 1000;
    sampled = (int)syscall(SYS_perf_event_open, attr, 0, -1, -1, 0);
    if (fork() == 0) {
        loop(turns);
        _exit(sampled < 0);
    }
    wait(&status);
    after = look();
    printf("child %d %d %d\n", status, is(after.value - before.value, turns),
           after.running - before.running == after.enabled - before.enabled);
    close(sampled);
}

int main(int argc, char **argv)
{
    unsigned long turns = argc > 1 ? strtoul(argv[1], NULL, 0) : 1000000;
    struct count base, before, taken, later, last, again;
    struct perf_event_attr attr;

    memset(&attr, 0, sizeof attr);
    attr.size = sizeof attr;
    attr.config = PERF_COUNT_HW_INSTRUCTIONS;
    attr.exclude_kernel = 1;
    attr.inherit = argc <= 2;
    attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    event = (int)syscall(SYS_perf_event_open, &attr, argc > 2 ? -1 : 0, argc > 2 ? 0 : -1, -1, 0);
    if (attr.inherit)
        child(&attr, turns);
    base = look();
    loop(turns);
    before = look();
    sleep(1);
    loop(2 * turns);
    taken = look();
    loop(turns);
    later = look();
    if (attr.inherit && fork() == 0) {
        loop(turns);
        _exit(0);
    }
    if (attr.inherit)
        wait(NULL);
    sleep(1);
    last = look();
    ioctl(event, PERF_EVENT_IOC_DISABLE, 0);
    ioctl(event, PERF_EVENT_IOC_ENABLE, 0);
    loop(turns);
    again = look();
    printf("before %d %d\n", is(before.value - base.value, turns),
           before.running == before.enabled);
    printf("taken %d %d\n", is(taken.value - base.value, turns), taken.running < taken.enabled);
    printf("stays %d %d %d\n", later.value == taken.value, later.running == taken.running,
           later.enabled > taken.enabled);
    /* Another counter may have been free for it. */
    printf("child then %d\n", last.running == later.running ? last.value == later.value
                                                            : is(last.value - later.value, turns));
    printf("again %d %d\n", is(again.value - last.value, turns),
           again.running > last.running &&
               again.running - last.running <= again.enabled - last.enabled);
    return 0;
}
