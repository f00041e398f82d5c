/* SPDX-License-Identifier: BSD-2-Clause */
/* Leftist heaps; see heap.h. */
#include "lib/heap.h"

#include <stdbool.h>

static bool heap_is_before(const struct heap_node *a, const struct heap_node *b)
{
    return a->key != b->key ? a->key < b->key : a->order < b->order;
}

static uint64_t heap_rank(const struct heap_node *node)
{
    return node != NULL ? node->rank : 0;
}

/* Puts the side with the lower rank to the right; whether NODE's own rank has changed. */
static bool heap_lean_left(struct heap_node *node)
{
    uint64_t before = node->rank;

    if (heap_rank(node->left) < heap_rank(node->right)) {
        struct heap_node *left = node->left;

        node->left = node->right;
        node->right = left;
    }
    node->rank = heap_rank(node->right) + 1;
    return node->rank != before;
}

/* One tree of A and B, either of which may be NULL: their ways down to the right become one. Each
 * has as many nodes as its rank, so they are short. */
static struct heap_node *heap_merge(struct heap_node *a, struct heap_node *b)
{
    struct heap_node *top = NULL, *last = NULL, **place = &top;

    while (a != NULL && b != NULL) {
        if (heap_is_before(b, a)) {
            struct heap_node *other = a;

            a = b;
            b = other;
        }
        *place = a;
        a->parent = last;
        last = a;
        place = &a->right;
        a = a->right;
    }
    if (a == NULL)
        a = b;
    *place = a;
    if (a != NULL)
        a->parent = last;
    for (; last != NULL; last = last->parent)
        heap_lean_left(last);
    return top;
}

/* What the ranks above NODE, one side of which has changed, come to. */
static void heap_settle(struct heap_node *node)
{
    while (node != NULL && heap_lean_left(node))
        node = node->parent;
}

/* It goes into the way to the right, behind all that are to come before it. */
void heap_add(struct heap *heap, struct heap_node *node, uint64_t key)
{
    struct heap_node *parent = NULL, *rest = heap->first;

    while (rest != NULL && rest->key <= key) {
        parent = rest;
        rest = rest->right;
    }
    node->key = key;
    node->order = heap->added++;
    node->parent = parent;
    node->left = rest;
    node->right = NULL;
    node->rank = 1;
    if (rest != NULL)
        rest->parent = node;
    if (parent == NULL) {
        heap->first = node;
    } else {
        parent->right = node;
        heap_settle(parent);
    }
}

void heap_remove(struct heap *heap, struct heap_node *node)
{
    struct heap_node *parent = node->parent;
    struct heap_node *rest = heap_merge(node->left, node->right);

    if (rest != NULL)
        rest->parent = parent;
    if (parent == NULL)
        heap->first = rest;
    else if (parent->left == node)
        parent->left = rest;
    else
        parent->right = rest;
    heap_settle(parent);
}
