/* SPDX-License-Identifier: BSD-2-Clause */
/* iostat -F: options, devices and intervals; the layout is stats/read/iostat_bsd.h's. */
#include "kernel/time/clock.h"
#include "kernel/device/late.h"
#include "lib/string.h"
#include "shell/command.h"
#include "shell/commands/shared/device_sample.h"
#include "shell/commands/iostat/iostat.h"
#include "shell/options.h"
#include "shell/output.h"
#include "shell/commands/shared/system_sample.h"

#define SECOND        1000000000u
#define DEVICES_ALL   1000
#define HEADING_EVERY 20

struct request {
    struct iostat_bsd_layout layout;
    uint64_t interval, count; /* ns; reports, 0 without end */
    uint64_t devices;         /* shown at most */
    bool limited;             /* by -n */
    bool devices_only;        /* -d */
    char **names;             /* devices asked for */
    int name_count;
    struct devstat_match *matches;
    int match_count;
    struct device_selection *selections;
    int selection_count, selected;
    long generation;
};

static int iostat_bsd_bad_type(char **argv)
{
    shell_printf("%s: %s\n", argv[0], devstat_errbuf);
    return STATUS_USAGE;
}

static int iostat_bsd_set_option(char **argv, int option, const char *value,
                                 struct request *request)
{
    struct iostat_bsd_layout *layout = &request->layout;

    switch (option) {
    case 'F':
        return 0;
    case 'x':
        layout->extended = true;
        return 0;
    case 'I':
        layout->totals = true;
        return 0;
    case 'o':
        layout->old = true;
        return 0;
    case 'd':
        request->devices_only = true;
        return 0;
    case 'C':
        layout->cpu = true;
        return 0;
    case 'T':
        layout->tty = true;
        return 0;
    case 'K':
        layout->kilobytes = true;
        return 0;
    case 'z':
        layout->skip_idle = true;
        return 0;
    case 'n':
        request->limited = true;
        return options_number(argv, "number of devices", value, 0, DEVICES_ALL, &request->devices);
    case 'c':
        return options_number(argv, "count", value, 1, UINT64_MAX, &request->count);
    case 'w':
        return options_interval(argv, value, &request->interval);
    case 't':
        return devstat_buildmatch((char *)(uintptr_t)value, &request->matches,
                                  &request->match_count) == 0
                   ? 0
                   : iostat_bsd_bad_type(argv);
    default:
        return STATUS_USAGE;
    }
}

/* Devices by name, then an interval and a count. */
static int iostat_bsd_read_operands(int argc, char **argv, int at, struct request *request)
{
    request->names = argv + at;
    while (at < argc && (argv[at][0] < '0' || argv[at][0] > '9')) {
        request->name_count++;
        at++;
    }
    if (at < argc && options_interval(argv, argv[at++], &request->interval) != 0)
        return STATUS_USAGE;
    if (at < argc && options_number(argv, "count", argv[at++], 1, UINT64_MAX, &request->count) != 0)
        return STATUS_USAGE;
    return at < argc ? command_usage(argv[0]) : 0;
}

/* As many as a line of 80 columns holds beside the rest, if nobody said how many. */
static uint64_t iostat_bsd_devices_shown(const struct request *request)
{
    const struct iostat_bsd_layout *layout = &request->layout;
    bool room = request->devices_only && !layout->cpu;

    if (layout->extended)
        return DEVICES_ALL;
    return (layout->old ? 4u : 3u) + (room ? 1u : 0u);
}

static int iostat_bsd_read_request(int argc, char **argv, struct request *request)
{
    struct options options = {.argc = argc, .argv = argv, .letters = "FxIodCTKzn:c:w:t:"};
    struct iostat_bsd_layout *layout = &request->layout;
    int option;

    while ((option = options_next(&options)) != OPTIONS_END) {
        if (iostat_bsd_set_option(argv, option, options.value, request) != 0)
            return STATUS_USAGE;
    }
    if (iostat_bsd_read_operands(argc, argv, options.index, request) != 0)
        return STATUS_USAGE;
    if (!request->devices_only && !layout->extended)
        layout->cpu = layout->tty = true;
    if (!request->limited) {
        request->devices = iostat_bsd_devices_shown(request);
        if (request->devices < (uint64_t)request->name_count)
            request->devices = (uint64_t)request->name_count;
    }
    if (request->interval == 0) {
        request->interval = SECOND;
        if (request->count == 0)
            request->count = 1;
    }
    return 0;
}

/* The sample's devices as far as they are selected; again each time, as devices come and go. */
static int iostat_bsd_select_devices(struct request *request, struct device_sample *sample)
{
    bool asked = request->name_count > 0 || request->match_count > 0;
    size_t kept = 0;
    struct devinfo *info = &sample->now_devices;

    if (devstat_selectdevs(&request->selections, &request->selected, &request->selection_count,
                           &request->generation, info->generation, info->devices, info->numdevs,
                           request->matches, request->match_count, request->names,
                           request->name_count, asked ? DS_SELECT_ONLY : DS_SELECT_ADD,
                           (int)request->devices, 0) < 0)
        return 1;
    for (size_t at = 0; at < sample->count; at++) {
        if (request->selections[at].selected != 0)
            sample->devices[kept++] = sample->devices[at];
    }
    sample->count = kept;
    return 0;
}

/* Each name must be a device's, whether -n leaves it a place or not. */
static int iostat_bsd_check_names(char **argv, const struct request *request,
                                  const struct device_sample *sample)
{
    char name[IOSTAT_BSD_NAME_MAX];

    for (int at = 0; at < request->name_count; at++) {
        bool found = false;

        for (int i = 0; i < sample->now_devices.numdevs; i++) {
            iostat_bsd_name(name, &sample->now_devices.devices[i]);
            found = found || strcmp(name, request->names[at]) == 0;
        }
        if (!found) {
            shell_printf("%s: no device is named \"%s\"\n", argv[0], request->names[at]);
            return 1;
        }
    }
    return 0;
}

/* The first report is about the time since boot, whenever the devices were found. */
static void iostat_bsd_count_from_boot(struct device_sample *sample)
{
    for (size_t at = 0; at < sample->count; at++)
        sample->devices[at].elapsed_ns = sample->now.snap_ns;
}

static int iostat_bsd_repeat(char **argv, struct request *request, struct device_sample *sample)
{
    struct iostat_bsd_system now, before = {.elapsed_ns = 0}, since;
    uint64_t next = clock_now();
    struct shell_gather gather = {.used = 0};

    for (uint64_t report = 1;; report++) {
        if (device_sample_take(sample, NULL, NULL) != 0 ||
            iostat_bsd_select_devices(request, sample) != 0) {
            shell_printf("%s: no memory for the devices\n", argv[0]);
            return 1;
        }
        if (report == 1 && iostat_bsd_check_names(argv, request, sample) != 0)
            return 1;
        if (report == 1)
            iostat_bsd_count_from_boot(sample);
        system_sample_take(&now);
        since = system_sample_since(&now, &before);
        before = now;
        if (request->layout.extended && request->layout.cpu)
            iostat_bsd_print_cpu(&since, shell_gather_put, &gather);
        if (request->layout.extended || report % HEADING_EVERY == 1)
            iostat_bsd_print_heading(&request->layout, sample->devices, sample->count,
                                     shell_gather_put, &gather);
        iostat_bsd_print(&request->layout, &since, sample->devices, sample->count, shell_gather_put,
                         &gather);
        shell_gather_flush(&gather);
        if (report == request->count)
            return 0;
        next = clock_after(next, request->interval);
        if (!shell_sleep_until(next))
            return STATUS_INTERRUPTED;
    }
}

int iostat_run_bsd(int argc, char **argv)
{
    struct request request = {.count = 0};
    struct device_sample sample = {.count = 0};
    int status = iostat_bsd_read_request(argc, argv, &request);

    if (status == 0) {
        late_start();
        status = iostat_bsd_repeat(argv, &request, &sample);
    }
    device_sample_free(&sample);
    devstat_freematches(request.matches, request.match_count);
    devstat_freeselections(request.selections, request.selection_count);
    return status;
}
