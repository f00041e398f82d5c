/* SPDX-License-Identifier: BSD-2-Clause */
/* The devices' records now and before: see device_sample.h. */
#include "shell/commands/shared/device_sample.h"
#include "kernel/memory/kmem.h"
#include "lib/errno.h"

static const struct devstat *device_sample_find(const struct devinfo *info, u_int32_t number)
{
    for (int at = 0; at < info->numdevs; at++) {
        if (info->devices[at].device_number == number)
            return &info->devices[at];
    }
    return NULL;
}

static int device_sample_reserve(struct device_sample *sample, size_t count)
{
    if (sample->room >= count && sample->devices != NULL)
        return 0;
    kmem_free(sample->devices);
    sample->room = count + 1;
    sample->devices = kmem_alloc(sample->room * sizeof(*sample->devices));
    if (sample->devices == NULL)
        sample->room = 0;
    return sample->devices != NULL ? 0 : -ENOMEM;
}

/* A record that is older than the device is none of it. */
static void device_sample_pair(struct device_sample *sample, const struct devstat *ds)
{
    struct iostat_bsd_device *device = &sample->devices[sample->count++];

    device->current = ds;
    device->previous = device_sample_find(&sample->before_devices, ds->device_number);
    device->elapsed_ns =
        sample->now.snap_ns - (device->previous != NULL ? sample->before.snap_ns : ds->creation_ns);
}

int device_sample_take(struct device_sample *sample, device_sample_filter *filter, void *arg)
{
    struct devinfo swap = sample->before_devices;
    struct devinfo *info = &sample->now_devices;

    sample->before_devices = *info;
    sample->before.snap_ns = sample->now.snap_ns;
    *info = swap;
    sample->now.dinfo = info;
    sample->count = 0;
    if (devstat_getdevs(NULL, &sample->now) < 0 ||
        device_sample_reserve(sample, (size_t)info->numdevs) != 0)
        return -ENOMEM;
    for (int at = 0; at < info->numdevs; at++) {
        devstat_extend(&info->devices[at], sample->now.snap_ns);
        if (filter == NULL || filter(&info->devices[at], arg))
            device_sample_pair(sample, &info->devices[at]);
    }
    return 0;
}

void device_sample_free(struct device_sample *sample)
{
    devstat_freedevs(&sample->now_devices);
    devstat_freedevs(&sample->before_devices);
    kmem_free(sample->devices);
    *sample = (struct device_sample){.count = 0};
}
