/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reports of event counters, in the record format of the sysctl node kern.evcnt: a copy of the
 * list, taken while everything goes on counting, that readers walk at leisure.
 *
 * What holds in one report: records are in list order, so a parent stands before its children; no
 * counter is in it twice; no child's count is greater than its parent's, if whoever raises both
 * raises the parent first. To see to the last, counts are read from the end of the list to its
 * beginning: a parent is always read after its children. The same makes a filter for counts other
 * than 0 keep the parent of every child that it keeps (unless the type filter drops the parent).
 *
 * This layer knows records, not columns: see stats/read/vmstat.h.
 */
#ifndef STATS_EVCNT_EXPORT_H
#define STATS_EVCNT_EXPORT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KERN_EVCNT_COUNT_ANY     0 /* filter: every counter */
#define KERN_EVCNT_COUNT_NONZERO 1 /* filter: only those that counted something */

/* One record: ev_len * 8 bytes, of which those after the name's NUL are 0. */
struct evcnt_sysctl {
    uint64_t ev_count;
    uint64_t ev_addr;    /* identifies the counter within a report */
    uint64_t ev_parent;  /* ev_addr of its parent; 0: none */
    uint8_t ev_type;     /* EVCNT_TYPE_* */
    uint8_t ev_grouplen; /* without the NUL */
    uint8_t ev_namelen;  /* without the NUL */
    uint8_t ev_len;      /* of the record, in units of 8 bytes */
    char ev_strings[];   /* group, NUL, name, NUL */
};

/*
 * Fills BUFFER (aligned to 8 bytes) with the records that pass both filters, and sets *SIZE from
 * its capacity to the bytes used. With a NULL buffer it sets *SIZE to what would be needed now, and
 * 1024 bytes of slack for counters that may yet be attached.
 *
 * 0, or -EINVAL: no such filter (*SIZE untouched); -ENOMEM: it does not fit, *SIZE is as from a
 * sizing call. Thread context. The lock is held for a few counters at a time; a detachment under
 * way means another attempt, and after several the lock is held for more and more, at last for all.
 */
int evcnt_export(int type_filter, int count_filter, void *buffer, size_t *size);

/*
 * The same into memory of its own, retried while the list outgrows it. *CAPACITY goes, with
 * *BUFFER, to evcnt_export_free. Also -ENOMEM if there is no memory.
 */
int evcnt_export_alloc(int type_filter, int count_filter, void **buffer, size_t *size,
                       size_t *capacity);
void evcnt_export_free(void *buffer, size_t capacity);

/*
 * Walks a report: the record after PREVIOUS, the first for NULL; NULL at the end, and where what
 * follows is not a whole record.
 */
const struct evcnt_sysctl *evcnt_export_next(const void *buffer, size_t size,
                                             const struct evcnt_sysctl *previous);

static __inline const char *evcnt_export_group(const struct evcnt_sysctl *record)
{
    return record->ev_strings;
}

static __inline const char *evcnt_export_name(const struct evcnt_sysctl *record)
{
    return record->ev_strings + record->ev_grouplen + 1;
}

/* Bytes of a record of these string lengths. */
size_t evcnt_export_record_size(unsigned grouplen, unsigned namelen);

#ifdef __cplusplus
}
#endif

#endif
