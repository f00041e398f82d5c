/* SPDX-License-Identifier: BSD-2-Clause */
/* ecstats: what the counters in system mode count, again and again: ecstats(1). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "user/perfex/counters.h"
#include "user/perfex/programs.h"
#include "user/perfex/sample.h"
#include "user/perfex/screen.h"
#include "user/perfex/system.h"

#define USAGE     2
#define DIGITS    32
#define REDRAW    ('L' & 31)
#define SHORTEST  0.01
#define LONGEST   1e6
#define ALWAYS    0 /* of samples */
#define UNCOUNTED "-"

static struct {
    bool absolute, full, screen;
    unsigned long samples;
    double interval;
} options = {.samples = ALWAYS, .interval = 5};

static _Noreturn void ecstats_usage(void)
{
    fprintf(stderr, "usage: ecstats [-aCDefr] [-s samples] [interval]\n");
    exit(USAGE);
}

static _Noreturn void ecstats_fail(const char *what)
{
    if (errno == EINVAL)
        fprintf(stderr, "ecstats: %s: nothing is counted in system mode; see ecadmin(1)\n", what);
    else
        fprintf(stderr, "ecstats: %s: %s\n", what, strerror(errno));
    exit(1);
}

static void ecstats_samples(const char *text)
{
    char *end;

    options.samples = strtoul(text, &end, 10);
    if (*text < '0' || *text > '9' || *end != '\0' || options.samples == ALWAYS) {
        fprintf(stderr, "ecstats: -s %s: not a number of samples\n", text);
        exit(USAGE);
    }
}

static void ecstats_interval(const char *text)
{
    char *end;

    options.interval = strtod(text, &end);
    if (end == text || *end != '\0' ||
        !(options.interval >= SHORTEST && options.interval <= LONGEST)) {
        fprintf(stderr, "ecstats: %s: not a number of seconds, 0.01 or more\n", text);
        exit(USAGE);
    }
}

/* What a key asks for as well as an option. */
static bool ecstats_choose(int option)
{
    if (option == 'a' || option == 'r')
        options.absolute = option == 'a';
    else if (option == 'e' || option == 'f')
        options.full = option == 'f';
    else
        return option == REDRAW;
    return true;
}

static void ecstats_option(int option)
{
    if (option == 'C')
        options.screen = true;
    else if (option == 'D')
        system_tell();
    else if (option == 's')
        ecstats_samples(optarg);
    else if (!ecstats_choose(option))
        ecstats_usage();
}

static void ecstats_options(int argc, char **argv)
{
    int option;

    while ((option = getopt(argc, argv, "+aCDefrs:")) >= 0)
        ecstats_option(option);
    if (argc - optind > 1)
        ecstats_usage();
    if (optind < argc)
        ecstats_interval(argv[optind]);
}

static void ecstats_row(const struct sample *now, const struct sample *before, int event)
{
    char text[DIGITS] = UNCOUNTED;
    bool wanted = perfex_wants(&now->counts.control, event);
    unsigned long long value;

    if (!wanted && !options.full)
        return;
    if (wanted && !options.absolute)
        snprintf(text, sizeof text, "%.2f", sample_rate(now, before, event));
    else if (wanted && perfex_value(&now->counts, event, &value))
        snprintf(text, sizeof text, "%llu", value);
    perfex_row(event, text, wanted && perfex_sharing(&now->counts.control, event) > 1, stdout);
    putchar('\n');
}

static void ecstats_show(const struct sample *now, const struct sample *before)
{
    if (options.screen)
        screen_clear();
    if (options.absolute)
        printf("Events since the counters were enabled\n");
    else if (sample_follows(now, before))
        printf("Events per second, of %.2f s\n", now->seconds - before->seconds);
    else
        printf("Other events are enabled from now on\n");
    for (int i = 0; i < HWPERF_EVENTMAX && (options.absolute || sample_follows(now, before)); i++)
        ecstats_row(now, before, i);
    putchar('\n');
    if (fflush(stdout) != 0)
        ecstats_fail("output");
}

static void ecstats_sleep(double seconds)
{
    struct timespec time = {.tv_sec = (time_t)seconds,
                            .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)};

    if (seconds > 0)
        nanosleep(&time, NULL);
}

/* Until DEADLINE; what is shown meanwhile is what NOW has. False: that was all. */
static bool ecstats_wait(double deadline, const struct sample *now, const struct sample *before)
{
    double left;
    int key;

    while ((left = deadline - sample_clock()) > 0) {
        if (!options.screen) {
            ecstats_sleep(left);
            continue;
        }
        key = screen_key(left);
        if (key == 'q')
            return false;
        if (ecstats_choose(key) && before)
            ecstats_show(now, before);
    }
    return true;
}

/* Absolute counts are shown at once; rates after an interval, and not of one in which the events
 * became others. */
static void ecstats_run(void)
{
    struct sample samples[2], *now = &samples[0], *before = NULL;
    unsigned long shown = 0;
    double deadline;

    if (!sample_take(now))
        ecstats_fail("counters of the system");
    deadline = now->seconds;
    for (;;) {
        bool counts = options.absolute || (before && sample_follows(now, before));

        if (before || options.absolute)
            ecstats_show(now, before ? before : now);
        shown += counts;
        if (options.samples != ALWAYS && shown >= options.samples)
            return;
        deadline += options.interval;
        if (!ecstats_wait(deadline, now, before))
            return;
        before = now;
        now = &samples[now == samples];
        if (!sample_take(now))
            ecstats_fail("counters of the system");
    }
}

int ecstats_main(int argc, char **argv)
{
    ecstats_options(argc, argv);
    if (options.screen && !screen_begin())
        ecstats_fail("terminal");
    ecstats_run();
    return 0;
}
