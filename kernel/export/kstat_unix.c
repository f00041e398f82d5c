/* SPDX-License-Identifier: BSD-2-Clause */
/* unix:0:sysinfo and unix:0:vminfo, raw as SunOS has them: see <sys/kstat_unix.h>. Nothing is
 * swapped here, so what is about swapping stays 0. */
#include <sys/kstat.h>
#include <sys/kstat_unix.h>
#include "kernel/device/late.h"
#include "kernel/thread/load.h"
#include "lib/errno.h"

_Static_assert(sizeof(sysinfo_t) == 24 && sizeof(vminfo_t) == 48, "as SunOS has them");

static int kstat_unix_update_sysinfo(kstat_t *ksp, int how)
{
    struct load_sums sums;

    if (how == KSTAT_WRITE)
        return EACCES;
    load_sums_get(&sums);
    *(sysinfo_t *)ksp->ks_data = (sysinfo_t){.updates = (uint32_t)sums.looks,
                                             .runque = (uint32_t)sums.ready,
                                             .runocc = (uint32_t)sums.occupied,
                                             .waiting = (uint32_t)sums.waiting};
    return 0;
}

static int kstat_unix_update_vminfo(kstat_t *ksp, int how)
{
    struct load_sums sums;

    if (how == KSTAT_WRITE)
        return EACCES;
    load_sums_get(&sums);
    *(vminfo_t *)ksp->ks_data = (vminfo_t){.freemem = sums.free, .updates = sums.looks};
    return 0;
}

static void kstat_unix_make_raw(const char *name, const char *ks_class, uint_t size,
                                int (*update)(kstat_t *, int))
{
    kstat_t *ksp = kstat_create("unix", 0, name, ks_class, KSTAT_TYPE_RAW, size, 0);

    if (ksp == NULL)
        return;         /* the log says why */
    ksp->ks_crtime = 0; /* counted since boot */
    ksp->ks_update = update;
    kstat_install(ksp);
}

static void kstat_unix_create(void)
{
    kstat_unix_make_raw("sysinfo", "misc", sizeof(sysinfo_t), kstat_unix_update_sysinfo);
    kstat_unix_make_raw("vminfo", "vm", sizeof(vminfo_t), kstat_unix_update_vminfo);
}
LATE(7, kstat_unix_create);
