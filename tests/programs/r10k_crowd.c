/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * r10k_crowd PROCESSES SLICES SEED: processes that count themselves, each its own events, while
 * all of them lose and get the CPU again and again: each runs loops of random length, with a
 * yield, a short sleep or nothing between. Of each, instructions in user mode must be twice the
 * turns of its loops, and what it needs besides: the same whatever the loops' lengths, and so
 * known from a run of the same calls with loops of no turn. Prints how many processes were right,
 * and how many had each kind of events.
 *
 * r10k_crowd killed ROUNDS SEED: processes that count, multiplex, have thresholds or have system
 * mode are killed at random moments; after each, system mode can be had at once by who asks
 * nicely. Prints how often, and whether a count of its own is right afterwards.
 */
#include "r10k.h"
#include <sched.h>
#include <sys/syssgi.h>
#include <sys/wait.h>
#include <time.h>

#define MOST  64
#define KINDS 3

static unsigned random_of(unsigned *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

/* Instructions are always among them: of either counter, and once with a threshold. */
static int events_of(int kind, hwperf_profevctrarg_t *a)
{
    memset(a, 0, sizeof *a);
    if (kind == 0) {
        want(a, INSTRUCTIONS, HWPERF_CNTEN_U);
        want(a, CYCLES_1, HWPERF_CNTEN_U);
        return INSTRUCTIONS;
    }
    if (kind == 1) {
        want(a, CYCLES_0, HWPERF_CNTEN_U | HWPERF_CNTEN_E);
        want(a, GRADUATED, HWPERF_CNTEN_U);
        return GRADUATED;
    }
    want(a, INSTRUCTIONS, HWPERF_CNTEN_U);
    want(a, GRADUATED, HWPERF_CNTEN_U);
    a->hwp_ovflw_freq[GRADUATED] = 50021;
    return GRADUATED;
}

static void pause_a_little(unsigned how)
{
    const struct timespec brief = {0, 50000};

    if (how % 4 == 0)
        sched_yield();
    else if (how % 4 == 1)
        nanosleep(&brief, NULL);
}

/* What the event counts of SLICES of at most MASK turns; *TURNS: how many. */
static unsigned long long work(int fd, int event, int slices, unsigned seed, unsigned mask,
                               unsigned long long *turns)
{
    unsigned long long before, after;

    *turns = 0;
    before = count(fd, event);
    for (int i = 0; i < slices; i++) {
        unsigned n = 1 + (random_of(&seed) & mask);

        *turns += n;
        loop(n);
        pause_a_little(random_of(&seed) >> 8);
    }
    after = count(fd, event);
    return after - before;
}

/* One of the crowd: 0 if its count is what it must be. */
static int member(int number, int slices, unsigned seed)
{
    unsigned long long turns, few, counted, base;
    int fd = open_process(getpid()), event;
    hwperf_profevctrarg_t a;

    event = events_of(number % KINDS, &a);
    if (ioctl(fd, PIOCENEVCTRS, &a) < 0)
        return 2;
    work(fd, event, 2, seed, 0, &few); /* all that is done once has been */
    base = work(fd, event, slices, seed, 0, &few);
    counted = work(fd, event, slices, seed, 0x7ffff, &turns);
    if (counted - base == 2 * (turns - few))
        return 0;
    fprintf(stderr, "process %d: %llu counted, %llu for nothing, %llu turns and %llu\n", number,
            counted, base, turns, few);
    return 1;
}

static int crowd(int processes, int slices, unsigned seed)
{
    int kinds[KINDS] = {0}, right = 0, status;

    for (int i = 0; i < processes; i++) {
        unsigned own = random_of(&seed);

        if (fork() == 0)
            _exit(member(i, slices, own));
        kinds[i % KINDS]++;
    }
    while (wait(&status) > 0)
        right += WIFEXITED(status) && WEXITSTATUS(status) == 0;
    printf("right %d\n", right);
    for (int i = 0; i < KINDS; i++)
        printf("%d ", kinds[i]);
    printf("\n");
    return 0;
}

/* --- kills --- */

static void victim(int kind)
{
    int fd = open_process(getpid());
    hwperf_profevctrarg_t a;

    signal(SIGUSR1, SIG_IGN);
    memset(&a, 0, sizeof a);
    want(&a, INSTRUCTIONS, HWPERF_CNTEN_U);
    want(&a, GRADUATED, kind == 2 ? HWPERF_CNTEN_U | HWPERF_CNTEN_K : HWPERF_CNTEN_U);
    if (kind != 0) {
        want(&a, CYCLES_0, HWPERF_CNTEN_U);
        a.hwp_ovflw_freq[GRADUATED] = 10007;
        a.hwp_ovflw_sig = SIGUSR1;
    }
    for (;;) {
        ioctl(fd, PIOCENEVCTRS, &a);
        if (kind == 3 && fork() == 0)
            _exit(0);
        loop(20000);
        if (kind == 3)
            wait(NULL);
        ioctl(fd, kind == 1 ? PIOCSETEVCTRL : PIOCRELEVCTRS, &a);
    }
}

/* Also those that are not ours to wait for: a child that the victim left behind. */
static void group_ends(pid_t group)
{
    kill(-group, SIGKILL);
    while (waitpid(-group, NULL, 0) > 0)
        ;
    while (kill(-group, 0) == 0)
        sched_yield();
}

static int killed(int rounds, unsigned seed)
{
    int fd = open_process(getpid()), had = 0, right;
    hwperf_profevctrarg_t kernel, own;
    unsigned long long base, counted;
    hwperf_cntr_t c;

    memset(&kernel, 0, sizeof kernel);
    memset(&own, 0, sizeof own);
    want(&kernel, INSTRUCTIONS, HWPERF_CNTEN_U | HWPERF_CNTEN_K);
    want(&own, INSTRUCTIONS, HWPERF_CNTEN_U);
    for (int i = 0; i < rounds; i++) {
        const struct timespec some = {0, 1000 + (long)(random_of(&seed) % 8000000)};
        pid_t child = fork();

        if (child == 0) {
            setpgid(0, 0);
            victim(i % 4);
        }
        setpgid(child, child);
        nanosleep(&some, NULL);
        group_ends(child);
        if (ioctl(fd, PIOCENEVCTRS, &kernel) > 0)
            had++;
        else
            perror("system mode");
        ioctl(fd, PIOCRELEVCTRS);
    }
    ioctl(fd, PIOCENEVCTRS, &own);
    base = count(fd, INSTRUCTIONS);
    base = count(fd, INSTRUCTIONS) - base;
    counted = count(fd, INSTRUCTIONS);
    loop(1000);
    ioctl(fd, PIOCGETEVCTRS, &c);
    counted = c.hwp_evctr[INSTRUCTIONS] - counted;
    right = counted >= 2000 && counted - 2000 <= base + 100;
    printf("had %d own %d\n", had, right);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 3 && strcmp(argv[1], "killed") == 0)
        return killed(atoi(argv[2]), (unsigned)atoi(argv[3]));
    if (argc > 3)
        return crowd(atoi(argv[1]), atoi(argv[2]), (unsigned)atoi(argv[3]));
    return 2;
}
