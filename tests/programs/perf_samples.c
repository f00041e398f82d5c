/* SPDX-License-Identifier: BSD-2-Clause */
/* Takes samples of itself by perf_event_open(2), as its manual page says, and prints what must be
 * so. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE   4096ul
#define PAGES  8
#define PERIOD 10007
#define TYPE                                                                                       \
    (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |                \
     PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_READ)

struct sample {
    struct perf_event_header header;
    uint64_t id, ip;
    uint32_t pid, tid;
    uint64_t time;
    uint32_t cpu, none;
    uint64_t period, value;
};

struct found {
    uint64_t samples, wrong, lost, last_value, last_time;
};

static struct perf_event_mmap_page *ring;
static volatile int hits, codes, descriptor, refreshed;
static int event;

static __attribute__((noinline)) void loop(unsigned long n)
{
#ifdef __mips__
    __asm__ volatile(".set push\n\t.set noreorder\n.globl loop_begin\nloop_begin:\tbnez %0, "
                     "loop_begin\n\tdaddiu %0, %0, -1\n.globl loop_end\nloop_end:\n\t.set pop"
                     : "+r"(n));
#else
    __asm__ volatile(".globl loop_begin\nloop_begin:\tdec %0\n\tjnz loop_begin\n.globl "
                     "loop_end\nloop_end:"
                     : "+r"(n));
#endif
}
extern char loop_begin[], loop_end[];

static struct perf_event_attr attr_of(uint64_t period)
{
    struct perf_event_attr attr;

    memset(&attr, 0, sizeof attr);
    attr.type = PERF_TYPE_HARDWARE;
    attr.size = sizeof attr;
    attr.config = PERF_COUNT_HW_INSTRUCTIONS;
    attr.disabled = attr.exclude_kernel = 1;
    attr.sample_period = period;
    attr.sample_type = TYPE;
    attr.wakeup_events = 3;
    return attr;
}

static int open_event(struct perf_event_attr *attr)
{
    return (int)syscall(SYS_perf_event_open, attr, 0, -1, -1, 0);
}

static void *map(int fd, int protection)
{
    return mmap(NULL, (PAGES + 1) * PAGE, protection, MAP_SHARED, fd, 0);
}

/* PMUs have few counters. */
static void done(void)
{
    munmap(ring, (PAGES + 1) * PAGE);
    close(event);
}

static uint64_t value(int fd)
{
    uint64_t out = 0;

    return read(fd, &out, sizeof out) == sizeof out ? out : UINT64_MAX;
}

static void copy(void *out, uint64_t at, size_t size)
{
    const char *data = (const char *)ring + ring->data_offset;

    for (size_t i = 0; i < size; i++)
        ((char *)out)[i] = data[(at + i) % ring->data_size];
}

static void look_at(struct found *found, const struct sample *sample, uint64_t period)
{
    found->samples++;
    found->wrong += (sample->header.misc & PERF_RECORD_MISC_CPUMODE_MASK) != PERF_RECORD_MISC_USER;
    found->wrong += sample->header.size != sizeof *sample || sample->period != period;
    found->wrong += sample->pid != (uint32_t)getpid() || sample->tid != (uint32_t)gettid();
    found->wrong += sample->time < found->last_time || sample->cpu >= 64;
    if (found->last_value != 0)
        found->wrong += sample->value - found->last_value != period;
    found->last_value = sample->value;
    found->last_time = sample->time;
}

/* All that is there, and makes room. */
static struct found taken(uint64_t period)
{
    struct found found = {0};
    uint64_t head = __atomic_load_n(&ring->data_head, __ATOMIC_ACQUIRE), at = ring->data_tail;

    while (at < head) {
        struct sample sample;

        copy(&sample.header, at, sizeof sample.header);
        copy(&sample, at, sample.header.size < sizeof sample ? sample.header.size : sizeof sample);
        if (sample.header.type == PERF_RECORD_SAMPLE)
            look_at(&found, &sample, period);
        else if (sample.header.type == PERF_RECORD_LOST)
            found.lost += sample.ip; /* the word behind the identifier */
        else
            found.wrong++;
        at += sample.header.size;
    }
    __atomic_store_n(&ring->data_tail, at, __ATOMIC_RELEASE);
    return found;
}

static void turns(unsigned long n)
{
    ioctl(event, PERF_EVENT_IOC_ENABLE, 0);
    loop(n);
    ioctl(event, PERF_EVENT_IOC_DISABLE, 0);
}

/* As many as periods, each exactly one after the last. */
static void counts(uint64_t period, unsigned long n)
{
    struct perf_event_attr attr = attr_of(period);
    struct found found;

    event = open_event(&attr);
    ring = map(event, PROT_READ | PROT_WRITE);
    turns(n);
    found = taken(period);
    printf("period %lu: %d wrong %d lost %d first %d\n", (unsigned long)period,
           found.samples == value(event) / period && found.samples >= 2 * n / period,
           (int)found.wrong, (int)found.lost, found.last_value == found.samples * period);
    turns(n); /* goes on where the last period was */
    found.samples += taken(period).samples;
    printf("again: %d\n", found.samples == value(event) / period);
    done();
}

static void places(void)
{
    struct perf_event_attr attr = attr_of(1009);
    struct sample sample;
    uint64_t inside = 0, all = 0;

    event = open_event(&attr);
    ring = map(event, PROT_READ | PROT_WRITE);
    turns(100000);
    for (uint64_t at = 0; at < ring->data_head; at += sizeof sample, all++) {
        copy(&sample, at, sizeof sample);
        inside += sample.ip >= (uintptr_t)loop_begin && sample.ip < (uintptr_t)loop_end;
    }
    printf("places: %d\n", all >= 198 && all - inside <= 2);
    done();
}

/* What finds no room is counted, and told by the first record that finds some. */
static void overruns(void)
{
    struct perf_event_attr attr = attr_of(101);
    struct found before, after;
    uint64_t got[2], end[2] = {0};

    attr.read_format = PERF_FORMAT_LOST;
    attr.sample_type &= ~PERF_SAMPLE_READ;
    event = open_event(&attr);
    ring = map(event, PROT_READ | PROT_WRITE);
    turns(100000);
    before = taken(101);
    if (read(event, got, sizeof got) != sizeof got)
        got[1] = 0;
    turns(1000);
    after = taken(101);
    if (read(event, end, sizeof end) != sizeof end)
        end[1] = 0;
    /* Some may be lost at any time by the emulator, which the next record tells of. */
    printf("full: %d\n", before.samples <= PAGES * PAGE / 56 && before.samples > 500);
    printf("lost: %d %d\n", (int)(before.samples + got[1] == got[0] / 101),
           before.lost + after.lost >= got[1] && before.lost + after.lost <= end[1]);
    done();
    printf("gone: %d\n", read(event, got, sizeof got) == -1 && errno == EBADF);
}

static void waits(void)
{
    struct perf_event_attr attr = attr_of(PERIOD);
    struct pollfd wanted = {0, POLLIN, 0};

    event = wanted.fd = open_event(&attr);
    printf("no ring: %d", poll(&wanted, 1, 0));
    printf(" %x\n", (unsigned)wanted.revents);
    ring = map(event, PROT_READ | PROT_WRITE);
    printf("ring: %d\n", poll(&wanted, 1, 0));
    turns(PERIOD); /* two periods, of three that are waited for */
    printf("two: %d\n", poll(&wanted, 1, 0));
    turns(PERIOD);
    printf("three: %d", poll(&wanted, 1, 0));
    printf(" %x\n", (unsigned)wanted.revents);
    printf("once: %d\n", poll(&wanted, 1, 0));
    done();
}

static void passed(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    (void)context;
    hits++;
    codes |= 1 << info->si_code;
    descriptor = info->si_fd;
    if (info->si_code == POLL_HUP && refreshed > 0) {
        refreshed--;
        ioctl(event, PERF_EVENT_IOC_REFRESH, 1);
    }
}

static void begin_signals(void)
{
    struct perf_event_attr attr = attr_of(PERIOD);
    struct sigaction action = {.sa_sigaction = passed, .sa_flags = SA_SIGINFO};
    struct f_owner_ex owner = {F_OWNER_TID, gettid()};

    event = open_event(&attr);
    ring = map(event, PROT_READ | PROT_WRITE);
    hits = codes = 0;
    sigaction(SIGRTMIN + 1, &action, NULL);
    printf("owner %d", fcntl(event, F_SETOWN_EX, &owner));
    printf(" %d", fcntl(event, F_SETSIG, SIGRTMIN + 1));
    printf(" %d\n", fcntl(event, F_SETFL, fcntl(event, F_GETFL) | O_ASYNC));
}

/* An emulator's interrupts may be late. */
static void wait_hits(int n)
{
    for (int i = 0; i < 10000 && hits < n; i++)
        loop(10000);
}

/* A signal for each period; then one period at a time, begun by the handler; then three. */
static void signals(void)
{
    begin_signals();
    printf("is %d", fcntl(event, F_GETSIG) == SIGRTMIN + 1);
    printf(" %d\n", fcntl(event, F_GETOWN) == getpid());
    turns(50000);
    printf("signals %d %x", hits == (int)(value(event) / PERIOD), (unsigned)codes);
    printf(" %d\n", descriptor == event);
    done();
    begin_signals();
    refreshed = 4;
    ioctl(event, PERF_EVENT_IOC_REFRESH, 1);
    wait_hits(5);
    loop(100000);
    printf("refreshed %d %x value %d", hits, (unsigned)codes, value(event) == 5 * PERIOD);
    printf(" samples %d\n", (int)taken(PERIOD).samples);
    done();
    begin_signals();
    ioctl(event, PERF_EVENT_IOC_REFRESH, 3);
    wait_hits(3);
    loop(100000);
    printf("three %d %x value %d", hits, (unsigned)codes, value(event) == 3 * PERIOD);
    printf(" samples %d\n", (int)taken(PERIOD).samples);
    done();
}

static void *other(void *argument)
{
    loop(300000);
    return argument;
}

/* What other threads and children do is not in it. */
static void alone(void)
{
    struct perf_event_attr attr = attr_of(PERIOD);
    struct found found;
    pthread_t thread;

    event = open_event(&attr);
    ring = map(event, PROT_READ | PROT_WRITE);
    ioctl(event, PERF_EVENT_IOC_ENABLE, 0);
    pthread_create(&thread, NULL, other, NULL);
    if (fork() == 0) {
        loop(300000);
        _exit(0);
    }
    loop(200000);
    pthread_join(thread, NULL);
    wait(NULL);
    ioctl(event, PERF_EVENT_IOC_DISABLE, 0);
    found = taken(PERIOD);
    printf("alone %d %d\n", found.samples == value(event) / PERIOD && value(event) < 450000,
           (int)found.wrong);
    done();
}

static void period_changes(void)
{
    struct perf_event_attr attr = attr_of(PERIOD);
    uint64_t period = 503, zero = 0;

    event = open_event(&attr);
    ring = map(event, PROT_READ | PROT_WRITE);
    turns(PERIOD);
    (void)taken(PERIOD);
    printf("period %d", ioctl(event, PERF_EVENT_IOC_PERIOD, &period));
    printf(" %d\n", ioctl(event, PERF_EVENT_IOC_PERIOD, &zero) == -1 && errno == EINVAL);
    ioctl(event, PERF_EVENT_IOC_RESET, 0);
    turns(PERIOD);
    printf("changed %d\n", taken(503).samples == value(event) / 503);
    done();
}

static const char *name(long result)
{
    return result >= 0 ? "0" : strerrorname_np(errno);
}

static long mapped(int fd, size_t pages, int flags, off_t offset)
{
    return (long)(intptr_t)mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, flags, fd, offset) == -1
               ? -1
               : 0;
}

static void errors(void)
{
    struct perf_event_attr attr = attr_of(1), plain = attr_of(0), long_one = attr_of(1ull << 63);
    int fd = open_event(&attr), counter = open_event(&plain);

    printf("map %s", name(mapped(fd, 4, MAP_SHARED, 0)));
    printf(" %s", name(mapped(fd, 3, MAP_PRIVATE, 0)));
    printf(" %s", name(mapped(fd, 3, MAP_SHARED, (off_t)PAGE)));
    printf(" %s\n", name(mapped(counter, 1, MAP_SHARED, 0)));
    printf("refresh %s\n", name(ioctl(counter, PERF_EVENT_IOC_REFRESH, 1)));
    printf("long %s\n", name(open_event(&long_one)));
    printf("output %s", name(ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, fd)));
    printf(" %s", name(ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, 1)));
    printf(" %s\n", name(ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, counter)));
    printf("owner %s\n", name(fcntl(fd, F_SETOWN, 9999999)));
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    counts(PERIOD, 1000000);
    counts(100003, 1000000);
    places();
    overruns();
    waits();
    signals();
    alone();
    period_changes();
    errors();
    return 0;
}
