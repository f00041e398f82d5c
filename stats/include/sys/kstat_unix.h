/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The raw data of the kstats unix:0:sysinfo and unix:0:vminfo, as SunOS lays it out in its
 * <sys/sysinfo.h>, a name under which Linux's C libraries have something else. Each field is a sum
 * over looks, of which there is one a second: divided by the difference of updates, a difference
 * is a mean.
 */
#ifndef _SYS_KSTAT_UNIX_H_
#define _SYS_KSTAT_UNIX_H_

#include <stdint.h>

typedef struct sysinfo_kstat {
    uint32_t updates; /* looks */
    uint32_t runque;  /* threads that waited for a CPU */
    uint32_t runocc;  /* looks at which there were some */
    uint32_t swpque;  /* threads that were swapped out */
    uint32_t swpocc;
    uint32_t waiting; /* threads that waited for a disk */
} sysinfo_t;

/* Pages. */
typedef struct vminfo_kstat {
    uint64_t freemem;
    uint64_t swap_resv;
    uint64_t swap_alloc;
    uint64_t swap_avail;
    uint64_t swap_free;
    uint64_t updates; /* looks */
} vminfo_t;

#endif
