/* SPDX-License-Identifier: BSD-2-Clause */
/* systat vmstat: one screen about the whole system, drawn again and again; stats/read/systat.h lays
 * out.
 */
#include "stats/read/systat.h"
#include "kernel/time/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/device/late.h"
#include "kernel/memory/page.h"
#include "lib/string.h"
#include "shell/command.h"
#include "shell/commands/shared/device_sample.h"
#include "shell/live.h"
#include "shell/options.h"
#include "shell/output.h"
#include "shell/screen.h"
#include "shell/commands/shared/system_events.h"
#include "shell/commands/shared/system_sample.h"
#include "shell/commands/shared/thread_list.h"

#define SECOND 1000000000ull

struct systat {
    bool keys;
    uint64_t interval, count;
    struct device_sample devices;
    struct system_events events;
    struct iostat_bsd_system before;
};

static int systat_count_threads(struct systat_record *record)
{
    struct thread_list threads;

    if (thread_list_take(&threads, "systat") != 0)
        return 1;
    for (size_t at = 0; at < threads.count; at++) {
        record->threads_running += threads.infos[at].state == 'R';
        record->threads_ready += threads.infos[at].state == 'r';
        record->threads_sleeping += threads.infos[at].state == 'S';
    }
    thread_list_free(&threads);
    return 0;
}

static int systat_take(struct systat *systat, struct systat_record *record)
{
    struct iostat_bsd_system now;
    struct page_stats pages;

    if (device_sample_take(&systat->devices, NULL, NULL) != 0 ||
        system_events_take(&systat->events, record) != 0) {
        shell_printf("systat: no memory for the statistics\n");
        return 1;
    }
    system_sample_take(&now);
    record->uptime_ns = clock_now();
    record->cpus = cpu_count();
    record->lines = systat->keys ? screen_rows() - 1 : 0;
    record->columns = systat->keys ? screen_columns() - 1 : 0;
    record->system = system_sample_since(&now, &systat->before);
    record->tty_in = record->system.tty_in;
    record->tty_out = record->system.tty_out;
    systat->before = now;
    record->disks = systat->devices.devices;
    record->disk_count = systat->devices.count;
    page_stats_get(&pages);
    record->memory_total = pages.total * PAGE_SIZE;
    record->memory_free = pages.free * PAGE_SIZE;
    return systat_count_threads(record);
}

static int systat_draw(struct systat *systat)
{
    struct systat_record record = {.cpus = 0};
    struct shell_gather gather = {.used = 0};

    if (systat_take(systat, &record) != 0)
        return 1;
    if (systat->keys)
        live_home(false);
    systat_print(&record, systat->keys ? "\033[K" : "", shell_gather_put, &gather);
    shell_gather_flush(&gather);
    if (systat->keys)
        shell_printf("\033[J");
    return 0;
}

static int systat_repeat(struct systat *systat)
{
    uint64_t next = clock_now();

    live_begin(systat->keys);
    for (uint64_t report = 1;; report++) {
        char key = 0;

        if (systat_draw(systat) != 0)
            return 1;
        if (report == systat->count)
            return 0;
        next = clock_after(next, systat->interval);
        while (clock_now() < next && !shell_interrupted() && key != 'q' && key != 'Q' &&
               key != LIVE_REDRAW)
            key = live_wait(systat->keys, next);
        if (key == LIVE_REDRAW)
            live_begin(true);
        if (shell_interrupted())
            return STATUS_INTERRUPTED;
        if (key == 'q' || key == 'Q')
            return 0;
    }
}

static int systat_run(int argc, char **argv)
{
    struct options options = {.argc = argc, .argv = argv, .letters = "b"};
    struct systat systat = {.interval = SECOND};
    bool batch = false;
    int option, at, status;

    if (argc > 1 && strcmp(argv[1], "-vmstat") == 0)
        argv[1]++; /* systat's own way of naming its pages */
    while ((option = options_next(&options)) != OPTIONS_END) {
        if (option == OPTIONS_BAD)
            return STATUS_USAGE;
        batch = true;
    }
    at = options.index;
    systat.keys = !batch && live_has_keys();
    if (at < argc ? strcmp(argv[at++], "vmstat") != 0 : !systat.keys)
        return command_usage(argv[0]);
    if (at < argc && options_interval(argv, argv[at++], &systat.interval) != 0)
        return STATUS_USAGE;
    if (at < argc && options_number(argv, "count", argv[at++], 1, UINT64_MAX, &systat.count) != 0)
        return STATUS_USAGE;
    if (at < argc)
        return command_usage(argv[0]);
    late_start();
    status = systat_repeat(&systat);
    device_sample_free(&systat.devices);
    system_events_free(&systat.events);
    return status;
}

COMMAND(systat, .name = "systat", .summary = "show the whole system on one screen",
        .usage = "systat [[-b] vmstat [INTERVAL [COUNT]]]",
        .description =
            "CPU time, threads, events a second, memory, disks and interrupts, first since boot,\n"
            "then of each interval (a second if not given). q or ^C ends it, ^L draws it anew,\n"
            "as large as the terminal says it is by then.\n"
            "  -b  screen after screen, without moving about\n"
            "\n"
            "Example: systat vmstat 2\n",
        .run = systat_run);
