/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts itself by perf_event_open(2), as its manual page shows, and prints what must be so. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "loop.h"

#define PAGES 37

static struct perf_event_attr attr_of(uint32_t type, uint64_t config)
{
    struct perf_event_attr attr;

    memset(&attr, 0, sizeof attr);
    attr.type = type;
    attr.size = sizeof attr;
    attr.config = config;
    attr.disabled = 1;
    return attr;
}

static int open_event(struct perf_event_attr *attr, pid_t pid, int group, unsigned long flags)
{
    return (int)syscall(SYS_perf_event_open, attr, pid, -1, group, flags);
}

static uint64_t value(int fd)
{
    uint64_t out = 0;

    if (read(fd, &out, sizeof out) != sizeof out)
        return UINT64_MAX;
    return out;
}

/* N turns between enable and disable. */
static uint64_t turns(int fd, unsigned long n)
{
    ioctl(fd, PERF_EVENT_IOC_RESET, 0);
    ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
    loop(n);
    ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
    return value(fd);
}

static int instructions(int user, int kernel)
{
    struct perf_event_attr attr = attr_of(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);

    attr.exclude_user = !user;
    attr.exclude_kernel = !kernel;
    return open_event(&attr, 0, -1, 0);
}

static void counts_loop(void)
{
    int fd = instructions(1, 0), same = 1;
    uint64_t first;

    turns(fd, 10);
    first = turns(fd, 1000);
    for (int i = 0; i < 9; i++)
        same &= turns(fd, 1000) == first;
    printf("same %d\n", same);
    printf("loop %ld\n", (long)(turns(fd, 101000) - first));
    printf("overhead %d\n", first - 2000 < 100);
    close(fd);
}

static void modes(void)
{
    int user = instructions(1, 0), kernel = instructions(0, 1), both;
    struct perf_event_attr attr = attr_of(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
    struct {
        uint64_t number, value[3];
    } got;

    close(user);
    close(kernel);
    attr.read_format = PERF_FORMAT_GROUP;
    both = open_event(&attr, 0, -1, 0);
    attr.disabled = 0;
    attr.exclude_kernel = 1;
    user = open_event(&attr, 0, both, 0);
    attr.exclude_kernel = 0;
    attr.exclude_user = 1;
    kernel = open_event(&attr, 0, both, 0);
    if (kernel < 0)
        printf("a third in the group: %s\n", strerrorname_np(errno));
    ioctl(both, PERF_EVENT_IOC_ENABLE, 0);
    for (int i = 0; i < 100; i++)
        syscall(SYS_getpid);
    loop(1000);
    ioctl(both, PERF_EVENT_IOC_DISABLE, 0);
    if (read(both, &got, sizeof got) < 24)
        printf("no group\n");
    if (kernel < 0)
        got.value[2] = got.value[0] - got.value[1];
    printf("user and kernel %d\n", got.value[0] == got.value[1] + got.value[2] &&
                                       got.value[1] > 2000 && got.value[2] > 1000);
    close(both);
    close(user);
    close(kernel);
}

/* By the other count that there is: this has one thread. */
static long long switches_of_program(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_nvcsw + usage.ru_nivcsw;
}

static void software(void)
{
    long long before, first, last, after;
    struct perf_event_attr attr = attr_of(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);
    int faults = open_event(&attr, 0, -1, 0), switches, clock;
    char *memory =
        mmap(NULL, PAGES * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct timespec time = {0, 1000000};

    ioctl(faults, PERF_EVENT_IOC_ENABLE, 0);
    for (int i = 0; i < PAGES; i++)
        memory[i * 4096] = 1;
    ioctl(faults, PERF_EVENT_IOC_DISABLE, 0);
    printf("faults %d\n", (int)value(faults));
    attr.config = PERF_COUNT_SW_CONTEXT_SWITCHES;
    switches = open_event(&attr, 0, -1, 0);
    attr.config = PERF_COUNT_SW_TASK_CLOCK;
    clock = open_event(&attr, 0, -1, 0);
    before = switches_of_program();
    ioctl(switches, PERF_EVENT_IOC_ENABLE, 0);
    first = switches_of_program();
    for (int i = 0; i < 10; i++)
        nanosleep(&time, NULL);
    last = switches_of_program();
    ioctl(switches, PERF_EVENT_IOC_DISABLE, 0);
    after = switches_of_program();
    printf("switches %d\n",
           last > first && value(switches) >= last - first && value(switches) <= after - before);
    ioctl(clock, PERF_EVENT_IOC_ENABLE, 0);
    loop(3000000);
    ioctl(clock, PERF_EVENT_IOC_DISABLE, 0);
    printf("clock %d\n", value(clock) > 100000);
    close(faults);
    close(switches);
    close(clock);
}

/* A child and its child, whose parent between ends first or last. */
static uint64_t tree(int fd, unsigned long n, int outer)
{
    int end[2], go[2];
    char byte;

    ioctl(fd, PERF_EVENT_IOC_RESET, 0);
    if (pipe(end) != 0 || pipe(go) != 0)
        return 0;
    if (fork() == 0) {
        if (fork() == 0) {
            close(go[1]);
            if (outer)
                (void)!read(go[0], &byte, 1);
            loop(n);
            _exit(0);
        }
        if (!outer)
            wait(NULL);
        _exit(0);
    }
    wait(NULL);
    close(go[1]);
    close(end[1]);
    while (read(end[0], &byte, 1) > 0)
        ;
    close(end[0]);
    close(go[0]);
    return value(fd);
}

static void inherits(void)
{
    struct perf_event_attr attr = attr_of(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
    int fd;

    attr.exclude_kernel = attr.inherit = 1;
    attr.disabled = 0;
    for (int outer = 0; outer < 2; outer++) {
        static volatile unsigned long turns_of[4] = {10, 10, 10, 50010};
        uint64_t at[4];

        fd = open_event(&attr, 0, -1, 0);
        for (int i = 0; i < 4; i++) /* children's counts stay when the event is reset */
            at[i] = tree(fd, turns_of[i], outer);
        printf("inherited %ld\n", (long)((at[3] - at[2]) - (at[2] - at[1])));
        close(fd);
    }
}

static void child_of_ours(void)
{
    struct perf_event_attr attr = attr_of(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
    int go[2], fd;
    pid_t child;
    char byte;

    attr.exclude_kernel = 1;
    attr.enable_on_exec = 1;
    if (pipe(go) != 0)
        return;
    child = fork();
    if (child == 0) {
        close(go[1]);
        (void)!read(go[0], &byte, 1);
        loop(1000000);
        execl("/proc/self/exe", "perf_self", "nothing", (char *)NULL);
        _exit(1);
    }
    fd = open_event(&attr, child, -1, PERF_FLAG_FD_CLOEXEC);
    close(go[1]);
    waitpid(child, NULL, 0);
    printf("after exec %d\n", value(fd) > 500 && value(fd) < 1000000);
    printf("cloexec %d\n", fcntl(fd, F_GETFD) == FD_CLOEXEC);
    close(fd);
}

static void formats(void)
{
    struct perf_event_attr attr = attr_of(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
    uint64_t got[4], id;
    int fd, member;

    attr.read_format =
        PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_ID;
    fd = open_event(&attr, 0, -1, 0);
    ioctl(fd, PERF_EVENT_IOC_ID, &id);
    turns(fd, 100000);
    printf("read %d\n", (int)read(fd, got, sizeof got));
    printf("times %d id %d\n", got[1] == got[2] && got[1] > 0, got[3] == id);
    printf("short %d\n", read(fd, got, 8) == -1 && errno == ENOSPC);
    close(fd);
    attr.read_format = PERF_FORMAT_GROUP;
    fd = open_event(&attr, 0, -1, 0);
    member = open_event(&attr, 0, fd, 0);
    printf("group %d", read(fd, got, 16) == -1 && errno == ENOSPC);
    printf(" %d", (int)read(fd, got, 24));
    close(member);
    printf(" %d\n", (int)read(fd, got, 16));
    close(fd);
}

/* More than any PMU of ours has. */
static void too_many(void)
{
    struct perf_event_attr attr = attr_of(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
    int fd[20], waits = 0;
    uint64_t got[3];

    attr.disabled = 0;
    attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    for (int i = 0; i < 20; i++)
        fd[i] = open_event(&attr, 0, -1, 0);
    loop(100000);
    for (int i = 0; i < 20; i++) {
        (void)!read(fd[i], got, sizeof got);
        waits += got[1] > 0 && got[2] == 0 && got[0] == 0;
    }
    printf("without a counter %d\n", waits > 0 && waits < 20);
    attr.pinned = 1;
    close(fd[19]);
    fd[19] = open_event(&attr, 0, -1, 0);
    printf("pinned %d\n", (int)read(fd[19], got, sizeof got));
    for (int i = 0; i < 19; i++)
        close(fd[i]);
    close(fd[19]);
}

#define GROUP 32 /* linux/perf/perf_private.h */

/* As large as a group can be, and once more when its members have been closed. */
static void large_group(void)
{
    struct perf_event_attr attr = attr_of(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
    int fd[GROUP + 1], member;

    for (int times = 0; times < 2; times++) {
        fd[0] = open_event(&attr, 0, -1, 0);
        for (member = 1; member <= GROUP && (fd[member] = open_event(&attr, 0, fd[0], 0)) >= 0;)
            member++;
        printf("group of %d: %s\n", member, strerrorname_np(errno));
        for (int again = 0; again < 2; again++) {
            close(fd[member - 1]);
            fd[member - 1] = open_event(&attr, 0, fd[0], 0);
        }
        printf("again %d %d\n", fd[member - 1] >= 0, open_event(&attr, 0, fd[0], 0) < 0);
        for (int i = member; i-- > 0;)
            close(fd[i]);
    }
}

static const char *name(int result)
{
    return result >= 0 ? "0" : strerrorname_np(errno);
}

static void errors(void)
{
    struct perf_event_attr attr = attr_of(PERF_TYPE_HARDWARE, 999),
                           good = attr_of(PERF_TYPE_SOFTWARE, 1);
    int fd;

    printf("unknown %s\n", name(open_event(&attr, 0, -1, 0)));
    printf("flags %s\n", name(open_event(&good, 0, -1, 64)));
    printf("group %s\n", name(open_event(&good, 0, 1, 0)));
    printf("pid %s\n", name(open_event(&good, 99999, -1, 0)));
    printf("nobody %s\n", name(open_event(&good, -1, -1, 0)));
    good.size = 4;
    printf("size %s", name(open_event(&good, 0, -1, 0)));
    printf(" %d\n", good.size >= PERF_ATTR_SIZE_VER0);
    good.size = sizeof good;
    good.read_format = 1024;
    printf("format %s\n", name(open_event(&good, 0, -1, 0)));
    printf("memory %s\n", name((int)syscall(SYS_perf_event_open, 8, 0, -1, -1, 0)));
    good.read_format = 0;
    fd = open_event(&good, 0, -1, 0);
    printf("refresh %s\n", name(ioctl(fd, PERF_EVENT_IOC_REFRESH, 1)));
    printf("ioctl %s\n", name(ioctl(fd, 0x5401, 0)));
    close(fd);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return 0;
    setvbuf(stdout, NULL, _IOLBF, 0);
    counts_loop();
    modes();
    software();
    formats();
    inherits();
    child_of_ours();
    too_many();
    large_group();
    errors();
    return 0;
}
