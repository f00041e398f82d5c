/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The errors of a block device as a kstat: wderr:0:wd0,err, class device_error, under Solaris's
 * names. Nothing is counted here: a reading asks the device's counters.
 */
#pragma once

struct block_device;

/* Called once DEVICE has a name and counters; thread context. No memory: there is none. */
void kstat_device_error_create(struct block_device *device);
void kstat_device_error_delete(struct block_device *device);
