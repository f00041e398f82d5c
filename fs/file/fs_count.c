/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts of files: a word of each CPU's own for each, and the kstats that show their sums. */
#include "fs/file/fs_count.h"
#include <arch/interrupt_flag.h>
#include <machine/cell.h>
#include <sys/kstat.h>
#include "kernel/device/late.h"
#include "lib/errno.h"

static uint64_t cells[FS_COUNTS];

void fs_count(enum fs_count count, int64_t amount)
{
    uintptr_t state = interrupts_save();

    cell_add(&cells[count], (uint64_t)amount);
    interrupts_restore(state);
}

uint64_t fs_count_value(enum fs_count count)
{
    return cell_sum(&cells[count]);
}

static const char *const names[FS_COUNTS] = {
    "opens",       "lookups",     "lookup_misses", "reads",         "writes", "read_bytes",
    "write_bytes", "pipe_writes", "pipe_bytes",    "open_files",    "vnodes", "pipes",
    "file_tables", "epolls",      "sockets",       "epoll_entries",
};

static int fs_count_update(kstat_t *ksp, int rw)
{
    kstat_named_t *record = ksp->ks_data;

    if (rw == KSTAT_WRITE)
        return EACCES;
    for (unsigned i = 0; i < FS_COUNTS; i++)
        record[i].value.ui64 = fs_count_value((enum fs_count)i);
    return 0;
}

/* Solaris' statistics of its cache of names. All our directories are such a cache. */
static int fs_count_update_names(kstat_t *ksp, int rw)
{
    kstat_named_t *record = ksp->ks_data;
    uint64_t misses, lookups;

    if (rw == KSTAT_WRITE)
        return EACCES;
    misses = fs_count_value(FS_MISSES); /* first: no part exceeds the whole */
    lookups = fs_count_value(FS_LOOKUPS);
    record[0].value.ui64 = lookups - misses;
    record[1].value.ui64 = misses;
    return 0;
}

static void fs_count_make(const char *name, const char *const *fields, unsigned count,
                          int (*update)(kstat_t *, int))
{
    kstat_t *ksp = kstat_create("unix", 0, name, "misc", KSTAT_TYPE_NAMED, count, 0);

    if (!ksp)
        return; /* the log says why */
    for (unsigned i = 0; i < count; i++)
        kstat_named_init((kstat_named_t *)ksp->ks_data + i, fields[i], KSTAT_DATA_UINT64);
    ksp->ks_crtime = 0; /* counted since boot */
    ksp->ks_update = update;
    kstat_install(ksp);
}

static void fs_kstats(void)
{
    static const char *const name_fields[] = {"hits", "misses"};

    fs_count_make("fs", names, FS_COUNTS, fs_count_update);
    fs_count_make("dnlcstats", name_fields, 2, fs_count_update_names);
}
LATE(7, fs_kstats);
