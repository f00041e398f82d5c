/* SPDX-License-Identifier: BSD-2-Clause */
/* vmstat_system: what vmstat tells of the system as a whole, as NetBSD's vmstat(1) lays it out. */
#ifndef SHELL_VMSTAT_SYSTEM_H
#define SHELL_VMSTAT_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lib/linker_set.h"

#define VMSTAT_DISKS_MAX 4

struct vmstat_disk {
    char name[3]; /* its first and last letter */
    uint64_t transfers;
};

/* At the report before; all 0 is start-up. */
struct vmstat_system {
    uint64_t elapsed; /* ns */
    uint64_t faults, interrupts, system_calls, switches;
    uint64_t cpu[3]; /* ns of all CPUs: user, system, idle */
    struct vmstat_disk disks[VMSTAT_DISKS_MAX];
};

/* The core has none; one at most. */
struct vmstat_report {
    /* Prints a line, and the heading if it is wanted: 0, or 1 with a message that begins with
     * NAME. */
    int (*line)(struct vmstat_system *before, const char *name, bool heading);
    void (*sums)(void); /* -s */
};
#define VMSTAT_REPORT(ident, ...)                                                                  \
    static const struct vmstat_report ident = {__VA_ARGS__};                                       \
    LINKER_SET_ADD(vmstat_reports, ident)

/* Lines of -s: all are read before the first is printed. */
#define VMSTAT_SUMS_MAX 32
struct vmstat_sums {
    size_t count;
    struct {
        uint64_t count;
        const char *what;
    } lines[VMSTAT_SUMS_MAX];
};
void vmstat_sums_add(struct vmstat_sums *sums, uint64_t count, const char *what);

/* Disks, and more lines of -s. One at most. */
struct vmstat_source {
    /* Fills in up to MAX disks, always the same in front; how many. */
    size_t (*disks)(struct vmstat_disk *out, size_t max);
    void (*sums)(struct vmstat_sums *sums);
};
#define VMSTAT_SOURCE(ident, ...)                                                                  \
    static const struct vmstat_source ident = {__VA_ARGS__};                                       \
    LINKER_SET_ADD(vmstat_sources, ident)

#endif
