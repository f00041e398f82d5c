/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * vmstat: what the system does, and the event counters, once or again and again. Options and
 * intervals are here, the tables come from stats/read/vmstat.h and vmstat_system.h.
 */
#include "stats/read/vmstat.h"

#include "kernel/device/late.h"
#include "kernel/time/clock.h"
#include "shell/command.h"
#include "shell/commands/vmstat/vmstat_system.h"
#include "shell/options.h"
#include "shell/output.h"

#define SECOND        1000000000u
#define HEADING_EVERY 20 /* lines: of a plain terminal's */

struct request {
    bool interrupts, events, verbose, tree, sums;
    uint64_t count;    /* reports; 0 is without end */
    uint64_t interval; /* ns; 0 if not given */
};

static int vmstat_set_interval(char **argv, const char *text, struct request *request)
{
    return options_interval(argv, text, &request->interval);
}

static int vmstat_set_count(char **argv, const char *text, struct request *request)
{
    return options_number(argv, "count", text, 1, UINT64_MAX, &request->count);
}

static int vmstat_set_option(char **argv, int option, const char *value, struct request *request)
{
    switch (option) {
    case 'i':
        request->interrupts = true;
        return 0;
    case 'e':
        request->events = true;
        return 0;
    case 'v':
        request->verbose = true;
        return 0;
    case 't':
        request->tree = true;
        return 0;
    case 's':
        request->sums = true;
        return 0;
    case 'c':
        return vmstat_set_count(argv, value, request);
    case 'w':
        return vmstat_set_interval(argv, value, request);
    default:
        return STATUS_USAGE;
    }
}

static bool vmstat_is_plain(const struct request *request)
{
    return !request->interrupts && !request->events && !request->sums;
}

static const struct vmstat_report *vmstat_report_of_system(void)
{
    const struct vmstat_report *const *report;

    LINKER_SET_FOREACH (report, vmstat_reports)
        return *report;
    return NULL;
}

static int vmstat_read_request(int argc, char **argv, struct request *request)
{
    struct options options = {.argc = argc, .argv = argv, .letters = "eistvc:w:"};
    int option;

    while ((option = options_next(&options)) != OPTIONS_END) {
        if (vmstat_set_option(argv, option, options.value, request) != 0)
            return STATUS_USAGE;
    }
    if (options.index < argc && vmstat_set_interval(argv, argv[options.index++], request) != 0)
        return STATUS_USAGE;
    if (options.index < argc && vmstat_set_count(argv, argv[options.index++], request) != 0)
        return STATUS_USAGE;
    if (options.index < argc)
        return command_usage(argv[0]);
    if ((vmstat_is_plain(request) || request->sums) && vmstat_report_of_system() == NULL) {
        shell_complain("%s: -i or -e must be given\n", argv[0]);
        return command_usage(argv[0]);
    }
    /* A count alone means once a second, an interval alone without end, neither of them once. */
    if (request->interval == 0) {
        request->interval = SECOND;
        if (request->count == 0)
            request->count = 1;
    }
    return 0;
}

static int vmstat_print_table(char **argv, const struct request *request, enum vmstat_table table)
{
    struct vmstat_layout layout = {
        .table = table, .verbose = request->verbose, .tree = request->tree};
    struct shell_gather gather;
    int error;

    gather.used = 0;
    error = vmstat_print(&layout, shell_gather_put, &gather);
    shell_gather_flush(&gather);
    if (error != 0)
        shell_printf("%s: no report could be taken (error %d)\n", argv[0], -error);
    return error == 0 ? 0 : 1;
}

/* NUMBER: of the report, from 1. */
static int vmstat_print_one(char **argv, const struct request *request, uint64_t number,
                            struct vmstat_system *system)
{
    int status = 0;

    if (vmstat_is_plain(request))
        return vmstat_report_of_system()->line(system, argv[0], number % HEADING_EVERY == 1);
    if (request->sums)
        vmstat_report_of_system()->sums();
    if (request->interrupts)
        status = vmstat_print_table(argv, request, VMSTAT_INTERRUPTS);
    if (status == 0 && request->events)
        status = vmstat_print_table(argv, request, VMSTAT_EVENTS);
    return status;
}

static int vmstat_run(int argc, char **argv)
{
    struct vmstat_system system = {.elapsed = 0};
    struct request request = {.count = 0};
    uint64_t next = clock_now();

    if (vmstat_read_request(argc, argv, &request) != 0)
        return STATUS_USAGE;
    late_start();
    for (uint64_t report = 1;; report++) {
        if (vmstat_print_one(argv, &request, report, &system) != 0)
            return 1;
        if (report == request.count)
            return 0;
        next = clock_after(next, request.interval);
        if (!shell_sleep_until(next))
            return STATUS_INTERRUPTED;
    }
}

COMMAND(
    vmstat, .name = "vmstat", .summary = "print what the system does, and event counters",
    .usage = "vmstat [-i] [-e] [-s] [-tv] [-c COUNT] [-w INTERVAL] [INTERVAL [COUNT]]",
    .description =
        "Without -i, -e and -s a line: threads that run or are ready (r) and that wait for\n"
        "something that cannot be interrupted (b); memory of programs (avm) and free (fre) in\n"
        "KiB; per second faults (flt), pages reclaimed, paged in and out, freed and scanned\n"
        "(re pi po fr sr: nothing is paged out, so 0), transfers of up to four disks, interrupts\n"
        "(in), system calls (sy), switches of threads (cs); percentages of CPU time outside the\n"
        "kernel (us), in it and in interrupts (sy), idle (id). The first line is since boot.\n"
        "  -i           counters of interrupts, since boot and per second, and their total\n"
        "  -e           counters of all types, and the type of each\n"
        "  -s           sums since boot\n"
        "  -v           with -i and -e: also those that are 0\n"
        "  -t           with -i and -e: as a tree, each counter below its parent\n"
        "  -c COUNT     that many reports, one a second\n"
        "  -w INTERVAL  a report each INTERVAL seconds, until ^C or COUNT\n"
        "\n"
        "Example: vmstat 1 5; vmstat -s; vmstat -e -t; vmstat -i 2 5\n",
    .run = vmstat_run);
