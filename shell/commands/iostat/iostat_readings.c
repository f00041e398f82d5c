/* SPDX-License-Identifier: BSD-2-Clause */
/* The disks' kstats at two moments, for iostat: see iostat_readings.h. */
#include "shell/commands/iostat/iostat_readings.h"
#include "kernel/block/block.h"
#include "kernel/memory/kmem.h"
#include "lib/errno.h"
#include "lib/format.h"
#include "lib/string.h"

static bool iostat_readings_is_wanted(const struct iostat_selection *selection, const kstat_t *ksp)
{
    if (ksp->ks_type != KSTAT_TYPE_IO || strcmp(ksp->ks_class, "disk") != 0)
        return false;
    for (int at = 0; at < selection->name_count; at++) {
        if (strcmp(selection->names[at], ksp->ks_name) == 0)
            return true;
    }
    return selection->name_count == 0;
}

static int iostat_readings_reserve(struct iostat_readings *readings, size_t count)
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
static void iostat_readings_fill(struct iostat_reading *reading, const kstat_t *ksp, bool created)
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

static uint32_t iostat_readings_error_count(kstat_t *ksp, const char *name)
{
    const kstat_named_t *record = kstat_data_lookup(ksp, name);

    return record != NULL ? record->value.ui32 : 0;
}

kstat_t *iostat_errors_kstat(kstat_ctl_t *kc, const char *device)
{
    char name[KSTAT_STRLEN];
    kstat_t *ksp;

    format(name, sizeof name, "%s,err", device);
    ksp = kstat_lookup(kc, NULL, -1, name);
    return ksp != NULL && kstat_read(kc, ksp, NULL) >= 0 ? ksp : NULL;
}

static void iostat_readings_fill_errors(kstat_ctl_t *kc, struct iostat_reading *reading)
{
    kstat_t *ksp = iostat_errors_kstat(kc, reading->name);

    if (ksp == NULL)
        return;
    reading->soft = iostat_readings_error_count(ksp, "Soft Errors");
    reading->hard = iostat_readings_error_count(ksp, "Hard Errors");
    reading->transport = iostat_readings_error_count(ksp, "Transport Errors");
}

/* What was read last is still in the copy of the chain, which is read anew between the two. A
 * device that could not be read has gone: the next update takes it off. */
static int iostat_readings_of_chain(kstat_ctl_t *kc, const struct iostat_selection *selection,
                                    struct iostat_readings *readings)
{
    size_t wanted = 0;

    if (kstat_chain_update(kc) < 0)
        return -ENOMEM;
    for (kstat_t *ksp = kc->kc_chain; ksp != NULL; ksp = ksp->ks_next)
        wanted += iostat_readings_is_wanted(selection, ksp);
    if (iostat_readings_reserve(readings, 2 * wanted + 1) !=
        0) /* each disk may have a controller of its own */
        return -ENOMEM;
    readings->count = 0;
    for (kstat_t *ksp = kc->kc_chain; ksp != NULL; ksp = ksp->ks_next) {
        if (!iostat_readings_is_wanted(selection, ksp))
            continue;
        iostat_readings_fill(&readings->before[readings->count], ksp, ksp->ks_data == NULL);
        if (kstat_read(kc, ksp, NULL) < 0)
            continue;
        iostat_readings_fill(&readings->now[readings->count], ksp, false);
        if (selection->errors)
            iostat_readings_fill_errors(kc, &readings->now[readings->count]);
        readings->count++;
    }
    return 0;
}

/* By name, numbers within names by value: wd2 before wd10. */
static bool iostat_readings_comes_before(const char *a, const char *b)
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

static void iostat_readings_sort(struct iostat_readings *readings)
{
    for (size_t i = 1; i < readings->count; i++) {
        struct iostat_reading now = readings->now[i], before = readings->before[i];
        size_t at = i;

        for (; at > 0 && iostat_readings_comes_before(now.name, readings->now[at - 1].name); at--) {
            readings->now[at] = readings->now[at - 1];
            readings->before[at] = readings->before[at - 1];
        }
        readings->now[at] = now;
        readings->before[at] = before;
    }
}

/* Whether NAME lies on a controller with a name of its own, which becomes *controller. */
static bool iostat_readings_on_controller(const char *name, const char **controller)
{
    const struct block_device *device = block_find(name);

    if (device == NULL || device->controller == NULL)
        return false;
    *controller = device->controller;
    return true;
}

static void iostat_readings_add(struct iostat_reading *sum, const struct iostat_reading *before,
                                const struct iostat_reading *now)
{
    sum->time += now->time - before->time;
    sum->nread += now->nread - before->nread;
    sum->nwritten += now->nwritten - before->nwritten;
    sum->reads += now->reads - before->reads;
    sum->writes += now->writes - before->writes;
    sum->wlentime += now->wlentime - before->wlentime;
    sum->rlentime += now->rlentime - before->rlentime;
    sum->wtime += now->wtime - before->wtime;
    sum->rtime += now->rtime - before->rtime;
    sum->soft += now->soft;
    sum->hard += now->hard;
    sum->transport += now->transport;
}

/* Row AT is the controller NAME: the sum of its disks, whose percentages are means. */
static void iostat_readings_make_controller(struct iostat_readings *readings, size_t at,
                                            const char *name, size_t disks)
{
    struct iostat_reading *sum = &readings->now[at];
    const char *controller;
    uint64_t members = 0;

    *sum = readings->before[at] = (struct iostat_reading){.time = 0};
    for (size_t i = 0; i < disks; i++) {
        if (iostat_readings_on_controller(readings->now[i].name, &controller) &&
            strcmp(controller, name) == 0) {
            iostat_readings_add(sum, &readings->before[i], &readings->now[i]);
            members++;
        }
    }
    strlcpy(sum->name, name, sizeof sum->name);
    sum->time /= members;
    sum->wtime /= members;
    sum->rtime /= members;
}

/* Adds a row for each controller of the disks that are there. */
static void iostat_readings_add_controllers(struct iostat_readings *readings)
{
    size_t disks = readings->count;

    for (size_t i = 0; i < disks; i++) {
        const char *controller;
        bool known = false;

        if (!iostat_readings_on_controller(readings->now[i].name, &controller))
            continue;
        for (size_t at = disks; at < readings->count; at++)
            known = known || strcmp(readings->now[at].name, controller) == 0;
        if (!known)
            iostat_readings_make_controller(readings, readings->count++, controller, disks);
    }
}

int iostat_readings_take(kstat_ctl_t *kc, const struct iostat_selection *selection,
                         struct iostat_readings *readings)
{
    int error = iostat_readings_of_chain(kc, selection, readings);

    if (error != 0)
        return error;
    iostat_readings_sort(readings);
    if (selection->name_count == 0 && selection->most != 0 && readings->count > selection->most)
        readings->count = selection->most;
    if (selection->controllers) {
        iostat_readings_add_controllers(readings);
        iostat_readings_sort(readings);
    }
    return 0;
}

void iostat_readings_free(struct iostat_readings *readings)
{
    kmem_free(readings->now);
    kmem_free(readings->before);
}
