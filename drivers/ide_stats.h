/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What an IDE channel does for both of its drives, which neither of them can tell: kstats
 * ide:N:ideN, of type I/O, and ide:N:ideN,owned, of type timer; kept with kstat's own calls. The
 * channel's lock is held for all that counts.
 *
 * A command waits while it is made (the DMA's table, the ports), and runs from the moment the drive
 * has it to its interrupt: how much of a request's service time is the CPU's. Reads and writes
 * only, as in the drives' kstats; there is never more than one. A command that a reset takes from
 * the drive waits until the reset is over; then the channel forgets it, and it was no operation.
 *
 * The timer's events are the times for which a thread had the channel for itself.
 */
#pragma once

#include <stdbool.h>
#include <sys/kstat.h>

struct block_request;
struct ide_channel;

struct ide_stats {
    kstat_io_t io;
    kstat_timer_t owned;
};

/* Makes the kstats. Thread context, lock not held. */
void ide_stats_create(struct ide_channel *channel, unsigned instance);

/* A request is made a command; the drive has it; it comes to nothing, and leaves. */
void ide_stats_make(struct ide_stats *stats, const struct block_request *request);
void ide_stats_go(struct ide_stats *stats, const struct block_request *request);
void ide_stats_refuse(struct ide_stats *stats, const struct block_request *request);
/* It has ended, and moved so many bytes; or it is taken from the drive: to be refused. */
void ide_stats_end(struct ide_stats *stats, const struct block_request *request, size_t bytes);
void ide_stats_take_back(struct ide_stats *stats, const struct block_request *request);
