/* SPDX-License-Identifier: BSD-2-Clause */
/* A reader's copy of the chain, with a hash table of names. Private to libkstat. */
#ifndef STATS_LIBKSTAT_CHAIN_H
#define STATS_LIBKSTAT_CHAIN_H

#include <kstat.h>
#include "lib/hash_table.h"

struct kstat_node {
    kstat_t ks; /* first: the reader knows its address */
    struct hash_link name_link;
};

struct kstat_control {
    kstat_ctl_t ctl; /* first */
    struct hash_table
        names; /* of its nodes; never larger than it began, so that it need not grow */
};

static inline struct kstat_control *kstat_control_of(kstat_ctl_t *kc)
{
    return (struct kstat_control *)kc;
}

/*
 * Makes the chain what HEADERS say, COUNT of them in increasing order of KIDs, which it changes.
 * 0 or -ENOMEM; then the chain is as it was.
 */
int kstat_control_merge(struct kstat_control *control, kstat_t *headers, uint_t count);
kstat_t *kstat_control_find(const struct kstat_control *control, const char *module, int instance,
                            const char *name);
void kstat_control_empty(struct kstat_control *control);

#endif
