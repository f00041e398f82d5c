/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A block device of the tests' own, which ends requests when it is told to. There is one at a time;
 * it is allocated, as zeroed data makes starting longer, and kept: a command beside the tests may
 * be at it in the list of devices.
 */
#pragma once

#include "kernel/block/block.h"

#define FAKE_DEPTH  3   /* requests that it takes at a time */
#define FAKE_BLOCKS 100 /* of 512 bytes; at most 8 a request */

struct fake_disk {
    struct block_device device;
    struct block_request
        *held[FAKE_DEPTH]; /* those that it has, in the order in which it got them */
    volatile unsigned held_count, given, resets, ended;
    unsigned order[16];     /* which ended: the last of them */
    bool full;              /* it takes none */
    void (*on_reset)(void); /* called by a reset, before the requests are forgotten; or NULL */
    struct block_request *requests;
    unsigned count; /* of them */
};

extern struct fake_disk *fake_disk;

/* With room for COUNT requests, zeroed. 0 or an error. */
int fake_disk_attach(unsigned count);
void fake_disk_detach(void);
/* Submits request N, at block N modulo the size: what block_submit says. */
int fake_disk_submit(unsigned n, enum block_kind kind, uint32_t count);
/* The N-th of those that it has ends. */
void fake_disk_finish(unsigned n, int error, uint32_t resid);
/* Its kstat. */
kstat_io_t fake_disk_io(void);
