/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * workload WHAT [N]: does one thing N times and prints the events that this is known to cause, for
 * whoever counts them from outside:
 *
 *   spin MS      keeps a CPU busy for so many milliseconds of its time
 *   walk N       reads 1024 words, N times: 1024 * N loads of its own
 *   calls N      N times getppid
 *   tlb N        touches one word of each of 512 pages, N times
 *   tree N       a chain of N processes, each the child of the one before
 *   faults N     writes to N pages that were never touched
 *   fp N         N multiplications and N additions of doubles
 *   atomic N     four threads add N each to one number
 *
 * Compiled under one of these names it needs no WHAT: it goes by argv[0].
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PAGE    4096u
#define WORDS   1024u
#define PAGES   512u
#define THREADS 4

static char *pages(size_t count)
{
    char *memory =
        mmap(NULL, count * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (memory == MAP_FAILED) {
        perror("mmap");
        exit(1);
    }
    return memory;
}

static double busy_ms(void)
{
    struct timespec time;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static void spin(long ms)
{
    double end = busy_ms() + (double)ms;

    while (busy_ms() < end)
        for (volatile int i = 0; i < 10000; i++)
            ;
    printf("spin: cpu-ms %ld\n", ms);
}

static void walk(long n)
{
    static volatile unsigned words[WORDS];
    unsigned sum = 0;

    for (long i = 0; i < n; i++)
        for (unsigned w = 0; w < WORDS; w++)
            sum += words[w];
    printf("walk: loads %lu sum %u\n", (unsigned long)n * WORDS, sum);
}

static void calls(long n)
{
    for (long i = 0; i < n; i++)
        syscall(SYS_getppid);
    printf("calls: getppid %ld\n", n);
}

static void tlb(long n)
{
    volatile char *memory = pages(PAGES);

    for (unsigned page = 0; page < PAGES; page++)
        memory[page * PAGE] = 1;
    for (long i = 0; i < n; i++)
        for (unsigned page = 0; page < PAGES; page++)
            (void)memory[page * PAGE];
    printf("tlb: touches %lu faults %u\n", (unsigned long)n * PAGES, PAGES);
}

static void tree(long n)
{
    long above = 0;

    fflush(stdout);
    while (above < n && fork() == 0)
        above++;
    if (above < n)
        wait(NULL);
    if (above != 0)
        _exit(0);
    printf("tree: forks %ld\n", n);
}

static void faults(long n)
{
    char *memory = pages((size_t)n);

    for (long i = 0; i < n; i++)
        memory[i * PAGE] = 1;
    printf("faults: faults %ld\n", n);
}

/* Between the two operations is memory, so that no machine's one instruction will do for both. */
static void fp(long n)
{
    volatile double factor = 1.000001, term = 0.5, product;
    double value = 1;

    for (long i = 0; i < n; i++) {
        product = value * factor;
        value = product + term;
    }
    printf("fp: multiplications %ld additions %ld value %g\n", n, n, value);
}

static long shared, each;

static void *add(void *argument)
{
    for (long i = 0; i < each; i++)
        __atomic_fetch_add(&shared, 1, __ATOMIC_RELAXED);
    return argument;
}

static void atomic(long n)
{
    pthread_t threads[THREADS];

    each = n;
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, add, NULL) != 0)
            exit(1);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("atomic: clones %d sum %ld\n", THREADS, shared);
}

static const struct {
    const char *name;
    void (*run)(long);
    long n;
} workloads[] = {{"spin", spin, 100}, {"walk", walk, 1000},     {"calls", calls, 1000},
                 {"tlb", tlb, 100},   {"tree", tree, 8},        {"faults", faults, 1000},
                 {"fp", fp, 100000},  {"atomic", atomic, 10000}};
#define WORKLOADS (sizeof workloads / sizeof workloads[0])

static int run(const char *name, const char *count)
{
    for (size_t i = 0; i < WORKLOADS; i++)
        if (strcmp(workloads[i].name, name) == 0) {
            workloads[i].run(count ? strtol(count, NULL, 10) : workloads[i].n);
            return 1;
        }
    return 0;
}

/* matrix.c, where it is linked with this. */
__attribute__((weak)) int matrix_main(int argc, char **argv);

int main(int argc, char **argv)
{
    const char *own = strrchr(argv[0], '/');

    own = own ? own + 1 : argv[0];
    if (matrix_main && strcmp(own, "matrix") == 0)
        return matrix_main(argc, argv);
    if (run(own, argc > 1 ? argv[1] : NULL))
        return 0;
    if (argc > 1 && run(argv[1], argc > 2 ? argv[2] : NULL))
        return 0;
    fprintf(stderr, "usage: workload");
    for (size_t i = 0; i < WORKLOADS; i++)
        fprintf(stderr, "%s%s", i ? "|" : " ", workloads[i].name);
    fprintf(stderr, " [N]\n");
    return 2;
}
