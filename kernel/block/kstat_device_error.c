/* SPDX-License-Identifier: BSD-2-Clause */
/* The errors of a block device as a kstat; see kstat_device_error.h. */
#include "kernel/block/kstat_device_error.h"
#include "kernel/block/block.h"
#include "stats/kstat/kstat_values.h"
#include "lib/errno.h"
#include "lib/format.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/*
 * As SunOS has them, of 16 characters each; Model is all of Product. Soft errors were tried again,
 * or recovered by the device; hard errors were told to who asked; transport errors are requests
 * that the device did not answer in time, or that were damaged on the way. Kinds that a device has
 * no word for are left out, and so is Predictive Failure Analysis, for which nobody asks it.
 */
#define ALWAYS BLOCK_FAULT_NO_DEVICE
static const struct {
    struct kstat_value value;
    enum block_fault fault; /* it is there for devices that can tell of this */
} lines[] = {
    {{"Soft Errors", KSTAT_DATA_UINT32}, ALWAYS},
    {{"Hard Errors", KSTAT_DATA_UINT32}, ALWAYS},
    {{"Transport Errors", KSTAT_DATA_UINT32}, ALWAYS},
    {{"Vendor", KSTAT_DATA_CHAR}, ALWAYS},
    {{"Product", KSTAT_DATA_CHAR}, ALWAYS},
    {{"Revision", KSTAT_DATA_CHAR}, ALWAYS},
    {{"Serial No", KSTAT_DATA_CHAR}, ALWAYS},
    {{"Model", KSTAT_DATA_STRING}, ALWAYS},
    {{"Size", KSTAT_DATA_UINT64}, ALWAYS},
    {{"Media Error", KSTAT_DATA_UINT32}, BLOCK_FAULT_MEDIA},
    {{"Device Not Ready", KSTAT_DATA_UINT32}, BLOCK_FAULT_NOT_READY},
    {{"No Device", KSTAT_DATA_UINT32}, BLOCK_FAULT_NO_DEVICE},
    {{"Recoverable", KSTAT_DATA_UINT32}, BLOCK_FAULT_RECOVERED},
    {{"Illegal Request", KSTAT_DATA_UINT32}, BLOCK_FAULT_ILLEGAL},
};

static int kstat_device_error_update(kstat_t *ksp, int how)
{
    const struct block_device *device = ksp->ks_private;
    const struct block_stats *stats = &device->stats;
    uint64_t faults[BLOCK_FAULTS], shown[COUNT(lines)] = {0};
    unsigned count = 0;

    if (how == KSTAT_WRITE)
        return EACCES;
    for (unsigned fault = 0; fault < BLOCK_FAULTS; fault++)
        faults[fault] = evcnt_value(&stats->faults[fault]);
    const uint64_t numbers[] = {
        evcnt_value(&stats->retries) + faults[BLOCK_FAULT_RECOVERED],
        evcnt_value(&stats->errors),
        evcnt_value(&stats->timeouts) + faults[BLOCK_FAULT_TRANSPORT],
        (uintptr_t)device->vendor,
        (uintptr_t)device->model,
        (uintptr_t)device->revision,
        (uintptr_t)device->serial,
        (uintptr_t)device->model,
        device->blocks * device->block_size,
        faults[BLOCK_FAULT_MEDIA],
        faults[BLOCK_FAULT_NOT_READY],
        faults[BLOCK_FAULT_NO_DEVICE],
        faults[BLOCK_FAULT_RECOVERED],
        faults[BLOCK_FAULT_ILLEGAL],
    };
    _Static_assert(COUNT(numbers) == COUNT(lines), "a number for each line");
    for (unsigned i = 0; i < COUNT(lines); i++)
        if (block_stats_tells(device, lines[i].fault))
            shown[count++] = numbers[i];
    return kstat_values_set(ksp, shown);
}

static void kstat_device_error_name_it(const struct block_device *device, char *module, char *name)
{
    format(module, KSTAT_STRLEN, "%serr", device->driver->name);
    format(name, KSTAT_STRLEN, "%s,err", device->name);
}

void kstat_device_error_create(struct block_device *device)
{
    char module[KSTAT_STRLEN], name[KSTAT_STRLEN];
    struct kstat_value values[COUNT(lines)];
    unsigned count = 0;

    for (unsigned i = 0; i < COUNT(lines); i++)
        if (block_stats_tells(device, lines[i].fault))
            values[count++] = lines[i].value;
    kstat_device_error_name_it(device, module, name);
    kstat_values_create(module, (int)device->unit, name, "device_error", values, count,
                        kstat_device_error_update, device, device->stats.devstat.creation_ns);
}

void kstat_device_error_delete(struct block_device *device)
{
    char module[KSTAT_STRLEN], name[KSTAT_STRLEN];

    kstat_device_error_name_it(device, module, name);
    kstat_delete_byname(module, (int)device->unit, name);
}
