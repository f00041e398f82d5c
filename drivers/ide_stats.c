/* SPDX-License-Identifier: BSD-2-Clause */
/* The kstats of an IDE channel: see ide_stats.h. */
#include "drivers/ide_stats.h"
#include "drivers/ide.h"
#include "kernel/time/clock.h"
#include "lib/errno.h"
#include "lib/format.h"
#include "stats/kstat/kstat_queue.h"

static bool ide_stats_transfers(const struct block_request *request)
{
    return request->kind == BLOCK_READ || request->kind == BLOCK_WRITE;
}

void ide_stats_make(struct ide_stats *stats, const struct block_request *request)
{
    if (ide_stats_transfers(request))
        kstat_waitq_enter(&stats->io);
}

void ide_stats_go(struct ide_stats *stats, const struct block_request *request)
{
    if (ide_stats_transfers(request))
        kstat_waitq_to_runq(&stats->io);
}

void ide_stats_refuse(struct ide_stats *stats, const struct block_request *request)
{
    if (ide_stats_transfers(request))
        kstat_waitq_exit(&stats->io);
}

void ide_stats_end(struct ide_stats *stats, const struct block_request *request, size_t bytes)
{
    kstat_io_t *io = &stats->io;

    if (!ide_stats_transfers(request))
        return;
    kstat_runq_exit(io);
    if (request->kind == BLOCK_READ) {
        io->reads++;
        io->nread += bytes;
    } else {
        io->writes++;
        io->nwritten += bytes;
    }
}

void ide_stats_take_back(struct ide_stats *stats, const struct block_request *request)
{
    if (ide_stats_transfers(request))
        kstat_runq_back_to_waitq(&stats->io);
}

static int ide_stats_snapshot_io(kstat_t *ksp, void *buffer, int how)
{
    struct ide_channel *c = ksp->ks_private;
    uintptr_t state;

    if (how == KSTAT_WRITE)
        return EACCES;
    state = spinlock_acquire(&c->lock);
    ksp->ks_snaptime = (hrtime_t)clock_now();
    kstat_queue_copy(buffer, &c->stats.io, ksp->ks_snaptime);
    spinlock_release(&c->lock, state);
    return 0;
}

static int ide_stats_snapshot_owned(kstat_t *ksp, void *buffer, int how)
{
    struct ide_channel *c = ksp->ks_private;
    uintptr_t state;

    if (how == KSTAT_WRITE)
        return EACCES;
    state = spinlock_acquire(&c->lock);
    ksp->ks_snaptime = (hrtime_t)clock_now();
    *(kstat_timer_t *)buffer = c->stats.owned;
    spinlock_release(&c->lock, state);
    return 0;
}

static void ide_stats_install(struct ide_channel *c, unsigned instance, const char *name,
                              uchar_t type, void *data, int (*snapshot)(kstat_t *, void *, int))
{
    kstat_t *ksp =
        kstat_create("ide", (int)instance, name, "controller", type, 1, KSTAT_FLAG_VIRTUAL);

    if (ksp == NULL)
        return;
    ksp->ks_private = c;
    ksp->ks_data = data;
    ksp->ks_snapshot = snapshot;
    kstat_install(ksp);
}

void ide_stats_create(struct ide_channel *channel, unsigned instance)
{
    char name[KSTAT_STRLEN];

    kstat_set_string(channel->stats.owned.name, "owned"); /* it has been already */
    ide_stats_install(channel, instance, channel->name, KSTAT_TYPE_IO, &channel->stats.io,
                      ide_stats_snapshot_io);
    format(name, sizeof name, "%s,owned", channel->name);
    ide_stats_install(channel, instance, name, KSTAT_TYPE_TIMER, &channel->stats.owned,
                      ide_stats_snapshot_owned);
}
