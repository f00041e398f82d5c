/* SPDX-License-Identifier: BSD-2-Clause */
/* How a kstat comes to be, before it is in the chain. Private to stats/. */
#ifndef STATS_KSTAT_MAKE_H
#define STATS_KSTAT_MAKE_H

#include <sys/kstat.h>

struct ekstat;

/* What kstat_create was asked for, names cut. */
struct kstat_wish {
    char module[KSTAT_STRLEN];
    int instance;
    char name[KSTAT_STRLEN];
    char class_name[KSTAT_STRLEN];
    uchar_t type;
    uint_t ndata;
    uchar_t flags;
};

/* Not in the chain yet; NULL without memory. */
struct ekstat *kstat_make(const struct kstat_wish *wish);

#endif
