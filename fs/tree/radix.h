/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * radix: pointers under 64-bit indices, sparse, in the order of these: a file's pages, a
 * directory's entries. A tree of nodes of 64; one pointer under index 0 needs none. Zeroed, it is
 * empty. No locks; any context.
 */
#pragma once

#include <stdint.h>

struct radix {
    void *root;
    unsigned height; /* levels of nodes */
};

/* NULL: nothing is there. */
void *radix_get(const struct radix *radix, uint64_t index);
/* VALUE, not NULL, where nothing is or something was: 0 or -ENOMEM. */
int radix_set(struct radix *radix, uint64_t index, void *value);
/* What was there, or NULL. Nodes that have become empty are given back. */
void *radix_remove(struct radix *radix, uint64_t index);
/* The first at *INDEX or later, which then is *INDEX; NULL: none. */
void *radix_next(const struct radix *radix, uint64_t *index);
