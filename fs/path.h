/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From a path to a vnode. Errors: -ENOENT (also of an empty path), -ENOTDIR, -ELOOP (more than 40
 * symbolic links), -ENAMETOOLONG (a name of more than 255 bytes; a path of 4096 and more),
 * -EACCES (a directory that may not be searched). Thread context.
 */
#pragma once

#include "fs/vnode.h"

/*
 * Where paths begin, and who walks: a process has one, threads of CLONE_FS share it. Changing and
 * reading go through the functions below, but for `who`, which a system call sets up on its stack
 * (path_walk_begin).
 */
struct path_base {
    struct spinlock lock;
    uint32_t references;
    uint32_t umask;            /* lock */
    struct vnode *root, *here; /* references; lock */
};

struct path_base *path_base_create(void); /* at "/", umask 022; NULL: out of memory */
struct path_base *path_base_copy(struct path_base *base);
struct path_base *path_base_hold(struct path_base *base);
void path_base_release(struct path_base *base);
uint32_t path_base_umask(struct path_base *base);
uint32_t path_base_set_umask(struct path_base *base, uint32_t mask); /* the old one */

/* A walk: who, and from where. START, if not NULL, is where relative paths begin (a directory's
 * descriptor), in place of the base's. All is the caller's. */
struct path_walk {
    struct path_base *base;
    struct vnode *start;
    struct credentials who;
};

#define PATH_FOLLOW    1u /* a symbolic link at the end is followed */
#define PATH_DIRECTORY 2u /* what is not a directory is -ENOTDIR */
#define PATH_EMPTY     4u /* an empty path is the start itself (AT_EMPTY_PATH) */

/* The vnode, with a reference. */
int path_lookup(const struct path_walk *walk, const char *path, unsigned flags, struct vnode **out);

/* What stands before the last name of a path: for what makes, removes or renames it. */
struct path_last {
    struct vnode *directory; /* a reference, searchable */
    struct name name;        /* in the path or in `link`; "." or ".." or empty (the root) too */
    bool slash;              /* a slash followed: it is to be a directory */
    char *link;              /* kmem: a followed link's text, or NULL */
};
int path_lookup_last(const struct path_walk *walk, const char *path, struct path_last *out);
void path_last_end(struct path_last *last);

/* The path of a directory from ROOT, with its NUL: its length with the NUL; -ERANGE (SIZE);
 * -ENOENT (removed). getcwd(2). */
long path_of_directory(struct vnode *directory, struct vnode *root, char *buffer, size_t size);
