/* SPDX-License-Identifier: BSD-2-Clause */
/* Brings those kstats up to date that come and go with what they speak of. */
#include "kernel/export/kstat_refresh.h"
#include "kernel/export/kstat_evcnt.h"
#include "kernel/export/kstat_line.h"
#include "kernel/export/kstat_pmc.h"
#include "kernel/device/late.h"

void kstat_refresh(void)
{
    const struct kstat_refresher *const *member;

    late_start();
    kstat_line_refresh();
    kstat_evcnt_refresh();
    kstat_pmc_refresh();
    LINKER_SET_FOREACH (member, kstat_refreshers)
        (*member)->refresh();
}
