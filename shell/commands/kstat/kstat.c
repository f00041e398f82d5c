/* SPDX-License-Identifier: BSD-2-Clause */
/* kstat: prints statistics by module:instance:name:statistic, as kstat(8) of illumos. */
#include "kernel/export/kstat_refresh.h"
#include "shell/command.h"
#include "shell/options.h"
#include "shell/output.h"
#include "stats/read/kstat_request.h"

static void kstat_write_text(void *arg, const char *text, size_t length)
{
    (void)arg;
    shell_write(text, length);
}

static const struct kstat_request_host kstat_host = {.put = kstat_write_text,
                                                     .complain = kstat_write_text,
                                                     .interrupted = shell_interrupted,
                                                     .sleep_until = shell_sleep_until,
                                                     .refresh = kstat_refresh};

static int kstat_words(struct kstat_request *request, int argc, char **argv)
{
    struct options options = {.argc = argc, .argv = argv, .letters = KSTAT_REQUEST_OPTIONS};
    int option;

    while ((option = options_next(&options)) != OPTIONS_END) {
        if (option == OPTIONS_BAD || kstat_request_option(request, option, options.value) != 0)
            return STATUS_USAGE;
    }
    return kstat_request_operands(request, argc - options.index, argv + options.index);
}

static int kstat_run(int argc, char **argv)
{
    struct kstat_request request;
    int status;

    if (kstat_request_begin(&request, &kstat_host, (size_t)argc) != 0) {
        shell_printf("kstat: no memory\n");
        return KSTAT_STATUS_FATAL;
    }
    status = kstat_words(&request, argc, argv);
    if (status == 0)
        status = kstat_request_run(&request);
    kstat_request_end(&request);
    return status == KSTAT_STATUS_INTERRUPTED ? STATUS_INTERRUPTED : status;
}

COMMAND(kstat, .name = "kstat", .summary = "print kernel statistics", .usage = KSTAT_REQUEST_USAGE,
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
