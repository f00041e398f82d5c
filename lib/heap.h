/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * heap: entries of which the one with the least key is known at any time; equals come out as they
 * went in. An entry holds its node, so nothing is allocated. Adding one and taking any out takes
 * time in the logarithm of how many there are, at worst. No locks.
 *
 * A leftist heap: C. A. Crane, Linear lists and priority queues as balanced binary trees, 1972;
 * D. E. Knuth, The Art of Computer Programming, volume 3, 5.2.3.
 */
#ifndef LIB_HEAP_H
#define LIB_HEAP_H

#include <stddef.h>
#include <stdint.h>

struct heap_node {
    uint64_t key;
    uint64_t order; /* of two with the same key the lower was added first */
    struct heap_node *parent, *left, *right;
    uint64_t rank; /* nodes on the shortest way down that ends here: never more to the right */
};

/* All zero is an empty one. */
struct heap {
    struct heap_node *first; /* the one with the least key; NULL: none */
    uint64_t added;          /* since the beginning */
};

/* The entry of TYPE that has NODE, which is its member FIELD. */
#define HEAP_ENTRY(node, type, field) ((type *)((char *)(node) - offsetof(type, field)))

/* NODE is in no heap. */
void heap_add(struct heap *heap, struct heap_node *node, uint64_t key);
/* NODE is in HEAP. */
void heap_remove(struct heap *heap, struct heap_node *node);

#endif
