/* SPDX-License-Identifier: BSD-2-Clause */
/* What readers of statistics ask of their host (stats/port.h), answered by the C library. */
#include "stats/port.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#define SECOND 1000000000u

void *stats_port_alloc(size_t size)
{
    return malloc(size);
}

void stats_port_free(void *memory, size_t size)
{
    (void)size;
    free(memory);
}

static uint64_t port_clock(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * SECOND + (uint64_t)now.tv_nsec;
}

uint64_t stats_port_time_ns(void)
{
    return port_clock(CLOCK_MONOTONIC);
}

uint64_t stats_port_wall_ns(void)
{
    return port_clock(CLOCK_REALTIME);
}

int stats_port_sleep(uint64_t ns)
{
    struct timespec time = {.tv_sec = (time_t)(ns / SECOND), .tv_nsec = (long)(ns % SECOND)};

    return nanosleep(&time, NULL);
}

int *stats_port_errno(void)
{
    return &errno;
}
