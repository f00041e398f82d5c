/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kstat console:0:console0, class misc, type IO: made from the console's devstat when it is read. A
 * console has no wait queue; bytes written are those that its ring has taken.
 */
#include <sys/devicestat.h>
#include <sys/kstat.h>
#include "kernel/clock.h"
#include "kernel/console.h"
#include "kernel/late.h"
#include "lib/errno.h"

static int snapshot(kstat_t *ksp, void *buffer, int how)
{
    kstat_io_t *io = buffer;
    struct devstat stats;
    uint64_t now, length = 0;

    if (how == KSTAT_WRITE)
        return EACCES;
    if (devstat_copy(&stats, console_stats()) != 0)
        return EIO;
    now = clock_now();
    for (unsigned kind = 0; kind < DEVSTAT_N_TRANS_FLAGS; kind++)
        length += stats.duration_ns[kind];
    *io = (kstat_io_t){
        .nread = stats.bytes_read,
        .nwritten = stats.bytes_written,
        .reads = (uint_t)stats.num_reads,
        .writes = (uint_t)stats.num_writes,
        .rtime = (hrtime_t)stats.busy_ns,
        .rlentime = (hrtime_t)length,
        .rlastupdate = (hrtime_t)stats.last_ns,
        .rcnt = (uint_t)stats.busy_count,
    };
    ksp->ks_snaptime = (hrtime_t)now;
    return 0;
}

static void create(void)
{
    kstat_t *ksp =
        kstat_create("console", 0, "console0", "misc", KSTAT_TYPE_IO, 1, KSTAT_FLAG_VIRTUAL);
    static kstat_io_t nothing; /* the live record is the devstat */

    if (!ksp)
        return;
    ksp->ks_crtime = (hrtime_t)console_stats()->creation_ns;
    ksp->ks_data = &nothing;
    ksp->ks_snapshot = snapshot;
    kstat_install(ksp);
}
LATE(7, create);
