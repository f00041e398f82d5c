/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of devices behind <sys/devicestat.h>: what only stats/ and its hosts need of it. */
#ifndef STATS_DEVSTAT_LIST_H
#define STATS_DEVSTAT_LIST_H

#include <sys/devicestat.h>

/* Forgets every device, generation and number; their memory is not touched. For tests. */
void devstat_list_reset(void);

/* Fills in a record; the other half of devstat_add_entry. */
void devstat_begin_record(struct devstat *ds, const char *dev_name, uint64_t now, uint64_t wall);

#endif
