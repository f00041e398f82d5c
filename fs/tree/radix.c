/* SPDX-License-Identifier: BSD-2-Clause */
/* Pointers by index: see radix.h. */
#include "fs/tree/radix.h"
#include <stdbool.h>
#include <stddef.h>
#include "kernel/memory/kmem.h"
#include "lib/errno.h"

#define BITS   6u
#define SLOTS  (1u << BITS)
#define LEVELS 11u /* 66 bits */

struct radix_node {
    void *slot[SLOTS];
};

static unsigned radix_slot_of(uint64_t index, unsigned level)
{
    return (unsigned)(index >> (BITS * level)) & (SLOTS - 1);
}

/* Whether HEIGHT levels of nodes reach INDEX. */
static bool radix_reaches(unsigned height, uint64_t index)
{
    return BITS * height >= 64 || index >> (BITS * height) == 0;
}

void *radix_get(const struct radix *radix, uint64_t index)
{
    void *at = radix->root;

    if (!radix_reaches(radix->height, index))
        return NULL;
    for (unsigned level = radix->height; level-- > 0 && at != NULL;)
        at = ((struct radix_node *)at)->slot[radix_slot_of(index, level)];
    return at;
}

/* Adds levels until INDEX is reached. */
static int radix_raise(struct radix *radix, uint64_t index)
{
    while (!radix_reaches(radix->height, index)) {
        if (radix->root != NULL) {
            struct radix_node *node = kmem_zalloc(sizeof *node);

            if (node == NULL)
                return -ENOMEM;
            node->slot[0] = radix->root;
            radix->root = node;
        }
        radix->height++;
    }
    return 0;
}

static bool radix_node_is_empty(const struct radix_node *node)
{
    for (unsigned i = 0; i < SLOTS; i++)
        if (node->slot[i] != NULL)
            return false;
    return true;
}

void *radix_remove(struct radix *radix, uint64_t index)
{
    void **trail[LEVELS + 1], **at = &radix->root, *value = NULL;
    unsigned level = radix->height;

    if (!radix_reaches(radix->height, index))
        return NULL;
    for (; level > 0 && *at != NULL; level--) {
        trail[level] = at;
        at = &((struct radix_node *)*at)->slot[radix_slot_of(index, level - 1)];
    }
    if (level == 0) {
        value = *at;
        *at = NULL;
    }
    for (level++; level <= radix->height && radix_node_is_empty(*trail[level]); level++) {
        kmem_free(*trail[level]);
        *trail[level] = NULL;
    }
    if (radix->root == NULL)
        radix->height = 0;
    return value;
}

int radix_set(struct radix *radix, uint64_t index, void *value)
{
    void **at = &radix->root;

    if (radix_raise(radix, index) != 0)
        return -ENOMEM;
    for (unsigned level = radix->height; level-- > 0;) {
        if (*at == NULL && (*at = kmem_zalloc(sizeof(struct radix_node))) == NULL) {
            radix_remove(radix, index); /* the nodes above, if they are empty */
            return -ENOMEM;
        }
        at = &((struct radix_node *)*at)->slot[radix_slot_of(index, level)];
    }
    *at = value;
    return 0;
}

/* The same in a subtree of HEIGHT levels, of which *INDEX is the part that it looks at. */
static void *radix_next_in(void *at, unsigned height, uint64_t *index)
{
    uint64_t step = (uint64_t)1 << (BITS * (height - 1));

    for (unsigned i = radix_slot_of(*index, height - 1); i < SLOTS; i++) {
        void *slot = ((struct radix_node *)at)->slot[i], *found;

        if (slot != NULL && height == 1)
            return slot;
        if (slot == NULL)
            *index = (*index & ~(step - 1)) + step; /* the first of the next slot */
        else if ((found = radix_next_in(slot, height - 1, index)) != NULL)
            return found; /* or else *INDEX is there already */
    }
    return NULL;
}

void *radix_next(const struct radix *radix, uint64_t *index)
{
    if (radix->root == NULL || !radix_reaches(radix->height, *index))
        return NULL;
    return radix->height == 0 ? radix->root : radix_next_in(radix->root, radix->height, index);
}
