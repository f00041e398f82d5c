/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of devices behind <sys/devicestat.h>: what only stats/ and its hosts need of it. */
#ifndef STATS_DEVSTAT_LIST_H
#define STATS_DEVSTAT_LIST_H

#include <sys/devicestat.h>

/* Forgets every device, generation and number; their memory is not touched. For tests. */
void devstat_list_reset(void);

/* Fills in a record; the other half of devstat_add_entry. */
void devstat_begin_record(struct devstat *ds, const char *dev_name, uint64_t now, uint64_t wall);

/* devstat_export with records of RECORD bytes, which PUT makes of a copy of each device's. */
int devstat_list_export(void *buffer, size_t capacity, size_t *size, size_t record,
                        void (*put)(void *out, const struct devstat *copy));

/* The counter of ends without a start. The first device attaches it, so that start-up need not. */
struct evcnt;
struct evcnt *devstat_unmatched(void);

#endif
