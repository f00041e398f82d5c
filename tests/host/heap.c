/* SPDX-License-Identifier: BSD-2-Clause */
/* Heaps against a plain search of the least key, and how deep their ways to the right become. */
#include "lib/heap.h"

#include "tests/host/test.h"

#include <stdbool.h>
#include <string.h>

#define ENTRIES 500u

struct entry {
    bool inside;
    uint64_t key;
    uint64_t since; /* when it was added */
    struct heap_node node;
};

static struct entry entries[ENTRIES];
static uint64_t now;
static uint32_t random_state;

static uint32_t next_random(void)
{
    random_state = random_state * 1664525u + 1013904223u;
    return random_state >> 8;
}

static void add(struct heap *heap, struct entry *entry, uint64_t key)
{
    entry->key = key;
    entry->since = now++;
    entry->inside = true;
    heap_add(heap, &entry->node, key);
}

static void take_out(struct heap *heap, struct entry *entry)
{
    heap_remove(heap, &entry->node);
    entry->inside = false;
}

static const struct entry *least(void)
{
    const struct entry *found = NULL;

    for (unsigned i = 0; i < ENTRIES; i++) {
        const struct entry *each = &entries[i];

        if (each->inside && (!found || each->key < found->key ||
                             (each->key == found->key && each->since < found->since)))
            found = each;
    }
    return found;
}

static const struct entry *first(const struct heap *heap)
{
    return heap->first ? HEAP_ENTRY(heap->first, struct entry, node) : NULL;
}

/* Of NODE's tree: links, order and ranks; how many nodes. */
static unsigned check_tree(const struct heap_node *node, const struct heap_node *parent)
{
    uint64_t left, right;

    if (!node)
        return 0;
    left = node->left ? node->left->rank : 0;
    right = node->right ? node->right->rank : 0;
    CHECK(node->parent == parent);
    CHECK(!parent || parent->key <= node->key);
    CHECK(left >= right);
    CHECK(node->rank == right + 1);
    return 1 + check_tree(node->left, node) + check_tree(node->right, node);
}

/* Adds and takes out at random, with keys below KEYS. */
static void run_random(uint32_t keys)
{
    struct heap heap = {0};
    unsigned inside = 0;

    memset(entries, 0, sizeof entries);
    for (unsigned i = 0; i < 10000; i++) {
        struct entry *entry = &entries[next_random() % ENTRIES];

        if (entry->inside) {
            take_out(&heap, entry);
            inside--;
        } else {
            add(&heap, entry, next_random() % keys);
            inside++;
        }
        CHECK(first(&heap) == least());
        if (i % 1000 == 0)
            CHECK(check_tree(heap.first, NULL) == inside);
    }
    while (heap.first) {
        CHECK(first(&heap) == least());
        take_out(&heap, HEAP_ENTRY(heap.first, struct entry, node));
        inside--;
    }
    CHECK(inside == 0 && !least());
}

TEST(heap_random)
{
    random_state = 1;
    run_random(10);
    run_random(1u << 20);
}

/* The way to the right has no more nodes than a full tree is deep: 8 for 500. */
TEST(heap_depth)
{
    static const int steps[] = {1, -1, 0};

    for (unsigned i = 0; i < 3; i++) {
        struct heap heap = {0};

        memset(entries, 0, sizeof entries);
        for (unsigned n = 0; n < ENTRIES; n++) {
            unsigned deep = 0;

            add(&heap, &entries[n], (uint64_t)(1000000 + steps[i] * (int)n));
            for (const struct heap_node *node = heap.first; node; node = node->right)
                deep++;
            CHECK(deep <= 8);
        }
        CHECK(check_tree(heap.first, NULL) == ENTRIES);
        CHECK(first(&heap) == least());
    }
}
