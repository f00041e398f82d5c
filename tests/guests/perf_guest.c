/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * /init of a Linux guest: opens perf events itself and compares what they count and where they
 * sample with what is known of its loops. It prints one line for each thing, `name value`, which
 * the test on the host judges, and switches the machine off. With the word `unplug` CPU 1 goes
 * while events count there.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PERIOD    10007u
#define TURNS     1000000u
#define PAGES     256u /* of samples; a power of two */
#define PAGE      4096u
#define ROUNDS    300000u
#define TURN_SIZE 64u /* at least what turn() takes */

static void say(const char *name, int cpu, long long value)
{
    if (cpu >= 0)
        printf("%s.%d %lld\n", name, cpu, value);
    else
        printf("%s %lld\n", name, value);
}

static int open_event(uint32_t type, uint64_t config, uint64_t period)
{
    struct perf_event_attr attr = {
        .type = type,
        .size = sizeof(attr),
        .config = config,
        .sample_period = period,
        .sample_type = period ? PERF_SAMPLE_IP : 0,
        .exclude_kernel = 1,
        .exclude_hv = 1,
    };

    return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
}

static long long value_of(int fd)
{
    long long value = -1;

    return read(fd, &value, sizeof(value)) == sizeof(value) ? value : -1;
}

/*
 * Two instructions and one branch a turn. PERIOD is odd, so samples alternate between the two, but
 * on MIPS, where none lies in the branch's delay slot, but at the next branch.
 */
#if defined(__x86_64__)
#define ONE_PLACE false

__attribute__((noinline, noclone, aligned(64))) static void turn(unsigned long turns)
{
    __asm__ volatile("1: dec %0\n jnz 1b" : "+r"(turns) : : "cc");
}

/* Carries, overflows and parities of one instruction are another's input a few later. */
static uint64_t flags(unsigned long turns)
{
    uint64_t x = 1, y = 0x9e3779b97f4a7c15, z = 0;

    __asm__ volatile("1: add %1,%0\n adc $3,%1\n mov %0,%%r8\n lea 1(%%r8),%%r8\n adc %%r8,%1\n"
                     "cmp %1,%0\n mov %%r8,%%r9\n sbb %%r9,%0\n setc %%r10b\n movzx %%r10b,%%r10\n"
                     "add %%r10,%1\n ror $5,%1\n adc $0,%2\n imul $7,%%r8,%%r9\n seto %%r10b\n"
                     "test %%r9,%0\n setp %%r11b\n rcl $3,%0\n sbb $1,%2\n movzx %%r11b,%%r11\n"
                     "add %%r11,%2\n dec %3\n jnz 1b"
                     : "+r"(x), "+r"(y), "+r"(z), "+r"(turns)
                     :
                     : "r8", "r9", "r10", "r11", "cc");
    return x ^ y ^ z;
}
#else
#define ONE_PLACE true

__attribute__((noinline, noclone, aligned(64))) static void turn(unsigned long turns)
{
    __asm__ volatile(".set push\n .set noreorder\n 1: bnez %0,1b\n addiu %0,%0,-1\n .set pop"
                     : "+r"(turns));
}

static uint64_t flags(unsigned long turns)
{
    uint64_t x = 1;

    while (turns--)
        x = x * 6364136223846793005ull + (x >> 29);
    return x;
}
#endif

/* What FD counts around so many turns of a loop. */
__attribute__((noinline, noclone)) static long long around(int fd, void (*loop)(unsigned long),
                                                           unsigned long turns)
{
    long long before = value_of(fd);

    loop(turns);
    return value_of(fd) - before;
}

/* What LOOP counts in 11 * TURNS more than in TURNS. */
static void count_in(void (*loop)(unsigned long), int cpu, const char *name, uint32_t type,
                     uint64_t config)
{
    int fd = open_event(type, config, 0);
    long long few;

    if (fd < 0) {
        printf("%s %s\n", name, strerror(errno));
        return;
    }
    few = around(fd, loop, TURNS);
    say(name, cpu, around(fd, loop, 11 * TURNS) - few);
    close(fd);
}

static void count(int cpu, const char *name, uint32_t type, uint64_t config)
{
    count_in(turn, cpu, name, type, config);
}

/*
 * Samples in turn(): how many, how many elsewhere, and those whose distance is not PERIOD. On MIPS
 * the timer's pin goes before the counters'. Where both are up at one instruction, Linux comes to
 * the second as soon as the first's handler enables interrupts, and the sample has that place.
 */
static void sample(int cpu)
{
    int fd = open_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, PERIOD);
    struct perf_event_mmap_page *page;
    unsigned long begin = (unsigned long)turn;
    unsigned long samples = 0, outside = 0, lost = 0, unlike = 0, kernel = 0, kernel_place = 0;
    bool comparable = false;
    const char *data;

    if (fd < 0) {
        printf("sampling %s\n", strerror(errno));
        return;
    }
    page = mmap(NULL, (PAGES + 1) * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    data = (const char *)page + PAGE;
    uint64_t at = page->data_head;
    turn(5 * TURNS);
    ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
    unsigned long last = 0;
    for (uint64_t head = page->data_head; at < head;) {
        const struct perf_event_header *record = (const void *)(data + at % (PAGES * PAGE));
        unsigned long place;

        if (record->type == PERF_RECORD_SAMPLE) {
            unsigned long address = *(const uint64_t *)(record + 1);
            bool in_kernel = (long)address < 0;

            place = address - begin;
            samples++;
            if (in_kernel && (kernel == 0 || address == kernel_place)) {
                kernel++;
                kernel_place = address;
            } else
                outside += place >= TURN_SIZE;
            unlike += comparable && !in_kernel && (place == last) != ONE_PLACE;
            comparable = !in_kernel;
            last = place;
        } else
            lost++;
        at += record->size;
    }
    say("samples", cpu, (long long)samples);
    say("samples-outside", cpu, (long long)outside);
    say("samples-behind-timer", cpu, (long long)kernel);
    say("samples-elsewhere", cpu, (long long)unlike);
    say("other-records", cpu, (long long)lost);
    munmap(page, (PAGES + 1) * PAGE);
    close(fd);
}

/* The same work with an overflow each PERIOD, 1009 and 97 instructions. */
static void differ(int cpu)
{
    static const unsigned periods[] = {PERIOD, 1009, 97};
    uint64_t expected = flags(ROUNDS);
    unsigned wrong = 0;

    for (unsigned i = 0; i < sizeof(periods) / sizeof(periods[0]); i++) {
        int fd = open_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, periods[i]);

        wrong += flags(ROUNDS) != expected;
        close(fd);
    }
    say("flags-wrong", cpu, wrong);
}

#if defined(__x86_64__)
/* Three instructions a turn; one takes more than a cycle. */
static void multiply(unsigned long turns)
{
    __asm__ volatile("1: imul $7, %0, %%rax\n dec %0\n jnz 1b" : "+r"(turns) : : "rax", "cc");
}

/* SDM volume 3, 21.2.1: instructions retired (0xc0) in cycles with so many (cmask), or fewer (inv).
 */
static void compare(int cpu)
{
    const uint64_t inv = 1u << 23;

    count_in(multiply, cpu, "cycles-with-one", PERF_TYPE_RAW, 0xc0 | 1u << 24);
    count_in(multiply, cpu, "cycles-with-two", PERF_TYPE_RAW, 0xc0 | 2u << 24);
    count_in(multiply, cpu, "cycles-with-none", PERF_TYPE_RAW, 0xc0 | 1u << 24 | inv);
    count_in(multiply, cpu, "cycles-below-many", PERF_TYPE_RAW, 0xc0 | 16u << 24 | inv);
    count_in(multiply, cpu, "multiply-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
}

static sigjmp_buf back;

static void caught(int signal)
{
    siglongjmp(back, signal);
}

static uint64_t rdpmc(uint32_t which)
{
    uint32_t low, high;

    __asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(which));
    return low | (uint64_t)high << 32;
}

/* The signal that it raises, or 0. */
static int rdpmc_signal(uint32_t which)
{
    int raised = sigsetjmp(back, 1);

    if (raised == 0)
        rdpmc(which);
    return raised;
}

static void user_reads(int cpu)
{
    int fd = open_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 0);
    struct perf_event_mmap_page *page;
    uint64_t first, second, third;
    uint32_t which;

    if (fd < 0)
        return;
    page = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);
    which = page->index - 1;
    signal(SIGILL, caught);
    signal(SIGSEGV, caught);
    say("rdpmc-index", cpu, page->index != 0);
    if (page->index != 0) {
        first = rdpmc(which);
        turn(TURNS);
        second = rdpmc(which);
        turn(11 * TURNS);
        third = rdpmc(which);
        say("rdpmc", cpu, (long long)(third - second - (second - first)));
    }
    say("rdpmc-bad", cpu, rdpmc_signal(99));
    munmap(page, PAGE);
    close(fd);
    say("rdpmc-closed", cpu, rdpmc_signal(0));
}
#endif

static void work_briefly(int cpu)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    if (sched_setaffinity(0, sizeof(set), &set) != 0)
        return;
    count(cpu, "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
    count(cpu, "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
    count(cpu, "branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS);
    sample(cpu);
}

static void work(int cpu)
{
    work_briefly(cpu);
    differ(cpu);
#if defined(__x86_64__)
    compare(cpu);
    user_reads(cpu);
#endif
}

static void set(const char *path, const char *value)
{
    int fd = open(path, O_WRONLY);

    if (fd < 0 || write(fd, value, strlen(value)) < 0)
        printf("%s: %s\n", path, strerror(errno));
    close(fd);
}

/* An event of all that CPU 1 does, with samples. */
static int watch_cpu(void)
{
    struct perf_event_attr attr = {
        .type = PERF_TYPE_HARDWARE,
        .size = sizeof(attr),
        .config = PERF_COUNT_HW_INSTRUCTIONS,
        .sample_period = PERIOD,
        .sample_type = PERF_SAMPLE_IP,
    };

    return (int)syscall(SYS_perf_event_open, &attr, -1, 1, -1, 0);
}

/* Works on CPU 1, has the host pull it out while its counter runs, and works on CPU 0. */
static void unplug(void)
{
    int fd;

    mkdir("/sys", 0755);
    mount("none", "/sys", "sysfs", 0, NULL);
    work_briefly(1);
    fd = watch_cpu();
    turn(TURNS);
    say("watched", -1, value_of(fd) > 0);
    puts("pull out");
    while (access("/sys/devices/system/cpu/cpu1", F_OK) == 0)
        usleep(10000);
    puts("gone");
    work_briefly(0);
    close(fd);
}

int main(int words, char **word)
{
    int console = open("/dev/console", O_RDWR);

    dup2(console, 0);
    dup2(console, 1);
    dup2(console, 2);
    setvbuf(stdout, NULL, _IOLBF, 0);
    mkdir("/proc", 0755);
    mount("none", "/proc", "proc", 0, NULL);
    set("/proc/sys/kernel/perf_cpu_time_max_percent", "0\n");
    set("/proc/sys/kernel/perf_event_max_sample_rate", "1000000\n");
    if (words > 1 && strcmp(word[1], "unplug") == 0)
        unplug();
    for (long cpu = 0; words == 1 && cpu < sysconf(_SC_NPROCESSORS_ONLN); cpu++)
        work((int)cpu);
    puts("guest done");
    sync();
    reboot(RB_AUTOBOOT);
    return 0;
}
