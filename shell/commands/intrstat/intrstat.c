/* SPDX-License-Identifier: BSD-2-Clause */
/* intrstat: the interrupt lines with how often each came and how long it was served. */
#include "kernel/time/clock.h"
#include "kernel/interrupt/interrupt.h"
#include "lib/string.h"
#include "shell/command.h"
#include "shell/commands/shared/interrupt_list.h"
#include "shell/commands/intrstat/intrstat_cpus.h"
#include "shell/options.h"
#include "shell/output.h"
#include "stats/evcnt/histogram.h"

#define SECOND      1000000000u
#define NAME_COLUMN 20
#define BAR_COLUMNS 40

/* An operand names a line in full or by its group. */
static bool intrstat_is_named(const struct interrupt_line *line, const char *operand)
{
    char name[INTERRUPT_LIST_NAME];

    interrupt_list_name(line, name);
    return strcmp(operand, name) == 0 || strcmp(operand, line->count.ev_group) == 0;
}

static bool intrstat_is_wanted(const struct interrupt_line *line, int argc, char **argv)
{
    for (int i = 0; i < argc; i++) {
        if (intrstat_is_named(line, argv[i]))
            return true;
    }
    return argc == 0;
}

static bool intrstat_all_known(int argc, char **argv)
{
    for (int i = 0; i < argc; i++) {
        struct interrupt_line *line = interrupt_line_next(NULL);

        while (line != NULL && !intrstat_is_named(line, argv[i]))
            line = interrupt_line_next(line);
        if (line == NULL) {
            shell_printf("intrstat: no line named \"%s\"\n", argv[i]);
            return false;
        }
    }
    return true;
}

/* The bound of a percentile of the service time; a dash where nothing was served. */
static void intrstat_print_bound(struct shell_gather *out, const struct histogram *service,
                                 unsigned percent)
{
    if (histogram_total(service) == 0)
        shell_gather_printf(out, " %8s", "-");
    else
        shell_gather_printf(out, " %8llu",
                            (unsigned long long)histogram_percentile(service, percent));
}

static void intrstat_print_row(const struct interrupt_row *row, uint64_t seconds)
{
    struct shell_gather out = {.used = 0};
    char name[INTERRUPT_LIST_NAME];

    interrupt_list_name(row->line, name);
    shell_gather_printf(&out, "%-*s %10llu %6llu %8llu %8llu", NAME_COLUMN, name,
                        (unsigned long long)row->count,
                        (unsigned long long)(row->count / (seconds > 0 ? seconds : 1)),
                        (unsigned long long)row->spurious, (unsigned long long)row->multiple);
    intrstat_print_bound(&out, &row->service, 50);
    intrstat_print_bound(&out, &row->service, 99);
    intrstat_print_bound(&out, &row->service, 100);
    shell_gather_printf(&out, "\n");
    shell_gather_flush(&out);
}

/* Bucket by bucket: the range in ns, the count, and a bar in proportion to the fullest one. */
static void intrstat_print_histogram(const struct histogram *service)
{
    uint64_t most = 1;
    unsigned first, end;

    histogram_range(service, &first, &end);
    for (unsigned i = first; i < end; i++)
        most = service->bucket[i] > most ? service->bucket[i] : most;
    for (unsigned i = first; i < end && !shell_interrupted(); i++) {
        uint64_t unit = (most + BAR_COLUMNS - 1) / BAR_COLUMNS;
        uint64_t share = service->bucket[i] / unit + (service->bucket[i] % unit != 0);

        shell_printf(
            "  %10llu - %10llu ns %10llu%s%.*s\n", (unsigned long long)histogram_bucket_low(i),
            (unsigned long long)histogram_bucket_high(i), (unsigned long long)service->bucket[i],
            share ? " " : "", (int)share, "########################################");
    }
}

/* What the columns of times leave out. */
static void intrstat_print_untimed(const struct interrupt_line *line)
{
    char name[INTERRUPT_LIST_NAME];

    interrupt_list_name(line, name);
    shell_printf("%s: %llu of these came before there was a clock, and are in no column of times\n",
                 name, (unsigned long long)line->untimed);
}

struct request {
    bool all, brief;
    int count; /* of operands */
    char **operands;
};

static bool intrstat_is_shown(const struct request *request, const struct interrupt_row *row)
{
    return intrstat_is_wanted(row->line, request->count, request->operands) &&
           (request->all || row->count != 0);
}

static int intrstat_list(const struct request *request)
{
    struct interrupt_list lines;
    uint64_t seconds = clock_now() / SECOND;

    if (interrupt_list_take(&lines, "intrstat") != 0)
        return 1;
    shell_printf("%-*s %10s %6s %8s %8s %8s %8s %8s\n", NAME_COLUMN, "line", "count", "rate",
                 "spurious", "multiple", "50%<=ns", "99%<=ns", "max<=ns");
    for (size_t i = 0; i < lines.count && !shell_interrupted(); i++) {
        const struct interrupt_row *row = &lines.rows[i];

        if (!intrstat_is_shown(request, row))
            continue;
        intrstat_print_row(row, seconds);
        if (!request->brief)
            intrstat_print_histogram(&row->service);
    }
    for (size_t i = 0; i < lines.count && !shell_interrupted(); i++) {
        if (intrstat_is_shown(request, &lines.rows[i]) && lines.rows[i].line->untimed > 0)
            intrstat_print_untimed(lines.rows[i].line);
    }
    interrupt_list_free(&lines);
    return 0;
}

/* -c or -l: an interval and a count may follow. */
static int intrstat_run_cpus(int argc, char **argv, int at, bool levels)
{
    uint64_t interval = 0, count = 0;

    if (at < argc && options_interval(argv, argv[at++], &interval) != 0)
        return STATUS_USAGE;
    if (at < argc && options_number(argv, "count", argv[at++], 1, UINT64_MAX - 1, &count) != 0)
        return STATUS_USAGE;
    return at < argc ? command_usage(argv[0]) : intrstat_cpus(levels, interval, count);
}

static int intrstat_run(int argc, char **argv)
{
    struct options options = {.argc = argc, .argv = argv, .letters = "ascl"};
    struct request request = {.all = false};
    bool cpus = false, levels = false;
    int option;

    while ((option = options_next(&options)) != OPTIONS_END) {
        if (option == OPTIONS_BAD)
            return STATUS_USAGE;
        request.all = request.all || option == 'a';
        request.brief = request.brief || option == 's';
        cpus = cpus || option == 'c';
        levels = levels || option == 'l';
    }
    if ((cpus || levels) && (request.all || request.brief || (cpus && levels)))
        return command_usage(argv[0]);
    /* As illumos has it: `intrstat 1`. No line's name is a number. */
    cpus = cpus || (!levels && !request.all && !request.brief && options.index < argc &&
                    argv[options.index][0] >= '0' && argv[options.index][0] <= '9');
    if (cpus || levels)
        return intrstat_run_cpus(argc, argv, options.index, levels);
    request.count = argc - options.index;
    request.operands = argv + options.index;
    return intrstat_all_known(request.count, request.operands) ? intrstat_list(&request) : 1;
}

static void intrstat_complete(struct completion *completion, int argc, char **argv)
{
    const char *group = "";

    (void)argc;
    (void)argv;
    for (struct interrupt_line *line = NULL; (line = interrupt_line_next(line)) != NULL;) {
        if (strcmp(line->count.ev_group, group) != 0)
            completion_add(completion, line->count.ev_group);
        group = line->count.ev_group;
    }
}

COMMAND(intrstat, .name = "intrstat", .summary = "print interrupt lines and their service times",
        .usage = "intrstat [-as] [LINE...] | intrstat [-c|-l] INTERVAL [COUNT] | intrstat -c|-l",
        .description =
            "Per line: how often it came, per second since boot, unclaimed, with a second device\n"
            "served on one entry; bounds of the service time's 50th and 99th percentile and\n"
            "maximum; and how the service times are spread, in powers of two. LINE is a full\n"
            "name (quoted, as it holds a blank) or a chip's. What came before there was a clock\n"
            "is counted, but in no column of times; a line below the table says how many.\n"
            "  -a  also lines that never came\n"
            "  -s  no histograms\n"
            "  -c  instead, how often each came on each CPU, and the part of its time it took\n"
            "  -l  the same of each priority level\n"
            "With INTERVAL those two report at that interval, in seconds, without it since boot.\n"
            "\n"
            "Example: intrstat -s; intrstat 'cpu0 timer'; intrstat -c 1 5\n",
        .run = intrstat_run, .complete = intrstat_complete);
