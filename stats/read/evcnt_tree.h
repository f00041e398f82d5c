/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The hierarchy of a report: for each record its parent, its children and its brothers, found in
 * time proportional to the report. It refers to the report, which must outlive it.
 *
 * A record whose parent is not in the report (filtered out) is a root like one that has none.
 */
#ifndef STATS_EVCNT_TREE_H
#define STATS_EVCNT_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "stats/evcnt/evcnt_export.h"

#ifdef __cplusplus
extern "C" {
#endif

#define EVCNT_TREE_NONE UINT32_MAX

/* Positions are those of records in the report, from 0. */
struct evcnt_node {
    const struct evcnt_sysctl *record;
    uint32_t parent; /* EVCNT_TREE_NONE: a root */
    uint32_t first_child;
    uint32_t last_child;
    uint32_t next; /* brother, or next root */
};

struct evcnt_tree {
    struct evcnt_node *node;
    uint32_t count;
    uint32_t first_root;
};

/* 0 or -ENOMEM; thread context. Release with evcnt_tree_free. */
int evcnt_tree_build(struct evcnt_tree *tree, const void *report, size_t size);
void evcnt_tree_free(struct evcnt_tree *tree);

/*
 * The position after AT in tree order: children follow their parent, brothers keep list order.
 * Adjusts *DEPTH, which is 0 at first_root. EVCNT_TREE_NONE at the end.
 */
uint32_t evcnt_tree_next(const struct evcnt_tree *tree, uint32_t at, unsigned *depth);

#ifdef __cplusplus
}
#endif

#endif
