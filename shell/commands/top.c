/* SPDX-License-Identifier: BSD-2-Clause */
/* top: the threads by their use of a CPU, on a screen that is drawn again and again. */
#include "kernel/time/clock.h"
#include "kernel/console/console.h"
#include "kernel/cpu/cpu.h"
#include "kernel/time/cpu_time.h"
#include "kernel/memory/kmem.h"
#include "lib/string.h"
#include "shell/command.h"
#include "shell/live.h"
#include "shell/options.h"
#include "shell/output.h"
#include "shell/commands/shared/share.h"
#include "shell/commands/shared/thread_list.h"

#define SECOND       1000000000ull
#define SCREEN_LINES 24 /* of a plain terminal; the last one stays empty */
#define THREADS_MIN  4  /* shown however many CPUs there are */

struct top {
    bool batch;                    /* no terminal: everything, without escapes */
    bool keys;                     /* the console's keys are ours */
    uint64_t interval;             /* ns */
    uint64_t count;                /* refreshes; 0 is without end */
    struct thread_list threads;    /* as they were listed last */
    struct cpu_time cpus[CPU_MAX]; /* just before that */
};

/* A thread and what it has used since the last refresh. */
struct row {
    const struct thread_info *info;
    uint64_t used;
};

/* Ends a line; on a screen, what stood there before goes. */
static const char *line_end(const struct top *top)
{
    return top->batch ? "\n" : "\033[K\n";
}

static void print_cpu(const struct top *top, unsigned cpu, const struct cpu_time *now)
{
    const struct cpu_time *before = &top->cpus[cpu];
    unsigned part[4];

    share_parts((const uint64_t[]){now->user - before->user, now->system - before->system,
                                   now->interrupt - before->interrupt, now->idle - before->idle},
                part, 4, 1000);
    shell_printf("CPU %-2u %3u.%u%% usr %3u.%u%% sys %3u.%u%% int %3u.%u%% idl%s", cpu,
                 part[0] / 10, part[0] % 10, part[1] / 10, part[1] % 10, part[2] / 10, part[2] % 10,
                 part[3] / 10, part[3] % 10, line_end(top));
}

static void print_row(const struct top *top, const struct row *row, uint64_t elapsed)
{
    const struct thread_info *info = row->info;
    uint64_t share = share_of(row->used, elapsed, 1000), total = info->user_ns + info->system_ns;

    shell_printf("%5u %c %3u %3u %3llu.%llu %5llu.%03llu %s%s", info->id, info->state,
                 info->priority, info->cpu, (unsigned long long)(share / 10),
                 (unsigned long long)(share % 10), (unsigned long long)(total / SECOND),
                 (unsigned long long)(total % SECOND / (SECOND / 1000)), info->name, line_end(top));
}

/* By use, the greatest first; equals stay in order of creation. */
static void sort(struct row *rows, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        struct row row = rows[i];
        size_t at = i;

        for (; at > 0 && rows[at - 1].used < row.used; at--)
            rows[at] = rows[at - 1];
        rows[at] = row;
    }
}

/* Pair each thread with its earlier self: both lists are in order of creation. */
static void fill(struct row *rows, const struct thread_list *now, const struct thread_list *before)
{
    size_t old = 0;

    for (size_t i = 0; i < now->count; i++) {
        const struct thread_info *info = &now->infos[i];

        rows[i] = (struct row){info, info->user_ns + info->system_ns};
        while (old < before->count && before->infos[old].id < info->id)
            old++;
        if (old < before->count && before->infos[old].id == info->id)
            rows[i].used -= before->infos[old].user_ns + before->infos[old].system_ns;
    }
}

static void print_threads(struct top *top, const struct thread_list *now, struct row *rows,
                          uint64_t elapsed)
{
    size_t room = SCREEN_LINES - 4 - THREADS_MIN;

    room = cpu_count() < room ? SCREEN_LINES - 4 - cpu_count() : THREADS_MIN;
    shell_printf("%s%5s S PRI CPU  %%CPU %9s NAME%s", line_end(top), "ID", "SECONDS",
                 line_end(top));
    for (size_t i = 0; i < now->count && (top->batch || i < room) && !shell_interrupted(); i++)
        print_row(top, &rows[i], elapsed);
}

static int refresh(struct top *top)
{
    struct thread_list now;
    struct cpu_time cpus[CPU_MAX];
    struct row *rows;

    for (unsigned cpu = 0; cpu < cpu_count(); cpu++)
        cpu_time_get(cpu, &cpus[cpu]);
    if (thread_list_take(&now, "top") != 0)
        return 1;
    rows = kmem_alloc((now.count + 1) * sizeof(*rows));
    if (rows == NULL) {
        shell_printf("top: no memory for %zu threads\n", now.count);
        thread_list_free(&now);
        return 1;
    }
    fill(rows, &now, &top->threads);
    sort(rows, now.count);
    if (!top->batch)
        shell_printf("\033[H");
    shell_printf("up %llu s, %zu threads, %u CPU%s%s", (unsigned long long)(clock_now() / SECOND),
                 now.count, cpu_count(), cpu_count() == 1 ? "" : "s", line_end(top));
    for (unsigned cpu = 0; cpu < cpu_count(); cpu++)
        print_cpu(top, cpu, &cpus[cpu]);
    print_threads(top, &now, rows, cpus[0].elapsed - top->cpus[0].elapsed);
    shell_printf(top->batch ? "\n" : "\033[J");
    kmem_free(rows);
    thread_list_free(&top->threads);
    top->threads = now;
    memcpy(top->cpus, cpus, cpu_count() * sizeof(cpus[0]));
    return 0;
}

/* Wait for the next refresh; false if q or ^C came first. */
static bool wait_until(const struct top *top, uint64_t deadline)
{
    char key;

    if (!top->keys)
        return shell_sleep_until(deadline);
    while (clock_now() < deadline && !shell_interrupted()) {
        if (console_read_until(&key, 1, deadline) == 1 && (key == 'q' || key == 'Q'))
            return false;
    }
    return !shell_interrupted();
}

static int repeat(struct top *top)
{
    uint64_t next = clock_now();

    if (!top->batch)
        shell_printf("\033[H\033[2J");
    for (uint64_t round = 1;; round++) {
        if (refresh(top) != 0)
            return 1;
        if (round == top->count)
            return 0;
        next = clock_after(next, top->interval);
        if (!wait_until(top, next))
            return shell_interrupted() ? STATUS_INTERRUPTED : 0;
    }
}

static int top_run(int argc, char **argv)
{
    struct options options = {.argc = argc, .argv = argv, .letters = "d:n:b"};
    struct top top = {.interval = 2 * SECOND};
    int option, status;

    while ((option = options_next(&options)) != OPTIONS_END) {
        if (option == OPTIONS_BAD)
            return STATUS_USAGE;
        if (option == 'd' && options_interval(argv, options.value, &top.interval) != 0)
            return STATUS_USAGE;
        if (option == 'n' &&
            options_number(argv, "count", options.value, 1, UINT64_MAX, &top.count) != 0)
            return STATUS_USAGE;
        top.batch = top.batch || option == 'b';
    }
    if (options.index < argc)
        return command_usage(argv[0]);
    top.keys = !top.batch && live_has_keys();
    status = repeat(&top);
    thread_list_free(&top.threads);
    return status;
}

COMMAND(top, .name = "top", .summary = "show the threads that use the CPUs most",
        .usage = "top [-b] [-d SECONDS] [-n COUNT]",
        .description =
            "Per CPU the percentages of time outside the kernel, in it, in interrupts and idle;\n"
            "then the threads by their use of a CPU since the last refresh, or since boot at\n"
            "first: 100.0 is one CPU all the time. q or ^C ends it.\n"
            "  -b          all threads, without moving about the screen\n"
            "  -d SECONDS  between two refreshes; 2 if not given\n"
            "  -n COUNT    so many refreshes\n"
            "\n"
            "Example: spin 10000 & top -b -n 2\n",
        .run = top_run);
