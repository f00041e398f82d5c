/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tree: a file system whose directories are in memory. The root (names from the archive, data in
 * place), /tmp and /dev are such trees.
 *
 * LOCKS. A tree's lock: names, links, parents. A vnode's: its attributes. Of a regular file's data
 * see tree_data.h. The lock of a tree is never held while a program's memory is copied, and
 * vnode_release does not take it.
 */
#pragma once

#include "fs/tree/radix.h"
#include "fs/tree/tree_data.h"
#include "fs/file/vnode.h"
#include "kernel/thread/mutex.h"
#include "lib/hash_table.h"

struct pipe;
struct tree_node;

struct tree {
    kmutex_t lock;
    const struct vnode_ops *ops; /* of its nodes */
    uint64_t device;
    uint32_t magic; /* statfs */
    bool read_only; /* for programs: its nodes say so */
    bool adopted;   /* the archive's pages have an owner: page_adopt */
    struct tree_node *root;
    struct spinlock count_lock;
    uint64_t next_number;
    uint64_t nodes, nodes_max; /* count_lock, as the rest */
    uint64_t pages, pages_max;
};

struct tree_entry {
    struct hash_link link;  /* in `names` */
    struct tree_node *node; /* a reference */
    uint64_t cookie;
    uint32_t length;
    char name[];
};

#define TREE_COOKIE_FIRST 2 /* 0 is ".", 1 ".." */

struct tree_directory {
    struct tree_node *parent; /* a reference, but for the root, which is its own */
    struct tree_entry *self;  /* in the parent; NULL: removed, or the root */
    struct hash_table names;
    struct hash_link *buckets[4];
    struct radix order; /* entries by their cookies, of which none comes again */
    uint64_t next_cookie;
    uint32_t directories; /* among them */
    /* It is about to be read, or a name was not found: now entries may be added. Or NULL. */
    void (*prepare)(struct tree_node *directory);
};

struct tree_node {
    struct vnode vnode;
    struct tree *tree;
    uint64_t number;
    uint32_t mode, uid, gid; /* vnode's lock, as what follows */
    uint32_t links;
    uint64_t accessed, modified, changed, born;
    uint64_t special;
    bool linkable; /* without a name, and may have one: O_TMPFILE */
    union {
        struct tree_directory directory;
        struct tree_data data;
        struct {
            const char *text;
            size_t length;
            bool in_place; /* in the archive */
        } symlink;
        struct pipe *pipe; /* of a FIFO; pipe.c's */
    };
};

static inline struct tree_node *tree_node(struct vnode *node)
{
    return (struct tree_node *)node;
}

/* Whether its data are tree_data. */
static inline bool tree_has_data(const struct tree_node *node);

extern const struct vnode_ops tree_ops;
extern const struct file_ops tree_directory_file, tree_regular_file;

static inline bool tree_has_data(const struct tree_node *node)
{
    return node->vnode.file_ops == &tree_regular_file;
}

/* An empty one, its root mode MODE. MAGIC is for statfs, of which Linux' numbers are known. */
int tree_create(struct tree *tree, const char *name, uint64_t device, uint32_t magic,
                uint32_t mode);
/* Takes all that is in it away: for trees that nobody uses any more. */
void tree_destroy(struct tree *tree);

/* A node without a name, with one reference. -ENOSPC, -ENOMEM. */
int tree_node_create(struct tree *tree, uint32_t mode, uint64_t special,
                     const struct credentials *who, struct tree_node **out);
/* The time of a change: now. Of either pointer NULL is allowed. */
void tree_touch(struct tree_node *node, bool modified);
void tree_accessed(struct tree_node *node);
/* Somebody other than user 0 has written to it: S_ISUID goes, and S_ISGID of what its group may
 * execute. */
void tree_drop_set_id(struct tree_node *node);

/* tree_directory.c; the tree's lock held. Entries take a reference of their own. */
void tree_directory_init(struct tree_node *directory, struct tree_node *parent);
void tree_directory_end(struct tree_node *directory);
struct tree_entry *tree_find(struct tree_node *directory, struct name name);
int tree_enter(struct tree_node *directory, struct name name, struct tree_node *node);
/* Returns the node with the reference that the entry had. */
struct tree_node *tree_take_out(struct tree_node *directory, struct tree_entry *entry);
/* What the two entries of two directories are called changes places. */
void tree_exchange(struct tree_node *one, struct tree_entry *first, struct tree_node *other,
                   struct tree_entry *second);
bool tree_directory_is_empty(const struct tree_node *directory);
/* What create does, for those who make trees: *OUT has no reference of its own. */
int tree_add(struct tree_node *directory, struct name name, uint32_t mode, uint64_t special,
             const struct credentials *who, struct tree_node **out);
/* The directory of that path below DIRECTORY, with all that it needs. The same. */
int tree_make_path(struct tree_node *directory, struct name path, struct tree_node **out);

/* tree_data.c */
int tree_data_seals(struct vnode *node); /* FILE_SEAL_*; -EINVAL */
int tree_data_seal(struct vnode *node, uint32_t seals);
int tree_op_allocate(struct vnode *node, unsigned flags, uint64_t offset, uint64_t size);
int tree_op_page(struct vnode *node, uint64_t index, bool write, void **page, bool *slept);

/* tree_names.c: the functions of tree_ops that change names. */
int tree_op_create(struct vnode *directory, struct name name, uint32_t mode, uint64_t special,
                   const struct credentials *who, struct vnode **out);
int tree_op_unnamed(struct vnode *directory, uint32_t mode, bool linkable,
                    const struct credentials *who, struct vnode **out);
int tree_op_symlink(struct vnode *directory, struct name name, const char *target,
                    const struct credentials *who);
int tree_op_link(struct vnode *directory, struct name name, struct vnode *file);
int tree_op_unlink(struct vnode *directory, struct name name, struct vnode *node);
int tree_op_rmdir(struct vnode *directory, struct name name, struct vnode *node);
int tree_op_rename(struct vnode *from, struct name old, struct vnode *node, struct vnode *to,
                   struct name new, struct vnode *target, unsigned flags);

/* root.c: puts an archive's files into TREE, which nobody uses yet; -EINVAL: it is damaged (what
 * came before is there). */
int root_unpack(struct tree *tree, const void *archive, size_t size);
