/* SPDX-License-Identifier: BSD-2-Clause */
/* All shares of a counter at once: what each CPU has of it. See <sys/evcnt.h> for one of them. */
#ifndef STATS_EVCNT_SHARE_H
#define STATS_EVCNT_SHARE_H

#include <stdbool.h>
#include <sys/evcnt.h>

#include "stats/evcnt/evcnt_label.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Attaches the shares of WHOLE, which is attached and will not be detached, for CPU 0 to COUNT - 1,
 * in the groups of GROUPS[cpu], which must persist. They are called after WHOLE; where its
 * group is not PLAIN, by group and name. False, and nothing attached, without memory or where that
 * name is too long. Thread context.
 */
bool evcnt_attach_shares(struct evcnt *whole, const struct evcnt_label *groups, unsigned count,
                         const char *plain);

#ifdef __cplusplus
}
#endif

#endif
