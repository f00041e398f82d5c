/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The trace of requests to block devices: one entry for each that has ended, in the order of their
 * ends, with the same timestamps from which the statistics are made. Whoever adds them up again
 * must come to the same sums.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "kernel/block/block.h"

#define IO_TRACE_ENTRIES 4096u

struct io_trace_entry {
    const char *device;
    uint64_t number, block;
    uint64_t submitted, started, ended; /* ns; never started: started = ended, running 0 */
    uint32_t bytes, resid, count;
    uint32_t waiting, running; /* see struct block_request */
    int error;
    enum block_kind kind;
};

extern volatile int io_trace_enabled;

/* -ENOMEM. Thread context. */
int io_trace_on(void);
void io_trace_off(void);
void io_trace_clear(void);
/* Entry N since the last clearing, from 0; false if it is not there (any more). */
bool io_trace_get(uint64_t n, struct io_trace_entry *entry);
/* How many there were since then; the last IO_TRACE_ENTRIES are kept. */
uint64_t io_trace_count(void);

/* REQUEST has ended, and io_trace_enabled says that it is wanted. Any context. */
void io_trace_record(const struct block_request *request);
