/* SPDX-License-Identifier: BSD-2-Clause */
/* Sleeping locks, sleeps, the log and privilege on the host. Private to the host library. */
#ifndef STATS_HOST_LOCKS_H
#define STATS_HOST_LOCKS_H

/* A new life: the chain's lock is free, sleeps are only sleeps, everything is allowed. */
void host_locks_reset(void);

#endif
