/* SPDX-License-Identifier: BSD-2-Clause */
/* What has to happen before the chain of kstats is looked at. */
#pragma once

/* Late start, if it has not been; kstats of event counters and interrupt lines that have come or
 * gone. Thread context, no lock held. */
void kstat_refresh(void);
