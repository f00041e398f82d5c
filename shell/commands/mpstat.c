/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mpstat: what each CPU did, in the columns of illumos's mpstat(8). Left out are mjf, ithr, srw and
 * wt, which have no meaning here, and minf and syscl, which are in kstats.
 */
#include "kernel/time/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/time/cpu_time.h"
#include "kernel/thread/cpu_counts.h"
#include "shell/command.h"
#include "shell/options.h"
#include "shell/output.h"
#include "shell/commands/shared/share.h"

#define CPUS_MAX CPU_MAX

struct reading {
    struct cpu_time time;
    struct cpu_counts counts;
};

struct request {
    bool exact;        /* -n */
    uint64_t interval; /* ns */
    uint64_t count;    /* reports; 0 is without end */
};

/* All CPUs, before any is printed. Their times first, one right after the other. */
static void mpstat_take(struct reading *all)
{
    for (unsigned cpu = 0; cpu < cpu_count(); cpu++)
        cpu_time_get(cpu, &all[cpu].time);
    for (unsigned cpu = 0; cpu < cpu_count(); cpu++)
        cpu_counts_get(cpu, &all[cpu].counts);
}

/* Makes *now what came since *before. */
static void mpstat_subtract(struct reading *now, const struct reading *before)
{
    now->time.user -= before->time.user;
    now->time.system -= before->time.system;
    now->time.interrupt -= before->time.interrupt;
    now->time.idle -= before->time.idle;
    now->time.elapsed -= before->time.elapsed;
    now->counts.cross_calls -= before->counts.cross_calls;
    now->counts.interrupts -= before->counts.interrupts;
    now->counts.switches -= before->counts.switches;
    now->counts.involuntary -= before->counts.involuntary;
    now->counts.migrations -= before->counts.migrations;
    now->counts.mutex_waits -= before->counts.mutex_waits;
}

static void mpstat_print_rates(unsigned cpu, const struct reading *r)
{
    const uint64_t counts[] = {r->counts.cross_calls, r->counts.interrupts, r->counts.switches,
                               r->counts.involuntary, r->counts.migrations, r->counts.mutex_waits};
    static const int columns[] = {4, 5, 5, 4, 4, 4};
    const uint64_t times[] = {r->time.user, r->time.system + r->time.interrupt, r->time.idle};
    struct shell_gather line;
    unsigned percent[3];

    line.used = 0;
    shell_gather_printf(&line, "%3u", cpu);
    for (unsigned i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
        shell_gather_printf(&line, " %*llu", columns[i],
                            (unsigned long long)share_rate(counts[i], r->time.elapsed));
    share_parts(times, percent, 3, 100);
    shell_gather_printf(&line, " %3u %3u %3u\n", percent[0], percent[1], percent[2]);
    shell_gather_flush(&line);
}

static void mpstat_print_exact(unsigned cpu, const struct cpu_time *time)
{
    shell_printf("%3u %15llu %15llu %15llu %15llu %15llu\n", cpu, (unsigned long long)time->user,
                 (unsigned long long)time->system, (unsigned long long)time->interrupt,
                 (unsigned long long)time->idle, (unsigned long long)time->elapsed);
}

/* One report, of what came since *before, which becomes what is now. */
static void mpstat_print_report(bool exact, struct reading *before)
{
    struct reading now[CPUS_MAX];

    mpstat_take(now);
    if (exact)
        shell_printf("CPU %15s %15s %15s %15s %15s\n", "user", "system", "interrupt", "idle",
                     "elapsed");
    else
        shell_printf("CPU xcal  intr   csw icsw migr smtx usr sys idl\n");
    for (unsigned cpu = 0; cpu < cpu_count(); cpu++) {
        struct reading since = now[cpu];

        mpstat_subtract(&since, &before[cpu]);
        before[cpu] = now[cpu];
        if (exact)
            mpstat_print_exact(cpu, &since.time);
        else
            mpstat_print_rates(cpu, &since);
    }
}

static int mpstat_read_request(int argc, char **argv, struct request *request)
{
    struct options options = {.argc = argc, .argv = argv, .letters = "n"};
    int option;

    while ((option = options_next(&options)) != OPTIONS_END) {
        if (option == OPTIONS_BAD)
            return STATUS_USAGE;
        request->exact = true;
    }
    request->count = options.index < argc ? 0 : 1;
    if (options.index < argc &&
        options_interval(argv, argv[options.index++], &request->interval) != 0)
        return STATUS_USAGE;
    if (options.index < argc &&
        options_number(argv, "count", argv[options.index++], 1, UINT64_MAX, &request->count) != 0)
        return STATUS_USAGE;
    return options.index < argc ? command_usage(argv[0]) : 0;
}

static int mpstat_run(int argc, char **argv)
{
    struct reading before[CPUS_MAX] = {0};
    struct request request = {.count = 0};
    uint64_t next = clock_now();

    if (mpstat_read_request(argc, argv, &request) != 0)
        return STATUS_USAGE;
    for (uint64_t report = 1;; report++) {
        mpstat_print_report(request.exact, before);
        if (report == request.count)
            return 0;
        next = clock_after(next, request.interval);
        if (!shell_sleep_until(next))
            return STATUS_INTERRUPTED;
    }
}

COMMAND(
    mpstat, .name = "mpstat", .summary = "print what each CPU did",
    .usage = "mpstat [-n] [INTERVAL [COUNT]]",
    .description =
        "Per CPU and second: functions that other CPUs had it run (xcal), interrupts (intr),\n"
        "switches of threads (csw), those that the thread did not ask for (icsw), threads\n"
        "that came from other CPUs (migr), mutexes found taken (smtx). Then the percentages of\n"
        "time outside the kernel (usr), in it and in interrupts (sys), and idle (idl); they\n"
        "add up to 100. The first report is since boot, the others since the one before.\n"
        "  -n  instead the times in nanoseconds; the first four add up to the last\n"
        "\n"
        "Example: mpstat 1 5; mpstat -n\n",
    .run = mpstat_run);
