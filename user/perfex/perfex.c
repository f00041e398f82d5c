/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perfex: runs a program and prints what its event counters counted, its children's that it waited
 * for included, and what that costs: perfex(1), r10k_counters(5).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "user/perfex/counters.h"
#include "user/perfex/event.h"
#include "user/perfex/programs.h"
#include "user/perfex/run.h"

#define USAGE 2

static struct {
    int wanted[2], count;
    bool all, costs, dump;
    const char *cost_file;
} options = {.cost_file = COST_FILE};

static struct request request = {.modes = HWPERF_CNTEN_U};

static _Noreturn void perfex_usage(void)
{
    fprintf(stderr, "usage: perfex [-a | -e event [-e event]] [-mp | -s | -p[seconds]] [-kxyT] "
                    "[-c file] [-o file] command ...\n"
                    "       perfex -t [-c file]\n");
    exit(USAGE);
}

static int perfex_event(const char *text)
{
    int event = perfex_event_find(text);

    if (event < 0) {
        fprintf(stderr, "perfex: no event %s\n", text);
        exit(USAGE);
    }
    return event;
}

static void perfex_add_event(const char *text)
{
    if (options.count == 2)
        perfex_usage();
    options.wanted[options.count++] = perfex_event(text);
}

/* The command line's events come before the environment's. */
static void perfex_defaults(void)
{
    static const char *const names[] = {"T5_EVENT0", "T5_EVENT1"};

    if (options.all || options.count != 0)
        return;
    for (int i = 0; i < 2; i++)
        if (getenv(names[i]))
            perfex_add_event(getenv(names[i]));
    if (options.count == 0)
        options.wanted[options.count++] = 0;
}

static _Noreturn void perfex_refuse(int event)
{
    char what[80];

    snprintf(what, sizeof what, "event %d (%s)", event, perfex_event_name(event));
    if (errno == EINVAL)
        fprintf(stderr, "perfex: %s: not supported by this processor\n", what);
    else
        fprintf(stderr, "perfex: %s: %s\n", what, strerror(errno));
    exit(1);
}

static void perfex_choose(int fd)
{
    if (options.all) {
        if (perfex_want_all(&request.args, fd, request.modes) < 0)
            run_fail("counters");
        return;
    }
    if (options.count == 2 &&
        options.wanted[0] / HWPERF_CNT1BASE == options.wanted[1] / HWPERF_CNT1BASE) {
        fprintf(stderr, "perfex: conflicting events %d and %d: one counter has both\n",
                options.wanted[0], options.wanted[1]);
        exit(USAGE);
    }
    for (int i = 0; i < options.count; i++) {
        if (!perfex_has(fd, options.wanted[i]))
            perfex_refuse(options.wanted[i]);
        perfex_want(&request.args, options.wanted[i], request.modes);
    }
    ioctl(fd, PIOCRELEVCTRS);
}

static void perfex_output(const char *path)
{
    request.out = fopen(path, "w");
    if (!request.out)
        run_fail(path);
}

static void perfex_period(const char *text)
{
    char *end = "";

    request.period = text ? strtod(text, &end) : 1;
    if (*end != '\0' || !(request.period >= 0.01 && request.period <= 1e6)) {
        fprintf(stderr, "perfex: -p%s: not a number of seconds, 0.01 or more\n", text);
        exit(USAGE);
    }
}

static void perfex_option(int option)
{
    if (option == 'a')
        options.all = true;
    else if (option == 'e')
        perfex_add_event(optarg);
    else if (option == 'x')
        request.modes |= HWPERF_CNTEN_E;
    else if (option == 'k')
        request.modes |= HWPERF_CNTEN_K;
    else if (option == 'y')
        options.costs = true;
    else if (option == 't')
        options.dump = true;
    else if (option == 'c')
        options.cost_file = optarg;
    else if (option == 's')
        request.signalled = true;
    else if (option == 'p')
        perfex_period(optarg);
    else if (option == 'm' && strcmp(optarg, "p") == 0)
        request.family = true;
    else if (option == 'o')
        perfex_output(optarg);
    else if (option != 'T') /* all CPUs of a machine are alike here */
        perfex_usage();
}

static void perfex_options(int argc, char **argv)
{
    int option;

    request.out = stderr;
    while ((option = getopt(argc, argv, "+ae:kxytc:sp::m:o:T")) >= 0)
        perfex_option(option);
    if ((optind >= argc && !options.dump) || (options.all && options.count != 0) ||
        request.signalled + request.family + (request.period > 0) > 1 ||
        (request.family && request.modes & HWPERF_CNTEN_K))
        perfex_usage();
    request.command = argv + optind;
}

static const struct cost_table *perfex_costs(void)
{
    static struct cost_table table;

    if (!options.costs && !options.dump)
        return NULL;
    if (!perfex_costs_load(&table, options.cost_file))
        exit(1);
    return &table;
}

int perfex_main(int argc, char **argv)
{
    int fd, status;

    perfex_options(argc, argv);
    request.costs = perfex_costs();
    if (options.dump) {
        perfex_costs_print(request.costs, stdout);
        return 0;
    }
    perfex_defaults();
    fd = perfex_open(getpid());
    if (fd < 0)
        run_fail("/proc");
    perfex_choose(fd);
    status = run_command(&request, fd);
    if (fflush(request.out) != 0)
        run_fail("output");
    return status;
}
