/* SPDX-License-Identifier: BSD-2-Clause */
/* sysctl: kern.*, but for what is told where it is kept. */
#include "kernel/time/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/time/cpu_time.h"
#include "kernel/export/host_name.h"
#include "kernel/export/sysctl.h"
#include "kernel/base/version.h"
#include "lib/errno.h"
#include "lib/string.h"
#include "stats/evcnt/evcnt_export.h"
#include <sys/evcnt.h>

#define SECOND 1000000000u

static int sysctl_kern_read_ostype(struct sysctl_request *request)
{
    return sysctl_out_string(request, QUIPU_NAME);
}
SYSCTL(ostype, .name = "kern.ostype", .type = SYSCTL_STRING, .access = sysctl_kern_read_ostype,
       .summary = "the system's name");

static int sysctl_kern_read_osrelease(struct sysctl_request *request)
{
    return sysctl_out_string(request, QUIPU_RELEASE);
}
SYSCTL(osrelease, .name = "kern.osrelease", .type = SYSCTL_STRING,
       .access = sysctl_kern_read_osrelease, .summary = "its release");

static int sysctl_kern_read_version(struct sysctl_request *request)
{
    return sysctl_out_string(request, QUIPU_NAME " " QUIPU_RELEASE);
}
SYSCTL(version, .name = "kern.version", .type = SYSCTL_STRING, .access = sysctl_kern_read_version,
       .summary = "both");

static int sysctl_kern_access_hostname(struct sysctl_request *request)
{
    char name[HOST_NAME];
    const char *new = request->new;

    host_name_get(name, sizeof(name));
    sysctl_out_string(request, name);
    if (new == NULL)
        return 0;
    if (request->new_size == 0 || request->new_size >= HOST_NAME)
        return -EINVAL;
    for (size_t i = 0; i < request->new_size; i++) {
        if (new[i] <= ' ' || new[i] > '~') /* a NUL at the end is not part of it */
            if (new[i] != '\0' || i == 0 || i + 1 != request->new_size)
                return -EINVAL;
    }
    host_name_set(new, request->new_size);
    return 0;
}
SYSCTL(hostname, .name = "kern.hostname", .type = SYSCTL_STRING, .writable = true,
       .access = sysctl_kern_access_hostname, .summary = "this machine's name");

/* struct timeval: seconds and microseconds, 64 bits each. All 0 on a board without a clock. */
static int sysctl_kern_read_boottime(struct sysctl_request *request)
{
    uint64_t boot = clock_boot_time();
    const uint64_t value[2] = {boot / SECOND, boot % SECOND / 1000};

    return sysctl_out(request, value, sizeof(value));
}
SYSCTL(boottime, .name = "kern.boottime", .type = SYSCTL_OPAQUE, .format = "timeval",
       .access = sysctl_kern_read_boottime, .summary = "when the system started (UTC)");

/* struct clockinfo: hz, tick (us), and the rates at which time is accounted. Quipu accounts at
 * every change; its unit in kern.cp_time is the tick. */
static int sysctl_kern_read_clockrate(struct sysctl_request *request)
{
    const int value[4] = {(int)CLOCK_HZ, (int)(CLOCK_TICK_NS / 1000), (int)CLOCK_HZ, (int)CLOCK_HZ};

    return sysctl_out(request, value, sizeof(value));
}
SYSCTL(clockrate, .name = "kern.clockrate", .type = SYSCTL_OPAQUE, .format = "clockinfo",
       .access = sysctl_kern_read_clockrate,
       .summary = "rates of the clock: hz, tick, profhz, stathz");

/* user, nice, system, interrupt, idle: whole ticks, added to what is there, so that what all CPUs
 * have is the sum of what each has. */
static void sysctl_kern_add_ticks(unsigned cpu, uint64_t *value)
{
    struct cpu_time time;

    cpu_time_get(cpu, &time);
    value[0] += time.user / CLOCK_TICK_NS;
    value[2] += time.system / CLOCK_TICK_NS;
    value[3] += time.interrupt / CLOCK_TICK_NS;
    value[4] += time.idle / CLOCK_TICK_NS;
}

static int sysctl_kern_read_cp_time(struct sysctl_request *request)
{
    uint64_t value[5] = {0};

    for (unsigned cpu = 0; cpu < cpu_count(); cpu++)
        sysctl_kern_add_ticks(cpu, value);
    return sysctl_out(request, value, sizeof(value));
}
SYSCTL(cp_time, .name = "kern.cp_time", .type = SYSCTL_LONG, .access = sysctl_kern_read_cp_time,
       .summary = "ticks of all CPUs: user, nice, system, interrupt, idle");

static int sysctl_kern_read_cp_times(struct sysctl_request *request)
{
    for (unsigned cpu = 0; cpu < cpu_count(); cpu++) {
        uint64_t value[5] = {0};

        sysctl_kern_add_ticks(cpu, value);
        sysctl_out(request, value, sizeof(value));
    }
    return 0;
}
SYSCTL(cp_times, .name = "kern.cp_times", .type = SYSCTL_LONG, .access = sysctl_kern_read_cp_times,
       .summary = "the same of each CPU");

/* kern.evcnt, or kern.evcnt.TYPE.COUNT with the filters of stats/evcnt/evcnt_export.h. */
static int sysctl_kern_read_evcnt(struct sysctl_request *request)
{
    long type = EVCNT_TYPE_ANY, count = KERN_EVCNT_COUNT_ANY;
    size_t size, capacity;
    void *report;
    int error;

    if (request->words != 0 && request->words != 2)
        return -EINVAL;
    if (request->words == 2) {
        type = request->word[0];
        count = request->word[1];
    }
    if (type < EVCNT_TYPE_ANY || type > EVCNT_TYPE_TRAP || count < 0 || count > 1)
        return -EINVAL;
    if (request->old == NULL) { /* with slack for what may yet be attached */
        error = evcnt_export((int)type, (int)count, NULL, &size);
        request->used = error == 0 ? size : 0;
        return error;
    }
    error = evcnt_export_alloc((int)type, (int)count, &report, &size, &capacity);
    if (error != 0)
        return error;
    sysctl_out(request, report, size);
    evcnt_export_free(report, capacity);
    return 0;
}
SYSCTL(evcnt, .name = "kern.evcnt", .type = SYSCTL_OPAQUE, .format = "evcnt_sysctl", .words = 2,
       .access = sysctl_kern_read_evcnt,
       .summary = "event counters; kern.evcnt.TYPE.NONZERO: some of them");
