/* SPDX-License-Identifier: BSD-2-Clause */
/* What vmstat tells of disks and of names of files. */
#include <devstat.h>
#include "fs/file/fs_count.h"
#include "kernel/device/late.h"
#include "lib/string.h"
#include "shell/commands/vmstat/vmstat_system.h"

/* w0 of wd0: a letter of the name, and the unit's last digit. */
static void vmstat_source_name(char *out, const struct devstat *ds)
{
    out[0] = ds->device_name[0];
    out[1] = (char)('0' + ds->unit_number % 10);
    out[2] = '\0';
}

static bool vmstat_source_is_disk(const struct devstat *ds)
{
    unsigned type = ds->device_type & DEVSTAT_TYPE_MASK;

    return type == DEVSTAT_TYPE_DIRECT || type == DEVSTAT_TYPE_CDROM;
}

static size_t vmstat_source_disks(struct vmstat_disk *out, size_t max)
{
    struct devinfo info = {.numdevs = 0};
    struct statinfo all = {.dinfo = &info};
    size_t count = 0;

    late_start();
    if (devstat_getdevs(NULL, &all) < 0)
        return 0;
    for (int at = 0; at < info.numdevs && count < max; at++) {
        const struct devstat *ds = &info.devices[at];

        if (!vmstat_source_is_disk(ds))
            continue;
        vmstat_source_name(out[count].name, ds);
        out[count++].transfers = ds->num_reads + ds->num_writes;
    }
    devstat_freedevs(&info);
    return count;
}

static void vmstat_source_sums(struct vmstat_sums *sums)
{
    uint64_t misses = fs_count_value(FS_MISSES), lookups = fs_count_value(FS_LOOKUPS);

    vmstat_sums_add(sums, lookups, "total name lookups");
    vmstat_sums_add(sums, lookups - misses, "good hits");
    vmstat_sums_add(sums, misses, "miss");
}

VMSTAT_SOURCE(vmstat_source, .disks = vmstat_source_disks, .sums = vmstat_source_sums);
