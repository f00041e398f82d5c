/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is counted of a block device: the only place where requests are. Each step of a request is
 * told here once, with its timestamp, the device's lock held.
 */
#pragma once

#include <stdint.h>
#include <sys/evcnt.h>
#include "stats/histogram.h"

struct block_device;
struct block_request;

enum block_class { BLOCK_CLASS_DISK, BLOCK_CLASS_CDROM, BLOCK_CLASS_MEMORY };
enum block_bus { BLOCK_BUS_IDE, BLOCK_BUS_OTHER };

/* What kind of device it is, for those who list devices. */
struct block_type {
    enum block_class class;
    enum block_bus bus;
};

struct block_stats {
    struct histogram service; /* ns from start to end */
    struct evcnt errors, timeouts, retries, resets;
};

/* 0 or -ENOMEM. Thread context. */
int block_stats_attach(struct block_device *device, const struct block_type *type);

/* REQUEST came to wait (at request->submitted), was started (started), has ended (ended). */
void block_stats_wait(struct block_request *request);
void block_stats_start(struct block_request *request);
void block_stats_end(struct block_request *request);
/* It ended without having been started. */
void block_stats_abandon(struct block_request *request);
