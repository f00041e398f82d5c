/* SPDX-License-Identifier: BSD-2-Clause */
/* top: threads, or processes, by their use of a CPU, on a screen that is drawn again and again. */
#include "kernel/time/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/time/cpu_time.h"
#include "kernel/memory/kmem.h"
#include "lib/string.h"
#include "shell/command.h"
#include "shell/live.h"
#include "shell/options.h"
#include "shell/output.h"
#include "shell/screen.h"
#include "shell/commands/shared/process_list.h"
#include "shell/commands/shared/share.h"
#include "shell/commands/shared/thread_list.h"

#define SECOND      1000000000ull
#define HEAD_LINES  3 /* of a screen, beside those of the CPUs; its last line stays empty */
#define THREADS_MIN 4 /* shown however many CPUs there are */

/* A thread or a process. */
struct row {
    uint32_t id;
    char state;
    unsigned priority, cpu, threads;
    uint64_t began, total; /* ns; began tells processes of one number apart */
    uint64_t resident;     /* bytes */
    uint64_t used;         /* ns, since the last refresh */
    char name[THREAD_NAME_LENGTH];
};

struct rows {
    size_t count;
    struct row *row;
};

struct top {
    bool batch;                    /* no terminal: everything, without escapes */
    bool processes;                /* -p: these instead of threads */
    bool keys;                     /* the console's keys are ours */
    uint64_t interval;             /* ns */
    uint64_t count;                /* refreshes; 0 is without end */
    struct rows before;            /* as they were listed last, by id */
    struct cpu_time cpus[CPU_MAX]; /* just before that */
};

/* Prints a line and ends it; on a screen what has no room is cut, and what stood there before goes.
 */
static void top_end_line(const struct top *top, struct shell_gather *line)
{
    if (!top->batch && line->used >= screen_columns())
        line->used = screen_columns() - 1;
    shell_gather_printf(line, top->batch ? "\n" : "\033[K\n");
    shell_gather_flush(line);
}

static void top_print_cpu(const struct top *top, unsigned cpu, const struct cpu_time *now)
{
    const struct cpu_time *before = &top->cpus[cpu];
    struct shell_gather line = {.used = 0};
    unsigned part[4];

    share_parts((const uint64_t[]){now->user - before->user, now->system - before->system,
                                   now->interrupt - before->interrupt, now->idle - before->idle},
                part, 4, 1000);
    shell_gather_printf(&line, "CPU %-2u %3u.%u%% usr %3u.%u%% sys %3u.%u%% int %3u.%u%% idl", cpu,
                        part[0] / 10, part[0] % 10, part[1] / 10, part[1] % 10, part[2] / 10,
                        part[2] % 10, part[3] / 10, part[3] % 10);
    top_end_line(top, &line);
}

static void top_print_row(const struct top *top, const struct row *row, uint64_t elapsed)
{
    uint64_t share = share_of(row->used, elapsed, 1000);
    struct shell_gather line = {.used = 0};

    shell_gather_printf(&line, "%5u %c %3u %3u ", row->id, row->state, row->priority, row->cpu);
    if (top->processes)
        shell_gather_printf(&line, "%4u %7llu ", row->threads,
                            (unsigned long long)(row->resident >> 10));
    shell_gather_printf(&line, "%3llu.%llu %5llu.%03llu %s", (unsigned long long)(share / 10),
                        (unsigned long long)(share % 10), (unsigned long long)(row->total / SECOND),
                        (unsigned long long)(row->total % SECOND / (SECOND / 1000)), row->name);
    top_end_line(top, &line);
}

/* By the CPU time used since the last look; idle threads, which take what is left, last. */
static bool top_ranks_before(const struct row *a, const struct row *b)
{
    bool a_idle = a->priority == THREAD_PRIORITY_IDLE, b_idle = b->priority == THREAD_PRIORITY_IDLE;

    return a_idle == b_idle ? a->used > b->used : b_idle;
}

/* Equals stay in order of creation. */
static void top_sort(struct row *rows, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        struct row row = rows[i];
        size_t at = i;

        for (; at > 0 && top_ranks_before(&row, &rows[at - 1]); at--)
            rows[at] = rows[at - 1];
        rows[at] = row;
    }
}

/* Pair each with its earlier self: both lists are by id. */
static void top_pair(const struct rows *now, const struct rows *before)
{
    size_t old = 0;

    for (size_t i = 0; i < now->count; i++) {
        struct row *row = &now->row[i];

        row->used = row->total;
        while (old < before->count && before->row[old].id < row->id)
            old++;
        if (old < before->count && before->row[old].id == row->id &&
            before->row[old].began == row->began)
            row->used -= before->row[old].total;
    }
}

static void top_fill_thread(struct row *row, const struct thread_info *info)
{
    *row = (struct row){.id = info->id,
                        .state = info->state,
                        .priority = info->priority,
                        .cpu = info->cpu,
                        .total = info->user_ns + info->system_ns};
    strlcpy(row->name, info->name, sizeof row->name);
}

static void top_fill_process(struct row *row, const struct process_row *process)
{
    *row = (struct row){.id = process->id,
                        .state = process->state,
                        .priority = process->priority,
                        .cpu = process->cpu,
                        .threads = process->threads,
                        .began = process->started_ns,
                        .resident = process->resident,
                        .total = process->user_ns + process->system_ns};
    strlcpy(row->name, process->name, sizeof row->name);
}

/* What is to be shown; *THREADS and *PROCESSES: how many there are. False without memory. */
static bool top_take(const struct top *top, struct rows *rows, size_t *threads, size_t *processes)
{
    struct process_list process_list = {.count = 0};
    struct thread_list thread_list;

    if (thread_list_take(&thread_list, "top") != 0)
        return false;
    *threads = thread_list.count;
    *processes = 0;
    if (process_list_take(&process_list, "top") == 0) {
        *processes = process_list.count;
        rows->count = top->processes ? *processes : *threads;
        rows->row = kmem_alloc((rows->count + 1) * sizeof(*rows->row));
        if (rows->row == NULL)
            shell_printf("top: no memory for %zu rows\n", rows->count);
    }
    for (size_t i = 0; rows->row != NULL && i < rows->count; i++) {
        if (top->processes)
            top_fill_process(&rows->row[i], &process_list.rows[i]);
        else
            top_fill_thread(&rows->row[i], &thread_list.infos[i]);
    }
    process_list_free(&process_list);
    thread_list_free(&thread_list);
    return rows->row != NULL;
}

/* In the order that they are shown in, by which nobody else asks for them. */
static struct row *top_sorted(const struct rows *rows)
{
    struct row *copy = kmem_alloc((rows->count + 1) * sizeof(*copy));

    if (copy == NULL) {
        shell_printf("top: no memory for %zu rows\n", rows->count);
        return NULL;
    }
    memcpy(copy, rows->row, rows->count * sizeof(*copy));
    top_sort(copy, rows->count);
    return copy;
}

/* CPUs that have a line: as many as leave room for some threads and for saying how many more. */
static unsigned top_shown_cpus(const struct top *top)
{
    unsigned room = screen_rows() - 1 - HEAD_LINES - THREADS_MIN;

    return top->batch || cpu_count() <= room ? cpu_count() : room - 1;
}

static void top_print_cpus(const struct top *top, const struct cpu_time *cpus)
{
    unsigned shown = top_shown_cpus(top);
    struct shell_gather line = {.used = 0};

    for (unsigned cpu = 0; cpu < shown; cpu++)
        top_print_cpu(top, cpu, &cpus[cpu]);
    if (shown == cpu_count())
        return;
    shell_gather_printf(&line, "and %u CPUs more", cpu_count() - shown);
    top_end_line(top, &line);
}

static void top_print_rows(struct top *top, const struct row *rows, size_t count, uint64_t elapsed)
{
    unsigned cpus = top_shown_cpus(top);
    size_t room = screen_rows() - 1 - HEAD_LINES - cpus - (cpus < cpu_count());
    struct shell_gather line = {.used = 0};

    top_end_line(top, &line);
    shell_gather_printf(&line, "%5s S PRI CPU %s %%CPU %9s NAME", top->processes ? "PID" : "ID",
                        top->processes ? "NLWP     RSS " : "", "SECONDS");
    top_end_line(top, &line);
    for (size_t i = 0; i < count && (top->batch || i < room) && !shell_interrupted(); i++)
        top_print_row(top, &rows[i], elapsed);
}

static void top_print_head(const struct top *top, size_t threads, size_t processes)
{
    struct shell_gather line = {.used = 0};

    if (!top->batch)
        live_home(false);
    shell_gather_printf(&line, "up %llu s, %zu threads, %zu process%s, %u CPU%s",
                        (unsigned long long)(clock_now() / SECOND), threads, processes,
                        processes == 1 ? "" : "es", cpu_count(), cpu_count() == 1 ? "" : "s");
    top_end_line(top, &line);
}

static int top_refresh(struct top *top)
{
    struct cpu_time cpus[CPU_MAX];
    struct rows now = {.count = 0};
    size_t threads, processes;
    struct row *rows;

    for (unsigned cpu = 0; cpu < cpu_count(); cpu++)
        cpu_time_get(cpu, &cpus[cpu]);
    if (!top_take(top, &now, &threads, &processes))
        return 1;
    top_pair(&now, &top->before);
    rows = top_sorted(&now);
    if (rows == NULL) {
        kmem_free(now.row);
        return 1;
    }
    top_print_head(top, threads, processes);
    top_print_cpus(top, cpus);
    top_print_rows(top, rows, now.count, cpus[0].elapsed - top->cpus[0].elapsed);
    shell_printf(top->batch ? "\n" : "\033[J");
    kmem_free(rows);
    kmem_free(top->before.row);
    top->before = now;
    memcpy(top->cpus, cpus, cpu_count() * sizeof(cpus[0]));
    return 0;
}

/* Waits for the next refresh; false if q or ^C came first. */
static bool top_wait_until(const struct top *top, uint64_t deadline)
{
    char key = 0;

    while (clock_now() < deadline && !shell_interrupted() && key != LIVE_REDRAW) {
        key = live_wait(top->keys, deadline);
        if (key == 'q' || key == 'Q')
            return false;
    }
    if (key == LIVE_REDRAW)
        live_begin(true);
    return !shell_interrupted();
}

static int top_repeat(struct top *top)
{
    uint64_t next = clock_now();

    live_begin(top->keys);
    if (!top->batch && !top->keys)
        live_home(true);
    for (uint64_t round = 1;; round++) {
        if (top_refresh(top) != 0)
            return 1;
        if (round == top->count)
            return 0;
        next = clock_after(next, top->interval);
        if (!top_wait_until(top, next))
            return shell_interrupted() ? STATUS_INTERRUPTED : 0;
    }
}

static int top_run(int argc, char **argv)
{
    struct options options = {.argc = argc, .argv = argv, .letters = "d:n:bp"};
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
        top.processes = top.processes || option == 'p';
    }
    if (options.index < argc)
        return command_usage(argv[0]);
    top.keys = !top.batch && live_has_keys();
    status = top_repeat(&top);
    kmem_free(top.before.row);
    return status;
}

COMMAND(top, .name = "top", .summary = "show the threads or processes that use the CPUs most",
        .usage = "top [-bp] [-d SECONDS] [-n COUNT]",
        .description =
            "Per CPU the percentages of time outside the kernel, in it, in interrupts and idle;\n"
            "then the threads by their use of a CPU since the last refresh, or since boot at\n"
            "first: 100.0 is one CPU all the time. q or ^C ends it, ^L draws it anew, as large\n"
            "as the terminal says it is by then.\n"
            "  -b          all of them, without moving about the screen\n"
            "  -p          processes that run programs, with their threads and memory in KiB\n"
            "  -d SECONDS  between two refreshes; 2 if not given\n"
            "  -n COUNT    that many refreshes\n"
            "\n"
            "Example: spin 10000 & top -b -n 2\n",
        .run = top_run);
