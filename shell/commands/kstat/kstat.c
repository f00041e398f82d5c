/* SPDX-License-Identifier: BSD-2-Clause */
/* kstat: prints statistics by module:instance:name:statistic, as kstat(8) of illumos. */
#include <kstat.h>
#include "kernel/time/clock.h"
#include "kernel/memory/kmem.h"
#include "kernel/export/kstat_refresh.h"
#include "lib/errno.h"
#include "shell/command.h"
#include "shell/commands/kstat/kstat_report.h"
#include "shell/options.h"
#include "shell/output.h"
#include "shell/commands/shared/stamp.h"
#include "stats/read/kstat_text.h"

#define STATUS_NO_MATCH 1
#define STATUS_FATAL    3

/* The last PATTERNS_MORE of the patterns are those of -m -i -n -s together, and of -c. */
#define PATTERNS_MORE 2

struct request {
    struct kstat_report report;
    struct kstat_pattern *pattern, *parts, *class;
    size_t operands;
    bool by_options, colons, names, values, json, quiet, lines;
    char stamp;               /* of -T */
    uint64_t interval, count; /* count 0 is without end */
};

static int complain(const char *what, const char *text, const char *why)
{
    shell_printf("kstat: %s \"%s\": %s\n", what, text, why);
    return STATUS_USAGE;
}

static int set_part(struct kstat_pattern *pattern, enum kstat_pattern_part part, int letter,
                    const char *text)
{
    const char *why = "not a pattern";

    if (pattern->part[part].regex != NULL || pattern->part[part].glob != NULL)
        return complain("option given twice", (const char[]){'-', (char)letter, '\0'},
                        "one is enough");
    if (kstat_pattern_parse_part(pattern, part, text, &why) != 0)
        return complain("bad pattern", text, why);
    return 0;
}

static int set_option(struct request *request, int option, const char *value)
{
    static const char letters[] = "mins"; /* in the order of enum kstat_pattern_part */

    switch (option) {
    case 'C':
        request->colons = request->lines = true;
        return 0;
    case 'V':
        request->values = request->lines = true;
        return 0;
    case 'l':
        request->names = request->lines = true;
        return 0;
    case 'p':
        request->lines = true;
        return 0;
    case 'j':
        request->json = true;
        return 0;
    case 'q':
        request->quiet = true;
        return 0;
    case 'T':
        if ((value[0] != 'd' && value[0] != 'u') || value[1] != '\0')
            return complain("bad form of time", value, "it is d or u");
        request->stamp = value[0];
        return 0;
    case 'c':
        request->report.class = request->class;
        return set_part(request->class, KSTAT_PATTERN_STATISTIC, option, value);
    default:
        break;
    }
    for (int part = 0; letters[part] != '\0'; part++) {
        if (letters[part] == option) {
            request->by_options = true;
            return set_part(request->parts, (enum kstat_pattern_part)part, option, value);
        }
    }
    return STATUS_USAGE;
}

static bool is_number(const char *text)
{
    for (; *text != '\0'; text++) {
        if ((*text < '0' || *text > '9') && *text != '.')
            return false;
    }
    return true;
}

/* What follows the options: patterns, then perhaps an interval and a count. */
static int read_operands(struct request *request, int argc, char **argv, int index)
{
    int end = argc;

    request->count = 1;
    while (end > index && end > argc - 2 && is_number(argv[end - 1]))
        end--;
    if (end < argc) {
        request->count = 0;
        if (options_interval(argv, argv[end], &request->interval) != 0)
            return STATUS_USAGE;
    }
    if (end + 1 < argc &&
        options_number(argv, "count", argv[end + 1], 1, UINT64_MAX, &request->count) != 0)
        return STATUS_USAGE;
    if (request->by_options && index < end)
        return command_usage(argv[0]);
    for (; index < end; index++) {
        const char *why = "not a pattern";

        if (kstat_pattern_parse(&request->pattern[request->operands], argv[index], &why) != 0)
            return complain("bad pattern", argv[index], why);
        request->operands++;
    }
    return 0;
}

static int read_request(struct request *request, int argc, char **argv)
{
    struct options options = {.argc = argc, .argv = argv, .letters = "CVjlpqT:c:m:i:n:s:"};
    int option, status = 0;

    while ((option = options_next(&options)) != OPTIONS_END) {
        if (option == OPTIONS_BAD || (status = set_option(request, option, options.value)) != 0)
            return STATUS_USAGE;
    }
    if ((request->quiet && (request->lines || request->json)) ||
        (request->json && request->lines) || (request->names && request->values))
        return command_usage(argv[0]);
    status = read_operands(request, argc, argv, options.index);
    request->report.pattern = request->operands > 0 ? request->pattern : request->parts;
    request->report.pattern_count = request->operands > 0 ? request->operands : 1;
    request->report.form = request->quiet   ? KSTAT_FORM_QUIET
                           : request->json  ? KSTAT_FORM_JSON
                           : request->lines ? KSTAT_FORM_LINES
                                            : KSTAT_FORM_BLOCKS;
    request->report.line_flags = (request->names ? KSTAT_LINE_NAMES : 0u) |
                                 (request->colons ? KSTAT_LINE_COLONS : 0u) |
                                 (request->values ? KSTAT_LINE_VALUES : 0u);
    return status;
}

static int fatal(const char *what)
{
    shell_printf("kstat: %s\n", what);
    return STATUS_FATAL;
}

static int print_reports(const struct request *request, kstat_ctl_t *kc)
{
    int status = STATUS_NO_MATCH;
    uint64_t next = clock_now();

    for (uint64_t report = 1;; report++) {
        int result;

        stamp_print(request->stamp);
        result = kstat_report_print(&request->report, kc);
        if (result == -EINTR)
            return STATUS_INTERRUPTED;
        if (result < 0)
            return fatal("no memory");
        status = result == 0 ? 0 : status;
        if (report == request->count)
            return status;
        next = clock_after(next, request->interval);
        if (!shell_sleep_until(next))
            return STATUS_INTERRUPTED;
        kstat_refresh();
        if (kstat_chain_update(kc) == -1)
            return fatal("the list of statistics cannot be read");
        if (!request->quiet)
            shell_printf("\n");
    }
}

static void forget(struct request *request)
{
    for (size_t i = 0; i < request->operands; i++)
        kstat_pattern_free(&request->pattern[i]);
    kstat_pattern_free(request->parts);
    kstat_pattern_free(request->class);
    kmem_free(request->pattern);
}

static int kstat_run(int argc, char **argv)
{
    struct request request = {.count = 0};
    kstat_ctl_t *kc;
    int status;

    request.pattern = kmem_zalloc(((size_t)argc + PATTERNS_MORE) * sizeof(request.pattern[0]));
    if (request.pattern == NULL)
        return fatal("no memory");
    request.parts = request.pattern + argc;
    request.class = request.parts + 1;
    status = read_request(&request, argc, argv);
    if (status == 0) {
        kstat_refresh();
        kc = kstat_open();
        status = kc != NULL ? print_reports(&request, kc) : fatal("no memory");
        kstat_close(kc);
    }
    forget(&request);
    return status;
}

COMMAND(kstat, .name = "kstat", .summary = "print kernel statistics",
        .usage =
            "kstat [-CVjlpq] [-T d|u] [-c CLASS] [-m MODULE] [-i INSTANCE] [-n NAME] [-s STAT]\n"
            "             [MODULE:INSTANCE:NAME:STAT...] [INTERVAL [COUNT]]",
        .description =
            "Parts are shell patterns, or /regular expressions/; one left out matches all. The\n"
            "status is 0 if something matched, 1 if nothing did, 2 bad options, 3 a failure.\n"
            "  -p  one line each: module:instance:name:statistic, TAB, value\n"
            "  -C  the same with a colon for the TAB\n"
            "  -V  the values alone\n"
            "  -l  the names alone\n"
            "  -j  JSON\n"
            "  -q  nothing but the status\n"
            "  -T  the time before each report: d a date, u seconds since 1970\n"
            "  -c  of this class: disk net misc evcnt ...\n"
            "  -m  -i  -n  -s  parts one by one, instead of MODULE:INSTANCE:NAME:STAT\n"
            "\n"
            "Example: kstat -p cpu:0:sys:/nsec/ 1 3; kstat -p -c evcnt -s timer\n",
        .run = kstat_run);
