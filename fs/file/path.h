/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From a path to a vnode. Errors: -ENOENT (also of an empty path), -ENOTDIR, -ELOOP (more than 40
 * symbolic links), -ENAMETOOLONG (a name of more than 255 bytes; a path of 4096 and more),
 * -EACCES (a directory that may not be searched). Thread context.
 */
#pragma once

#include "fs/file/vnode.h"

/*
 * Where paths begin, and who walks: a process has one, threads of CLONE_FS share it. Changing and
 * reading go through the functions below.
 */
struct file;

struct path_base {
    struct spinlock lock;
    uint32_t references;
    uint32_t umask;            /* lock */
    struct vnode *root, *here; /* references; lock */
};

/* One reference. */
struct path_base *path_base_create(void); /* at "/", umask 022; NULL: out of memory */
struct path_base *path_base_copy(struct path_base *base);
struct path_base *path_base_hold(struct path_base *base);
void path_base_release(struct path_base *base);
/* With references; either pointer may be NULL. */
void path_base_get(struct path_base *base, struct vnode **root, struct vnode **here);
/* NULL: it stays. Takes references of its own. */
void path_base_set(struct path_base *base, struct vnode *root, struct vnode *here);
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

/* The vnode, with a reference; -EINVAL: what is there has none (a pipe of /proc/PID/fd). */
int path_lookup(const struct path_walk *walk, const char *path, unsigned flags, struct vnode **out);

/* The same where a link of /proc/PID/fd may lead to a file that has no vnode (pipes): then *OUT is
 * NULL and *FILE the file, with a reference; else it is NULL. */
int path_lookup_file(const struct path_walk *walk, const char *path, unsigned flags,
                     struct vnode **out, struct file **file);

/* A walk that stops before the last name of a path: for what makes, removes or renames it. */
struct path_last {
    struct vnode *directory; /* a reference; it may be searched */
    struct name name;        /* "." and ".." too; empty: the path was "/" */
    bool slash;              /* a slash followed: it is to be a directory */
    const struct path_walk *walk;
    struct vnode *root; /* a reference */
    struct file *file;  /* a reference: a link of /proc/PID/fd led to it, which has no vnode */
    const char *rest;   /* that has not been walked yet */
    char *text;         /* kmem: links that were followed, and the rest; or NULL */
    unsigned links;     /* so many */
};
/* To be ended also after an error. */
int path_last_begin(struct path_last *last, const struct path_walk *walk, const char *path);
/* What the name is: its vnode, with a reference, mounts crossed; -ENOENT. */
int path_last_lookup(struct path_last *last, struct vnode **out);
/* The name is LINK, a symbolic link: on to the last name of where it leads. */
int path_last_follow(struct path_last *last, struct vnode *link);
void path_last_end(struct path_last *last);
/* Whether the name is one that nothing can be called: "", "." or "..". */
bool path_last_is_dots(const struct path_last *last);

/* The path of a directory from ROOT, with its NUL: its length with the NUL; -ERANGE (SIZE);
 * -ENOENT (removed). getcwd(2). */
long path_of_directory(struct vnode *directory, struct vnode *root, char *buffer, size_t size);
