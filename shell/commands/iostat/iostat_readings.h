/* SPDX-License-Identifier: BSD-2-Clause */
/* The disks' kstats of type I/O as they are now and as they were at the reading before. */
#ifndef SHELL_IOSTAT_READINGS_H
#define SHELL_IOSTAT_READINGS_H

#include <kstat.h>
#include "stats/read/iostat.h"

struct iostat_selection {
    char **names; /* devices asked for; none: all */
    int name_count;
    uint64_t most;    /* disks, unless they are named; 0: all */
    bool errors;      /* also numbers of errors */
    bool controllers; /* also sums of the disks of each controller that has a name */
};

/* Zeroed, nothing was read yet. By name, numbers within names by value. */
struct iostat_readings {
    size_t count, room;
    struct iostat_reading *now, *before;
};

/* The next reading; a device that was not there before counts since it was created. 0 or -ENOMEM.
 * Thread context. */
int iostat_readings_take(kstat_ctl_t *kc, const struct iostat_selection *selection,
                         struct iostat_readings *readings);
void iostat_readings_free(struct iostat_readings *readings);

/* The errors of DEVICE, just read; NULL if it has none. */
kstat_t *iostat_errors_kstat(kstat_ctl_t *kc, const char *device);

#endif
