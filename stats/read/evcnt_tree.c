/* SPDX-License-Identifier: BSD-2-Clause */
/* The hierarchy of a report: see evcnt_tree.h. */
#include "stats/read/evcnt_tree.h"

#include "lib/errno.h"
#include "stats/port.h"

/* Positions by address: open addressing, at most half full. An unused slot is EVCNT_TREE_NONE. */
struct address_map {
    uint32_t *slot;
    uint32_t mask;
};

static size_t evcnt_tree_map_bytes(uint32_t mask)
{
    return ((size_t)mask + 1) * sizeof(uint32_t);
}

static uint32_t evcnt_tree_first_slot(const struct address_map *map, uint64_t address)
{
    return (uint32_t)((address * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & map->mask;
}

static uint32_t evcnt_tree_map_find(const struct address_map *map, const struct evcnt_tree *tree,
                                    uint64_t address)
{
    uint32_t slot = evcnt_tree_first_slot(map, address);

    while (map->slot[slot] != EVCNT_TREE_NONE) {
        if (tree->node[map->slot[slot]].record->ev_addr == address)
            return map->slot[slot];
        slot = (slot + 1) & map->mask;
    }
    return EVCNT_TREE_NONE;
}

static void evcnt_tree_map_add(const struct address_map *map, uint64_t address, uint32_t position)
{
    uint32_t slot = evcnt_tree_first_slot(map, address);

    while (map->slot[slot] != EVCNT_TREE_NONE)
        slot = (slot + 1) & map->mask;
    map->slot[slot] = position;
}

static int evcnt_tree_map_create(struct address_map *map, uint32_t count)
{
    map->mask = 15;
    while (map->mask / 2 < count)
        map->mask = map->mask * 2 + 1;
    map->slot = stats_port_alloc(evcnt_tree_map_bytes(map->mask));
    if (map->slot == NULL)
        return -ENOMEM;
    for (uint32_t i = 0; i <= map->mask; i++)
        map->slot[i] = EVCNT_TREE_NONE;
    return 0;
}

/* Hangs the record at POSITION below its parent, which a report lists before it, or on the root. */
static void evcnt_tree_hang(struct evcnt_tree *tree, const struct address_map *map,
                            uint32_t position, uint32_t *last_root)
{
    struct evcnt_node *node = &tree->node[position];
    uint32_t *first = &tree->first_root;
    uint32_t *last = last_root;

    if (node->record->ev_parent != 0)
        node->parent = evcnt_tree_map_find(map, tree, node->record->ev_parent);
    if (node->parent != EVCNT_TREE_NONE) {
        first = &tree->node[node->parent].first_child;
        last = &tree->node[node->parent].last_child;
    }
    if (*first == EVCNT_TREE_NONE)
        *first = position;
    else
        tree->node[*last].next = position;
    *last = position;
}

int evcnt_tree_build(struct evcnt_tree *tree, const void *report, size_t size)
{
    const struct evcnt_sysctl *record;
    struct address_map map;
    uint32_t last_root = EVCNT_TREE_NONE;
    uint32_t position = 0;

    tree->node = NULL;
    tree->count = 0;
    tree->first_root = EVCNT_TREE_NONE;
    for (record = evcnt_export_next(report, size, NULL); record != NULL;
         record = evcnt_export_next(report, size, record))
        tree->count++;
    if (tree->count == 0)
        return 0;
    tree->node = stats_port_alloc(tree->count * sizeof *tree->node);
    if (tree->node == NULL)
        return -ENOMEM;
    if (evcnt_tree_map_create(&map, tree->count) != 0) {
        evcnt_tree_free(tree);
        return -ENOMEM;
    }
    for (record = evcnt_export_next(report, size, NULL); record != NULL;
         record = evcnt_export_next(report, size, record)) {
        tree->node[position] = (struct evcnt_node){record, EVCNT_TREE_NONE, EVCNT_TREE_NONE,
                                                   EVCNT_TREE_NONE, EVCNT_TREE_NONE};
        evcnt_tree_hang(tree, &map, position, &last_root);
        evcnt_tree_map_add(&map, record->ev_addr, position);
        position++;
    }
    stats_port_free(map.slot, evcnt_tree_map_bytes(map.mask));
    return 0;
}

void evcnt_tree_free(struct evcnt_tree *tree)
{
    if (tree->node != NULL)
        stats_port_free(tree->node, tree->count * sizeof *tree->node);
    tree->node = NULL;
    tree->count = 0;
    tree->first_root = EVCNT_TREE_NONE;
}

uint32_t evcnt_tree_next(const struct evcnt_tree *tree, uint32_t at, unsigned *depth)
{
    if (tree->node[at].first_child != EVCNT_TREE_NONE) {
        (*depth)++;
        return tree->node[at].first_child;
    }
    while (tree->node[at].next == EVCNT_TREE_NONE) {
        at = tree->node[at].parent;
        if (at == EVCNT_TREE_NONE)
            return EVCNT_TREE_NONE;
        (*depth)--;
    }
    return tree->node[at].next;
}
