/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How busy the system is: once a second the first CPU's clock looks how many threads run or want
 * to, how many wait for a disk, and how many pages are free. Of these looks there are sums, as
 * SunOS keeps them in sysinfo and vminfo, and means over the last 1, 5 and 15 minutes that fade
 * exponentially, as getloadavg(3) gives.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define LOAD_AVERAGES 3 /* of 1, 5 and 15 minutes */

/* Sums of what was seen at each look since boot. */
struct load_sums {
    uint64_t looks;
    uint64_t ready;    /* threads that waited for a CPU */
    uint64_t occupied; /* looks at which there were some */
    uint64_t waiting;  /* threads that waited for a disk */
    uint64_t free;     /* pages */
};

/* Begins to look, each second from now on, on this CPU. Thread context, once. */
void load_start(void);
/* A thread begins to wait for a disk, or has waited. Interrupts off; who says so holds no lock of
 * the run queues. */
void load_disk_wait(bool begins);
void load_sums_get(struct load_sums *out);
/* Running and ready threads, times 2^BITS, at most 20: mean of the minutes that WHICH says. Any
 * context. */
uint32_t load_average(unsigned which, unsigned bits);
/* Threads that run or are ready at this moment. Any context. */
uint32_t load_now(void);
