/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of the block layer know of each other. */
#pragma once

#include "kernel/block/block.h"

/* Ends REQUEST, which is in none of the lists; the device's lock held. */
void block_finish(struct block_request *request, uint64_t now);
/* The same for one that has not been started. */
void block_abandon(struct block_request *request, uint64_t now);
/* Lets the driver start what it has room for, from NOW on (0: ask the clock); the device's lock
 * held. */
void block_start(struct block_device *device, uint64_t now);
/* Looks after requests that are not done in time. Once, thread context. */
void block_watch_boot(void);
/* Returns when it is not looking at a device that has been taken off the list. Thread context. */
void block_watch_wait(void);
/* A request has been given to the driver of DEVICE; its lock held. */
void block_watch(struct block_device *device, uint64_t now);
