/* SPDX-License-Identifier: BSD-2-Clause */
/* sysmips(2), which this machine's Linux does not have: what it is to say is in
 * tests/qemu/test_linux_programs_malta.py. */
#include "conform.h"
#include <linux/perf_event.h>
#include <pthread.h>
#include <sys/syscall.h>

#define SET   2001
#define FIX   7
#define FLUSH 3
#define TURNS 20000

static unsigned word = 5;
static char bytes[16];
static int faults;

static long sysmips(long command, unsigned long first, unsigned long second)
{
    return syscall(199 + 5000, command, first, second);
}

static unsigned load(void)
{
    unsigned value = 0;

#ifdef __mips__
    __asm__ volatile("lw %0, 1(%1)" : "=r"(value) : "r"(bytes));
#endif
    return value;
}

static void count_faults(void)
{
    struct perf_event_attr attr = {
        .type = PERF_TYPE_SOFTWARE, .size = sizeof attr, .config = PERF_COUNT_SW_ALIGNMENT_FAULTS};

    faults = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
}

static void on_bus(int signal, siginfo_t *info, void *context)
{
    long number;

    (void)signal;
    (void)context;
    SAY("SIGBUS, code %d, faults %ld\n", info->si_code,
        read(faults, &number, sizeof number) == sizeof number ? number : -1);
    _exit(3);
}

/* What is put in comes out once. */
static void *exchange(void *argument)
{
    long *sum = argument;
    unsigned step = (unsigned)*sum;

    for (unsigned i = 0; i < TURNS; i++)
        *sum += sysmips(SET, (unsigned long)&word, i * step) - (long)(i * step);
    return NULL;
}

int main(void)
{
    struct sigaction action = {.sa_sigaction = on_bus, .sa_flags = SA_SIGINFO};
    pthread_t thread;
    long sums[2] = {3, 5};

    TEST(sysmips(SET, (unsigned long)&word, 0xfffffff0ul));
    TEST(sysmips(SET, (unsigned long)&word, 7));
    TEST(word);
    TEST(sysmips(SET, (unsigned long)&word + 2, 7));
    TEST(sysmips(SET, 0x100000, 7));
    TEST(sysmips(SET, ~0ul << 20, 7));
    TEST(sysmips(FLUSH, 0, 0));
    TEST(sysmips(FIX, 4, 0));
    TEST(sysmips(99, 0, 0));
    TEST(load());
    sigaction(SIGBUS, &action, NULL);
    CHILD(TEST(sysmips(FIX, 0, 0)); CHILD(count_faults(); load()); TEST(sysmips(FIX, 1, 0));
          TEST(load()));
    TEST(load());
    word = 0;
    pthread_create(&thread, NULL, exchange, &sums[0]);
    exchange(&sums[1]);
    pthread_join(thread, NULL);
    TEST(sums[0] + sums[1] - 8 + word);
    return 0;
}
