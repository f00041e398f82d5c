/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The console's devstat, and kstat console:0:console0, class misc, type IO: a copy of what it
 * counts. A console has no wait queue; bytes written are those that its ring has taken.
 */
#include "kernel/export/kstat_console.h"
#include <sys/devicestat.h>
#include "kernel/console/console.h"
#include "kernel/device/late.h"
#include "kernel/time/clock.h"
#include "lib/errno.h"
#include "lib/section.h"
#include "stats/kstat/kstat_queue.h"

/* The console's lock. */
static SHARED_BSS struct devstat stats;
static kstat_io_t io;
static bool stats_on;

static void kstat_console_write_begins(uint64_t now)
{
    devstat_start_transaction_held(&stats, now);
    kstat_runq_enter_at(&io, (hrtime_t)now);
}

static void kstat_console_write_ends(size_t length, uint64_t begin, uint64_t now)
{
    devstat_end_transaction_held(&stats, (uint32_t)length, DEVSTAT_TAG_NONE, DEVSTAT_WRITE, now,
                                 begin);
    kstat_runq_exit_at(&io, (hrtime_t)now);
    io.writes++;
    io.nwritten += length;
}

static void kstat_console_has_read(size_t length, uint64_t now)
{
    devstat_start_transaction_held(&stats, now);
    devstat_end_transaction_held(&stats, (uint32_t)length, DEVSTAT_TAG_NONE, DEVSTAT_READ, now,
                                 now);
    io.reads++;
    io.nread += length;
}

const struct devstat *console_stats(void)
{
    return stats_on ? &stats : NULL;
}

uint64_t console_io(kstat_io_t *copy)
{
    uintptr_t state = console_acquire();
    uint64_t now = clock_now();

    kstat_queue_copy(copy, &io, (hrtime_t)now);
    console_release(state);
    return now;
}

static void kstat_console_list(void)
{
    static const struct console_meter meter = {kstat_console_write_begins, kstat_console_write_ends,
                                               kstat_console_has_read};

    devstat_add_entry(&stats, "console", 0, 0, DEVSTAT_NO_BLOCKSIZE | DEVSTAT_NO_ORDERED_TAGS,
                      DEVSTAT_TYPE_COMM | DEVSTAT_TYPE_IF_OTHER, DEVSTAT_PRIORITY_OTHER);
    stats_on = true;
    console_set_meter(&meter);
}
LATE(1, kstat_console_list);

static int kstat_console_snapshot(kstat_t *ksp, void *buffer, int how)
{
    if (how == KSTAT_WRITE)
        return EACCES;
    ksp->ks_snaptime = (hrtime_t)console_io(buffer);
    return 0;
}

static void kstat_console_create(void)
{
    kstat_t *ksp =
        kstat_create("console", 0, "console0", "misc", KSTAT_TYPE_IO, 1, KSTAT_FLAG_VIRTUAL);
    static kstat_io_t nothing; /* the live record is the one above */

    if (!ksp)
        return;
    ksp->ks_crtime = (hrtime_t)console_stats()->creation_ns;
    ksp->ks_data = &nothing;
    ksp->ks_snapshot = kstat_console_snapshot;
    kstat_install(ksp);
}
LATE(7, kstat_console_create);
