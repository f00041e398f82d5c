/* SPDX-License-Identifier: BSD-2-Clause */
/* What has to happen before the chain of kstats is looked at. */
#pragma once

#include "lib/linker_set.h"

/* Late start, if it has not been; kstats of event counters and interrupt lines that have come or
 * gone. Thread context, no lock held. */
void kstat_refresh(void);

/* Others that have such kstats: FUNCTION() is called then. */
struct kstat_refresher {
    void (*refresh)(void);
};
#define KSTAT_REFRESH(function)                                                                    \
    static const struct kstat_refresher kstat_refresher_##function = {function};                   \
    LINKER_SET_ADD(kstat_refreshers, kstat_refresher_##function)
