/* SPDX-License-Identifier: BSD-2-Clause */
/* lockstat: how often each lock was taken, waited for and held, in the build that keeps count. */
#include "kernel/memory/kmem.h"
#include "kernel/lock/lock_stats.h"
#include "shell/command.h"
#include "shell/options.h"
#include "shell/output.h"

#define SPARE 16 /* locks that may appear between asking for the number and for the locks */

/* Whether B comes before A: more contended, and among equals waited for longer. */
static bool lockstat_is_behind(const struct lock_report *a, const struct lock_report *b)
{
    if (a->counts.contended != b->counts.contended)
        return b->counts.contended > a->counts.contended;
    return b->counts.waited > a->counts.waited;
}

/* Stable, and quick enough for as many locks as there are. */
static void lockstat_sort(struct lock_report *locks, unsigned count)
{
    for (unsigned i = 1; i < count; i++) {
        struct lock_report moved = locks[i];
        unsigned place = i;

        for (; place > 0 && lockstat_is_behind(&locks[place - 1], &moved); place--)
            locks[place] = locks[place - 1];
        locks[place] = moved;
    }
}

static void lockstat_print(const struct lock_report *lock)
{
    struct shell_gather out = {.used = 0};

    shell_gather_printf(
        &out, "%-20s %-5s %10llu %9llu %12llu %10llu %13llu %10llu", lock->name,
        lock->sum        ? (lock->sleeping ? "mutex" : "sum")
        : lock->sleeping ? "mutex"
                         : "spin",
        (unsigned long long)lock->counts.acquired, (unsigned long long)lock->counts.contended,
        (unsigned long long)lock->counts.waited, (unsigned long long)lock->counts.waited_most,
        (unsigned long long)lock->counts.held, (unsigned long long)lock->counts.held_most);
    if (lock->cpu != 0)
        shell_gather_printf(&out, "  cpu%u, thread %u", (unsigned)lock->cpu - 1,
                            (unsigned)lock->thread);
    shell_gather_printf(&out, "\n");
    shell_gather_flush(&out);
}

static int lockstat_list(char **argv, bool by_contention)
{
    unsigned most = lock_stats_get(NULL, 0) + SPARE, count;
    struct lock_report *locks = kmem_alloc(most * sizeof(*locks));

    if (locks == NULL) {
        shell_printf("%s: out of memory\n", argv[0]);
        return 1;
    }
    count = lock_stats_get(locks, most);
    count = count < most ? count : most;
    if (by_contention)
        lockstat_sort(locks, count);
    shell_printf("%-20s %-5s %10s %9s %12s %10s %13s %10s\n", "lock", "kind", "taken", "contended",
                 "waited ns", "longest", "held ns", "longest");
    for (unsigned i = 0; i < count && !shell_interrupted(); i++)
        lockstat_print(&locks[i]);
    kmem_free(locks);
    return shell_interrupted() ? STATUS_INTERRUPTED : 0;
}

static int lockstat_run(int argc, char **argv)
{
    struct options options = {.argc = argc, .argv = argv, .letters = "c"};
    bool by_contention = false;
    int option;

    while ((option = options_next(&options)) != OPTIONS_END) {
        if (option == OPTIONS_BAD)
            return STATUS_USAGE;
        by_contention = true;
    }
    if (options.index < argc)
        return command_usage(argv[0]);
    if (!LOCK_STATS) {
        shell_printf("%s: this build keeps no lock statistics; the checked build does\n", argv[0]);
        return 1;
    }
    return lockstat_list(argv, by_contention);
}

COMMAND(lockstat, .name = "lockstat", .summary = "print how often locks were taken and waited for",
        .usage = "lockstat [-c]",
        .description = "For each lock: how often it was taken and found taken, how long it was\n"
                       "waited for and held, in ns, and who holds it. Only in the checked build\n"
                       "(./quipu run --checked).\n"
                       "  -c  the most contended first\n"
                       "\n"
                       "Example: lockstat -c\n",
        .run = lockstat_run);
