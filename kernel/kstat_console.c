/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kstat console:0:console0, class misc, type IO: a copy of what the console counts. A console
 * has no wait queue; bytes written are those that its ring has taken.
 */
#include <sys/devicestat.h>
#include <sys/kstat.h>
#include "kernel/console.h"
#include "kernel/late.h"
#include "lib/errno.h"

static int snapshot(kstat_t *ksp, void *buffer, int how)
{
    if (how == KSTAT_WRITE)
        return EACCES;
    ksp->ks_snaptime = (hrtime_t)console_io(buffer);
    return 0;
}

static void create(void)
{
    kstat_t *ksp =
        kstat_create("console", 0, "console0", "misc", KSTAT_TYPE_IO, 1, KSTAT_FLAG_VIRTUAL);
    static kstat_io_t nothing; /* the live record is the console's */

    if (!ksp)
        return;
    ksp->ks_crtime = (hrtime_t)console_stats()->creation_ns;
    ksp->ks_data = &nothing;
    ksp->ks_snapshot = snapshot;
    kstat_install(ksp);
}
LATE(7, create);
