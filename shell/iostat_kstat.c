/* SPDX-License-Identifier: BSD-2-Clause */
/* iostat: the kstats of type I/O, read through libkstat; the layout is stats/iostat.h's. */
#include <kstat.h>
#include "kernel/clock.h"
#include "kernel/kmem.h"
#include "kernel/late.h"
#include "lib/errno.h"
#include "lib/string.h"
#include "shell/command.h"
#include "shell/iostat.h"
#include "shell/options.h"
#include "shell/output.h"
#include "shell/system_sample.h"
#include "stats/iostat.h"

#define SECOND        1000000000u
#define HEADING_EVERY 19 /* rows of the short form */

struct request {
    struct iostat_layout layout;
    uint64_t interval, count; /* ns; reports, 0 without end */
    char **names;             /* devices asked for */
    int name_count;
};

/* All devices at a moment, and which kstats they were. */
struct readings {
    size_t count, room;
    struct iostat_reading *now, *before;
};

static int read_request(int argc, char **argv, struct request *request)
{
    struct options options = {.argc = argc, .argv = argv, .letters = "xnrIMz"};
    struct iostat_layout *layout = &request->layout;
    int option, at;

    while ((option = options_next(&options)) != OPTIONS_END) {
        if (option == OPTIONS_BAD)
            return STATUS_USAGE;
        layout->extended = layout->extended || option == 'x';
        layout->name_last = layout->name_last || option == 'n';
        layout->commas = layout->commas || option == 'r';
        layout->totals = layout->totals || option == 'I';
        layout->megabytes = layout->megabytes || option == 'M';
        layout->skip_zero = layout->skip_zero || option == 'z';
    }
    at = options.index;
    request->names = argv + at;
    for (; at < argc && (argv[at][0] < '0' || argv[at][0] > '9'); at++)
        request->name_count++;
    if (at < argc && options_interval(argv, argv[at++], &request->interval) != 0)
        return STATUS_USAGE;
    if (at < argc && options_number(argv, "count", argv[at++], 1, UINT64_MAX, &request->count) != 0)
        return STATUS_USAGE;
    if (request->interval == 0)
        request->count = 1;
    return at < argc ? command_usage(argv[0]) : 0;
}

static bool is_wanted(const struct request *request, const kstat_t *ksp)
{
    if (ksp->ks_type != KSTAT_TYPE_IO || strcmp(ksp->ks_class, "disk") != 0)
        return false;
    for (int at = 0; at < request->name_count; at++) {
        if (strcmp(request->names[at], ksp->ks_name) == 0)
            return true;
    }
    return request->name_count == 0;
}

static int reserve(struct readings *readings, size_t count)
{
    if (count <= readings->room)
        return 0;
    kmem_free(readings->now);
    kmem_free(readings->before);
    readings->now = kmem_zalloc(count * sizeof(*readings->now));
    readings->before = kmem_zalloc(count * sizeof(*readings->before));
    readings->room = readings->now != NULL && readings->before != NULL ? count : 0;
    return readings->room != 0 ? 0 : -ENOMEM;
}

/* A device's data: of the kstat itself, or all 0 as it was when it was created. */
static void fill(struct iostat_reading *reading, const kstat_t *ksp, bool created)
{
    const kstat_io_t *io = ksp->ks_data;

    *reading = (struct iostat_reading){.time = (uint64_t)ksp->ks_crtime};
    strlcpy(reading->name, ksp->ks_name, sizeof reading->name);
    if (created || io == NULL)
        return;
    reading->time = (uint64_t)ksp->ks_snaptime;
    reading->nread = io->nread;
    reading->nwritten = io->nwritten;
    reading->reads = io->reads;
    reading->writes = io->writes;
    reading->wtime = (uint64_t)io->wtime;
    reading->wlentime = (uint64_t)io->wlentime;
    reading->rtime = (uint64_t)io->rtime;
    reading->rlentime = (uint64_t)io->rlentime;
}

/* What was read last is still in the copy of the chain, which is read anew between the two. A
 * device that could not be read has gone: the next update takes it off. */
static int take(kstat_ctl_t *kc, const struct request *request, struct readings *readings)
{
    size_t wanted = 0;

    if (kstat_chain_update(kc) < 0)
        return -ENOMEM;
    for (kstat_t *ksp = kc->kc_chain; ksp != NULL; ksp = ksp->ks_next)
        wanted += is_wanted(request, ksp);
    if (reserve(readings, wanted + 1) != 0)
        return -ENOMEM;
    readings->count = 0;
    for (kstat_t *ksp = kc->kc_chain; ksp != NULL; ksp = ksp->ks_next) {
        if (!is_wanted(request, ksp))
            continue;
        fill(&readings->before[readings->count], ksp, ksp->ks_data == NULL);
        if (kstat_read(kc, ksp, NULL) < 0)
            continue;
        fill(&readings->now[readings->count++], ksp, false);
    }
    return 0;
}

/* By name, numbers within names by value: wd2 before wd10. */
static bool comes_before(const char *a, const char *b)
{
    for (; *a != '\0' && *a == *b; a++, b++)
        ;
    if (*a >= '0' && *a <= '9' && *b >= '0' && *b <= '9') {
        size_t a_length = 0, b_length = 0;

        while (a[a_length] >= '0' && a[a_length] <= '9')
            a_length++;
        while (b[b_length] >= '0' && b[b_length] <= '9')
            b_length++;
        if (a_length != b_length)
            return a_length < b_length;
    }
    return (unsigned char)*a < (unsigned char)*b;
}

static void sort(struct readings *readings)
{
    for (size_t i = 1; i < readings->count; i++) {
        struct iostat_reading now = readings->now[i], before = readings->before[i];
        size_t at = i;

        for (; at > 0 && comes_before(now.name, readings->now[at - 1].name); at--) {
            readings->now[at] = readings->now[at - 1];
            readings->before[at] = readings->before[at - 1];
        }
        readings->now[at] = now;
        readings->before[at] = before;
    }
}

static int check_names(char **argv, const struct request *request, const struct readings *readings)
{
    for (int at = 0; at < request->name_count; at++) {
        bool found = false;

        for (size_t i = 0; i < readings->count; i++)
            found = found || strcmp(readings->now[i].name, request->names[at]) == 0;
        if (!found) {
            shell_printf("%s: no device is named \"%s\"\n", argv[0], request->names[at]);
            return 1;
        }
    }
    return 0;
}

static void print(struct request *request, const struct readings *readings,
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
    if (layout->extended) {
        iostat_print_heading(layout, shell_gather_put, &gather);
        for (size_t at = 0; at < readings->count; at++)
            iostat_print_row(layout, &readings->before[at], &readings->now[at], shell_gather_put,
                             &gather);
    } else {
        if (report % HEADING_EVERY == 1)
            iostat_print_short_heading(layout, readings->now, readings->count, shell_gather_put,
                                       &gather);
        iostat_print_short_row(layout, &short_system, readings->before, readings->now,
                               readings->count, shell_gather_put, &gather);
    }
    shell_gather_flush(&gather);
}

static int repeat(char **argv, kstat_ctl_t *kc, struct request *request, struct readings *readings)
{
    struct iostat_bsd_system now, before = {.elapsed_ns = 0}, since;
    uint64_t next = clock_now();

    for (uint64_t report = 1;; report++) {
        if (take(kc, request, readings) != 0) {
            shell_printf("%s: the statistics cannot be read (error %d)\n", argv[0], kstat_errno);
            return 1;
        }
        sort(readings);
        if (report == 1 && check_names(argv, request, readings) != 0)
            return 1;
        system_sample_take(&now);
        since = system_sample_since(&now, &before);
        before = now;
        print(request, readings, &since, report);
        if (report == request->count)
            return 0;
        if (__builtin_add_overflow(next, request->interval, &next))
            next = UINT64_MAX;
        if (!shell_sleep_until(next))
            return STATUS_INTERRUPTED;
    }
}

int iostat_run_kstat(int argc, char **argv)
{
    struct request request = {.count = 0};
    struct readings readings = {.count = 0};
    kstat_ctl_t *kc;
    int status = read_request(argc, argv, &request);

    if (status != 0)
        return status;
    late_start();
    kc = kstat_open();
    if (kc == NULL) {
        shell_printf("%s: the statistics cannot be read (error %d)\n", argv[0], kstat_errno);
        return 1;
    }
    status = repeat(argv, kc, &request, &readings);
    kstat_close(kc);
    kmem_free(readings.now);
    kmem_free(readings.before);
    return status;
}
