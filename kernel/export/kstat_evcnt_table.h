/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which event counter stands in which kstat: all counters, sorted into buckets, one for each kstat
 * that kstat_evcnt.h describes. It refers to the counters and holds nothing of what they counted.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/evcnt.h>
#include <sys/kstat.h>
#include "lib/hash_table.h"
#include "stats/evcnt/evcnt_list.h"

struct evcnt_group;

struct evcnt_bucket {
    char name[KSTAT_STRLEN];
    int instance;
    uint32_t first, count;     /* counters */
    uint64_t since;            /* when the oldest of them began to count, ns */
    struct evcnt_group *group; /* the kstat's, for kstat_evcnt.c */
    struct hash_link link;
};

struct evcnt_table {
    struct evcnt_list_mark mark; /* when it was true */
    uint32_t counters_count;
    const struct evcnt **counters; /* by bucket, and in a bucket by age */
    uint32_t buckets_count;
    struct evcnt_bucket *buckets; /* in the order in which the first of each was attached */
    struct hash_table index;      /* of buckets, by name and instance */
};

/* A table of the counters as they are. 0, -ENOMEM or -EAGAIN, with *table untouched. Thread
 * context. */
int evcnt_table_build(struct evcnt_table *table);
void evcnt_table_free(struct evcnt_table *table);
/* NULL if there is none. */
struct evcnt_bucket *evcnt_table_find(const struct evcnt_table *table, const char *name,
                                      int instance);
