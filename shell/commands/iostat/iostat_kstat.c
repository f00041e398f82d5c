/* SPDX-License-Identifier: BSD-2-Clause */
/* iostat: the kstats of type I/O, read through libkstat; the layout is stats/read/iostat.h's. */
#include <kstat.h>
#include "kernel/time/clock.h"
#include "kernel/device/late.h"
#include "lib/string.h"
#include "shell/command.h"
#include "shell/commands/iostat/iostat.h"
#include "shell/commands/iostat/iostat_readings.h"
#include "shell/options.h"
#include "shell/output.h"
#include "shell/commands/shared/stamp.h"
#include "shell/commands/shared/system_sample.h"
#include "stats/read/iostat.h"

#define HEADING_EVERY 19 /* rows of the short form */

struct request {
    struct iostat_layout layout;
    struct iostat_selection selection;
    bool tables;              /* -x, -e: a table with a row for each device */
    bool error_list;          /* -E */
    char stamp;               /* of -T */
    uint64_t interval, count; /* ns; reports, 0 without end */
};

/* Options of Solaris for what there is not here. */
static int iostat_kstat_refuse(const char *name, int option)
{
    static const struct {
        char letter;
        const char *why;
    } reasons[] = {
        {'P', "disks have no partitions"}, {'m', "there are no file systems"},
        {'i', "disks have no device IDs"}, {'X', "a disk has one path"},
        {'Y', "a disk has one path"},
    };

    for (size_t at = 0; at < sizeof reasons / sizeof reasons[0]; at++) {
        if (reasons[at].letter == option)
            shell_printf("%s: -%c: %s here\n", name, (char)option, reasons[at].why);
    }
    return STATUS_USAGE;
}

static int iostat_kstat_set_option(char **argv, int option, const char *value,
                                   struct request *request)
{
    struct iostat_layout *layout = &request->layout;

    switch (option) {
    case OPTIONS_BAD:
        return STATUS_USAGE;
    case 'T':
        if ((value[0] != 'd' && value[0] != 'u') || value[1] != '\0') {
            shell_printf("%s: bad form of time \"%s\": it is d or u\n", argv[0], value);
            return STATUS_USAGE;
        }
        request->stamp = value[0];
        return 0;
    case 'l':
        return options_number(argv, "number of disks", value, 1, UINT64_MAX,
                              &request->selection.most);
    case 'P':
    case 'm':
    case 'i':
    case 'X':
    case 'Y':
        return iostat_kstat_refuse(argv[0], option);
    default:
        break;
    }
    layout->extended |= option == 'x';
    layout->name_last |= option == 'n';
    layout->commas |= option == 'r';
    layout->totals |= option == 'I';
    layout->megabytes |= option == 'M';
    layout->skip_zero |= option == 'z';
    layout->tty |= option == 't';
    layout->cpu |= option == 'c';
    layout->disks |= option == 'd';
    layout->usage |= option == 'D';
    layout->errors |= option == 'e';
    request->selection.controllers |= option == 'C';
    request->error_list |= option == 'E';
    return 0; /* -p and -s change nothing: there are no partitions, and no messages */
}

/* What follows from the options together: -x wins over -d and -D, those over -e and -E. */
static int iostat_kstat_settle(char **argv, struct request *request)
{
    struct iostat_layout *layout = &request->layout;

    if (layout->disks && layout->usage) {
        shell_printf("%s: -d and -D exclude each other\n", argv[0]);
        return STATUS_USAGE;
    }
    if (layout->extended)
        layout->disks = layout->usage = false;
    if (layout->disks || layout->usage)
        layout->errors = request->error_list = false;
    if (request->selection.controllers &&
        ((!layout->extended && !layout->errors) || request->error_list)) {
        shell_printf("%s: -C goes with -x or -e\n", argv[0]);
        return STATUS_USAGE;
    }
    request->tables = layout->extended || layout->errors;
    if (!request->tables && !request->error_list && !layout->tty && !layout->cpu &&
        !layout->disks && !layout->usage)
        layout->tty = layout->cpu = layout->disks = true;
    if (!request->tables && !request->error_list && request->selection.most == 0)
        request->selection.most = IOSTAT_SHORT;
    request->selection.errors = layout->errors;
    return 0;
}

static int iostat_kstat_read_request(int argc, char **argv, struct request *request)
{
    struct options options = {.argc = argc, .argv = argv, .letters = "cCdDeEiImMnpPrstxXYzl:T:"};
    int option, at, status;

    while ((option = options_next(&options)) != OPTIONS_END) {
        status = iostat_kstat_set_option(argv, option, options.value, request);
        if (status != 0)
            return status;
    }
    status = iostat_kstat_settle(argv, request);
    if (status != 0)
        return status;
    at = options.index;
    request->selection.names = argv + at;
    for (; at < argc && (argv[at][0] < '0' || argv[at][0] > '9'); at++)
        request->selection.name_count++;
    if (at < argc && options_interval(argv, argv[at++], &request->interval) != 0)
        return STATUS_USAGE;
    if (at < argc && options_number(argv, "count", argv[at++], 1, UINT64_MAX, &request->count) != 0)
        return STATUS_USAGE;
    if (request->interval == 0)
        request->count = 1;
    return at < argc ? command_usage(argv[0]) : 0;
}

static int iostat_kstat_check_names(char **argv, const struct request *request,
                                    const struct iostat_readings *readings)
{
    for (int at = 0; at < request->selection.name_count; at++) {
        bool found = false;

        for (size_t i = 0; i < readings->count; i++)
            found = found || strcmp(readings->now[i].name, request->selection.names[at]) == 0;
        if (!found) {
            shell_printf("%s: no device is named \"%s\"\n", argv[0], request->selection.names[at]);
            return 1;
        }
    }
    return 0;
}

static void iostat_kstat_print(struct request *request, const struct iostat_readings *readings,
                               const struct iostat_bsd_system *system, uint64_t report)
{
    struct iostat_layout *layout = &request->layout;
    struct shell_gather gather = {.used = 0};
    struct iostat_system short_system = {.tty_in = system->tty_in,
                                         .tty_out = system->tty_out,
                                         .user = system->cpu_ns[0] + system->cpu_ns[1],
                                         .system = system->cpu_ns[2] + system->cpu_ns[3],
                                         .idle = system->cpu_ns[4],
                                         .elapsed = system->elapsed_ns};

    layout->name_width = iostat_name_width(readings->now, readings->count);
    if ((layout->tty || layout->cpu) && (request->tables ? layout->name_last : request->error_list))
        iostat_print_system(layout, &short_system, shell_gather_put, &gather);
    if (request->tables) {
        const struct iostat_system *rest = &short_system;

        iostat_print_heading(layout, shell_gather_put, &gather);
        for (size_t at = 0; at < readings->count; at++) {
            if (iostat_print_row(layout, &readings->before[at], &readings->now[at], rest,
                                 shell_gather_put, &gather))
                rest = NULL;
        }
    } else if (!request->error_list) {
        if (layout->commas ? report == 1 : report % HEADING_EVERY == 1)
            iostat_print_short_heading(layout, readings->now, readings->count, shell_gather_put,
                                       &gather);
        iostat_print_short_row(layout, &short_system, readings->before, readings->now,
                               readings->count, shell_gather_put, &gather);
    }
    shell_gather_flush(&gather);
}

#define ERROR_LINE 62 /* a line ends after so many characters of names and values */

/* One record of a list of errors; returns the characters that count for the line's length. */
static size_t iostat_kstat_print_error(struct shell_gather *out, const kstat_named_t *record)
{
    const char *text;

    switch (record->data_type) {
    case KSTAT_DATA_CHAR:
        shell_gather_printf(out, "%s: %.16s ", record->name, record->value.c);
        return strnlen(record->value.c, sizeof record->value.c);
    case KSTAT_DATA_STRING:
        text = KSTAT_NAMED_STR_PTR(record) != NULL ? KSTAT_NAMED_STR_PTR(record) : "";
        shell_gather_printf(out, "%s: %s ", record->name, text);
        return strlen(text);
    case KSTAT_DATA_UINT64:
        shell_gather_printf(out, "%s: %llu.%02lluGB <%llu bytes>\n", record->name,
                            (unsigned long long)((record->value.ui64 + 5000000) / 1000000000),
                            (unsigned long long)((record->value.ui64 + 5000000) / 10000000 % 100),
                            (unsigned long long)record->value.ui64);
        return 0;
    default:
        shell_gather_printf(out, "%s: %u ", record->name, record->value.ui32);
        return 4;
    }
}

/* -E: what is known of each device and its errors, record by record; the first three and the size
 * end a line. */
static void iostat_kstat_print_error_list(kstat_ctl_t *kc, const struct request *request,
                                          const struct iostat_readings *readings)
{
    for (size_t at = 0; at < readings->count; at++) {
        kstat_t *ksp = iostat_errors_kstat(kc, readings->now[at].name);
        struct shell_gather out = {.used = 0};
        size_t used = 0;

        if (ksp == NULL)
            continue;
        shell_gather_printf(&out, request->layout.name_last ? "%-16s " : "%-9s ",
                            readings->now[at].name);
        for (unsigned i = 0; i < ksp->ks_ndata; i++) {
            const kstat_named_t *record = KSTAT_NAMED_PTR(ksp) + i;

            used += strlen(record->name) + iostat_kstat_print_error(&out, record);
            if (record->data_type == KSTAT_DATA_UINT64) {
                used = 0;
            } else if (used >= ERROR_LINE || i == 2) {
                shell_gather_printf(&out, "\n");
                used = 0;
            }
        }
        shell_gather_printf(&out, used > 0 ? "\n\n" : "\n");
        shell_gather_flush(&out);
    }
}

static int iostat_kstat_repeat(char **argv, kstat_ctl_t *kc, struct request *request,
                               struct iostat_readings *readings)
{
    struct iostat_bsd_system now, before = {.elapsed_ns = 0}, since;
    uint64_t next = clock_now();

    for (uint64_t report = 1;; report++) {
        if (iostat_readings_take(kc, &request->selection, readings) != 0) {
            shell_printf("%s: the statistics cannot be read (error %d)\n", argv[0], kstat_errno);
            return 1;
        }
        if (report == 1 && iostat_kstat_check_names(argv, request, readings) != 0)
            return 1;
        system_sample_take(&now);
        since = system_sample_since(&now, &before);
        before = now;
        stamp_print(request->stamp);
        iostat_kstat_print(request, readings, &since, report);
        if (request->error_list)
            iostat_kstat_print_error_list(kc, request, readings);
        if (report == request->count)
            return 0;
        next = clock_after(next, request->interval);
        if (!shell_sleep_until(next))
            return STATUS_INTERRUPTED;
    }
}

int iostat_run_kstat(int argc, char **argv)
{
    struct request request = {.count = 0};
    struct iostat_readings readings = {.count = 0};
    kstat_ctl_t *kc;
    int status = iostat_kstat_read_request(argc, argv, &request);

    if (status != 0)
        return status;
    late_start();
    kc = kstat_open();
    if (kc == NULL) {
        shell_printf("%s: the statistics cannot be read (error %d)\n", argv[0], kstat_errno);
        return 1;
    }
    status = iostat_kstat_repeat(argv, kc, &request, &readings);
    kstat_close(kc);
    iostat_readings_free(&readings);
    return status;
}
