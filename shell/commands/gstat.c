/* SPDX-License-Identifier: BSD-2-Clause */
/* gstat: what the devices are doing, drawn again and again; the layout is stats/read/gstat.h's. */
#include "stats/read/gstat.h"
#include "kernel/time/clock.h"
#include "kernel/device/late.h"
#include "lib/format.h"
#include "lib/number.h"
#include "lib/string.h"
#include "lib/calendar.h"
#include "shell/command.h"
#include "shell/commands/shared/device_sample.h"
#include "shell/live.h"
#include "shell/options.h"
#include "shell/output.h"
#include "shell/screen.h"
#include "stats/read/kstat_pattern.h"

#define SECOND   1000000000ull
#define SHORTEST 1000000ull /* ns between two reports */
#define HEAD     3          /* lines of a screen, the one at its end too, that have no device */

struct gstat {
    struct gstat_layout layout;
    bool once, batch; /* -b, -B */
    bool csv, headed; /* -C; its heading is printed */
    bool keys;
    bool physical; /* -p */
    uint64_t interval;
    const char *filter;
    char typed[64]; /* with the key f */
    struct kstat_regex *regex;
    struct device_sample sample;
};

/* "500ms", "2s", "100us", or a number: of microseconds. */
static int gstat_read_interval(char **argv, const char *text, uint64_t *ns)
{
    static const struct {
        const char *suffix;
        unsigned places;
    } units[] = {{"ms", 6}, {"us", 3}, {"s", 9}, {"", 3}};
    size_t length = strlen(text);
    char digits[32];

    for (unsigned at = 0; at < sizeof units / sizeof units[0] && length < sizeof digits; at++) {
        size_t end = strlen(units[at].suffix);

        if (length <= end || strcmp(text + length - end, units[at].suffix) != 0)
            continue;
        strlcpy(digits, text, length - end + 1);
        if (parse_decimal(digits, units[at].places, ns) == 0 && *ns >= SHORTEST)
            return 0;
        break;
    }
    shell_printf("%s: bad interval \"%s\"\n", argv[0], text);
    return command_usage(argv[0]);
}

static int gstat_set_filter(char **argv, const char *text, struct gstat *gstat)
{
    const char *why = "no memory";

    kstat_regex_free(gstat->regex);
    gstat->regex = NULL;
    gstat->filter = text;
    if (kstat_regex_compile(&gstat->regex, text, strlen(text), &why) == 0)
        return 0;
    shell_printf("%s: bad filter \"%s\": %s\n", argv[0], text, why);
    return command_usage(argv[0]);
}

static int gstat_set_option(char **argv, int option, const char *value, struct gstat *gstat)
{
    switch (option) {
    case 'a':
        gstat->layout.active = true;
        return 0;
    case 'b':
        gstat->once = true;
        return 0;
    case 'B':
        gstat->batch = true;
        return 0;
    case 'c':
        shell_printf("%s: -c: devices have no consumers here\n", argv[0]);
        return STATUS_USAGE;
    case 'C':
        gstat->csv = gstat->batch = true;
        return 0;
    case 's':
        gstat->layout.sizes = true;
        return 0;
    case 'd':
        gstat->layout.deletes = true;
        return 0;
    case 'o':
        gstat->layout.others = true;
        return 0;
    case 'p':
        gstat->physical = true;
        return 0;
    case 'f':
        return gstat_set_filter(argv, value, gstat);
    case 'I':
        return gstat_read_interval(argv, value, &gstat->interval);
    default:
        return STATUS_USAGE;
    }
}

/* Physical is what has an interface. */
static bool gstat_is_wanted(const struct devstat *ds, void *arg)
{
    const struct gstat *gstat = arg;
    char name[IOSTAT_BSD_NAME_MAX];

    if (gstat->physical && ((ds->device_type & DEVSTAT_TYPE_PASS) != 0 ||
                            (ds->device_type & DEVSTAT_TYPE_IF_MASK) == 0))
        return false;
    iostat_bsd_name(name, ds);
    return gstat->regex == NULL || kstat_regex_match(gstat->regex, name);
}

static void gstat_print_csv(struct gstat *gstat, struct shell_gather *gather)
{
    uint64_t wall = clock_wall();
    struct calendar at;
    char time[40];

    if (!gstat->headed)
        gstat_print_csv_heading(&gstat->layout, shell_gather_put, gather);
    gstat->headed = true;
    calendar_from_seconds(wall / SECOND, &at);
    format(time, sizeof time, "%04llu-%02u-%02u %02u:%02u:%02u.%09llu", (unsigned long long)at.year,
           at.month, at.day, at.hour, at.minute, at.second, (unsigned long long)(wall % SECOND));
    for (size_t i = 0; i < gstat->sample.count; i++)
        gstat_print_csv_row(&gstat->layout, time, &gstat->sample.devices[i], shell_gather_put,
                            gather);
    shell_gather_flush(gather);
}

static int gstat_draw(struct gstat *gstat, bool print)
{
    const char *end = gstat->keys ? "\033[K" : "";
    struct device_sample *sample = &gstat->sample;
    struct shell_gather gather = {.used = 0};
    uint64_t before = sample->now.snap_ns;

    if (device_sample_take(sample, gstat_is_wanted, gstat) != 0) {
        shell_printf("gstat: no memory for the devices\n");
        return 1;
    }
    if (!print)
        return 0;
    if (gstat->csv) {
        gstat_print_csv(gstat, &gather);
        return 0;
    }
    if (gstat->keys)
        live_home(false);
    gstat_print_heading(&gstat->layout, sample->now.snap_ns - before, gstat->interval,
                        gstat->filter, end, shell_gather_put, &gather);
    for (size_t at = 0; at < sample->count && (!gstat->keys || at < screen_rows() - HEAD); at++)
        gstat_print_row(&gstat->layout, &sample->devices[at], end, shell_gather_put, &gather);
    shell_gather_flush(&gather);
    if (gstat->keys)
        shell_printf("\033[J");
    return 0;
}

/* f: a filter is typed, up to Enter; a wrong or an empty one is none. */
static void gstat_ask_filter(struct gstat *gstat)
{
    const char *why;
    size_t length = 0;
    char key;

    shell_printf("\033[H\033[Kfilter: ");
    while ((key = live_wait(true, UINT64_MAX)) != 0 && key != '\r' && key != '\n') {
        if ((key == '\b' || key == 0x7f) && length > 0) {
            length--;
            shell_printf("\b \b");
        } else if (key >= ' ' && key <= '~' && length + 1 < sizeof gstat->typed) {
            gstat->typed[length++] = key;
            shell_write(&key, 1);
        }
    }
    gstat->typed[length] = '\0';
    kstat_regex_free(gstat->regex);
    gstat->regex = NULL;
    gstat->filter = NULL;
    if (length > 0 && kstat_regex_compile(&gstat->regex, gstat->typed, length, &why) == 0)
        gstat->filter = gstat->typed;
    live_home(true);
}

/* < and > halve and double the interval; f asks for a filter, F takes it away; ^L draws anew; q
 * ends.
 */
static bool gstat_obey(struct gstat *gstat, char key)
{
    if (key == LIVE_REDRAW)
        live_begin(true);
    if (key == '<')
        gstat->interval = gstat->interval / 2 > SHORTEST ? gstat->interval / 2 : SHORTEST;
    if (key == '>' && gstat->interval < 3600 * SECOND)
        gstat->interval *= 2;
    if (key == 'f')
        gstat_ask_filter(gstat);
    if (key == 'F') {
        kstat_regex_free(gstat->regex);
        gstat->regex = NULL;
        gstat->filter = NULL;
    }
    return key != 'q' && key != 'Q';
}

static int gstat_repeat(struct gstat *gstat)
{
    if (gstat_draw(gstat, false) != 0)
        return 1;
    live_begin(gstat->keys);
    for (;;) {
        char key = live_wait(gstat->keys, clock_now() + gstat->interval);

        if (shell_interrupted())
            return STATUS_INTERRUPTED;
        if (key != 0) {
            if (!gstat_obey(gstat, key))
                return 0;
            continue;
        }
        if (gstat_draw(gstat, true) != 0)
            return 1;
        if (gstat->once)
            return 0;
    }
}

static int gstat_run(int argc, char **argv)
{
    struct options options = {.argc = argc, .argv = argv, .letters = "abBcCdopsf:I:"};
    struct gstat gstat = {.interval = SECOND};
    int option, status = 0;

    while (status == 0 && (option = options_next(&options)) != OPTIONS_END)
        status = gstat_set_option(argv, option, options.value, &gstat);
    if (status == 0 && options.index < argc)
        status = command_usage(argv[0]);
    if (status == 0) {
        gstat.keys = !gstat.once && !gstat.batch && live_has_keys();
        gstat.layout.colors = gstat.keys;
        late_start();
        status = gstat_repeat(&gstat);
    }
    device_sample_free(&gstat.sample);
    kstat_regex_free(gstat.regex);
    return status;
}

COMMAND(gstat, .name = "gstat", .summary = "show what the disks are doing",
        .usage = "gstat [-abBCdops] [-f FILTER] [-I INTERVAL]",
        .description =
            "Per device: requests in its queue, operations a second, and of reads and writes how\n"
            "many, how much, and how long one took; the part of the time that it was busy.\n"
            "q or ^C ends it, < and > halve and double the interval, f asks for a FILTER, F\n"
            "takes it away.\n"
            "  -a           only devices that were busy\n"
            "  -b           one report, then the end\n"
            "  -B           reports one after the other\n"
            "  -C           the same as lines with commas, with the time first\n"
            "  -d           also what was freed\n"
            "  -o           also operations without data\n"
            "  -p           only physical devices\n"
            "  -s           also the KB of one operation\n"
            "  -f FILTER    only devices whose names match the regular expression\n"
            "  -I INTERVAL  between two reports: 2s, 500ms, 100000us; 1s if not given\n"
            "\n"
            "Example: gstat -b -I 500ms -f '^wd'\n",
        .run = gstat_run);
