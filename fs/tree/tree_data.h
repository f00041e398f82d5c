/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The data of a regular file in a tree: pages by their index, or bytes of the archive in place.
 *
 * `writing` is held by a whole write or truncation, across copies from a program's memory; `lock`
 * for moments, by them and by whoever looks a page up. A page that is looked up is held
 * (page_hold), so that no lock is held while it is copied.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "fs/tree/radix.h"
#include "kernel/lock/spinlock.h"
#include "kernel/thread/mutex.h"

struct tree_node;
struct uio;

struct tree_data {
    kmutex_t writing;
    struct spinlock lock;
    uint64_t size;
    uint64_t page_count;
    struct radix
        pages; /* of the archive's data: copies, that mappings use, of what is not in_place */
    const char *archive; /* NULL: pages */
    uint32_t seals;      /* FILE_SEAL_*; `writing` */
    bool in_place;       /* the archive's whole pages are pages of this file */
};

/* That all trees' files have: "files" of `mem`. */
uint64_t tree_data_pages(void);
void tree_data_init(struct tree_data *data);
/* Nobody uses it any more. */
void tree_data_end(struct tree_node *node);
/*
 * The page of that index, held once more for the caller. One that is not there is made if CREATE
 * (of the archive's data always, as a copy): -ENOSPC, -ENOMEM. Else *OUT is NULL: a hole.
 */
int tree_data_page(struct tree_node *node, uint64_t index, bool create, void **out);
uint64_t tree_data_size(struct tree_node *node);
/* 512-byte blocks that it takes. */
uint64_t tree_data_blocks(struct tree_node *node);
int tree_data_truncate(struct tree_node *node, uint64_t size);
/* For tree_file.c, `writing` held. */
void tree_data_set_size(struct tree_node *node, uint64_t size);
/* Zeroes from SIZE to the end of its page. */
void tree_data_clear_tail(struct tree_node *node, uint64_t size);
/* Takes away the pages from index FIRST on. */
void tree_data_cut(struct tree_node *node, uint64_t first);
