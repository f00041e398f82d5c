/* SPDX-License-Identifier: BSD-2-Clause */
/* The errors of a block device as a kstat; see kstat_device_error.h. */
#include "kernel/block/kstat_device_error.h"
#include "kernel/block/block.h"
#include "stats/kstat/kstat_values.h"
#include "lib/errno.h"
#include "lib/format.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* As SunOS has them, of 16 characters each; Model is all of Product. Soft errors were tried again,
 * hard errors were told to who asked, transport errors are requests that the device did not answer
 * in time. */
static const struct kstat_value values[] = {
    {"Soft Errors", KSTAT_DATA_UINT32},
    {"Hard Errors", KSTAT_DATA_UINT32},
    {"Transport Errors", KSTAT_DATA_UINT32},
    {"Vendor", KSTAT_DATA_CHAR},
    {"Product", KSTAT_DATA_CHAR},
    {"Revision", KSTAT_DATA_CHAR},
    {"Serial No", KSTAT_DATA_CHAR},
    {"Model", KSTAT_DATA_STRING},
    {"Size", KSTAT_DATA_UINT64},
    {"No Device", KSTAT_DATA_UINT32},
};

static int kstat_device_error_update(kstat_t *ksp, int how)
{
    const struct block_device *device = ksp->ks_private;
    const struct block_stats *stats = &device->stats;

    if (how == KSTAT_WRITE)
        return EACCES;
    const uint64_t numbers[] = {
        evcnt_value(&stats->retries),
        evcnt_value(&stats->errors),
        evcnt_value(&stats->timeouts),
        (uintptr_t)device->vendor,
        (uintptr_t)device->model,
        (uintptr_t)device->revision,
        (uintptr_t)device->serial,
        (uintptr_t)device->model,
        device->blocks * device->block_size,
        device->gone,
    };
    _Static_assert(COUNT(numbers) == COUNT(values), "a number for each name");
    return kstat_values_set(ksp, numbers);
}

static void name_it(const struct block_device *device, char *module, char *name)
{
    format(module, KSTAT_STRLEN, "%serr", device->driver->name);
    format(name, KSTAT_STRLEN, "%s,err", device->name);
}

void kstat_device_error_create(struct block_device *device)
{
    char module[KSTAT_STRLEN], name[KSTAT_STRLEN];

    name_it(device, module, name);
    kstat_values_create(module, (int)device->unit, name, "device_error", values, COUNT(values),
                        kstat_device_error_update, device, device->stats.devstat.creation_ns);
}

void kstat_device_error_delete(struct block_device *device)
{
    char module[KSTAT_STRLEN], name[KSTAT_STRLEN];

    name_it(device, module, name);
    kstat_delete_byname(module, (int)device->unit, name);
}
