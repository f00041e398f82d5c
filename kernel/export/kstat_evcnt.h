/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Event counters as kstats: evcnt:INSTANCE:GROUP, class evcnt, with a statistic for each counter of
 * the group. Names of more than 30 characters are shortened (stats/read/kstat_text.h); of counters
 * that then have the same group and name, the oldest is in instance 0, the next in instance 1 and
 * so on.
 *
 * Nothing is counted for this: a kstat that is read reads the counters.
 */
#pragma once

/* Makes kstats of the groups that have come, and takes away those of the groups that have gone; to
 * be called before the chain of kstats is looked at. Thread context, no lock held. */
void kstat_evcnt_refresh(void);
