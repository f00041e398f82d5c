/* SPDX-License-Identifier: BSD-2-Clause */
/* libkstat where the kernel is one call away: see kstat_access.h. */
#include "stats/read/kstat_access.h"

int kstat_access_open(int *descriptor)
{
    *descriptor = KSTAT_ACCESS_NONE;
    return 0;
}

void kstat_access_close(int descriptor)
{
    (void)descriptor;
}

int kstat_access_ioctl(int descriptor, int cmd, kstat_t *ks)
{
    (void)descriptor;
    return kstat_ioctl(cmd, ks);
}
