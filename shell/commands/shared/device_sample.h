/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * device_sample: the devices' devstat records as they are now and as they were at the sample
 * before, paired. The busy time of a device that is at work is brought up to now in the copies.
 */
#ifndef SHELL_DEVICE_SAMPLE_H
#define SHELL_DEVICE_SAMPLE_H

#include "stats/read/iostat_bsd.h"

/* Zeroed, it has no samples yet. */
struct device_sample {
    struct statinfo now, before;
    struct devinfo now_devices, before_devices;
    struct iostat_bsd_device *devices; /* those selected, in the order of the list */
    size_t count, room;
};

/* Decides whether a device is wanted. */
typedef bool device_sample_filter(const struct devstat *ds, void *arg);

/* Takes the next sample of the devices that FILTER (NULL: all) lets through: 0, or -ENOMEM. One
 * that was not there before counts since it was created. */
int device_sample_take(struct device_sample *sample, device_sample_filter *filter, void *arg);
void device_sample_free(struct device_sample *sample);

#endif
