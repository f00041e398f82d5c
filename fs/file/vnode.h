/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * vnode: a file as such, whoever has it open and whatever it is called. It is there while somebody
 * has a reference (a directory's entry is one). What may be done with it its file system says, in a
 * table of functions; those that are NULL fail with the error beside them.
 *
 * Thread context. Functions return 0 or a negative errno unless they say otherwise. Names are of
 * 1 to NAME_LENGTH bytes, without NUL and '/'; "." and ".." never arrive here.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "fs/file/credentials.h"
#include "fs/file/stat.h"
#include "kernel/lock/spinlock.h"

#define NAME_LENGTH 255u
#define PATH_LENGTH 4096u /* with its NUL */

struct file;
struct vnode;

/* A name inside a longer text. */
struct name {
    const char *text;
    size_t length;
};

/* What setattr changes. */
#define ATTR_MODE  1u /* the low 12 bits */
#define ATTR_UID   2u
#define ATTR_GID   4u
#define ATTR_SIZE  8u
#define ATTR_TIMES 16u /* accessed and modified, which may be FILE_TIME_* */
#define ATTR_PLAIN 32u /* set-id bits go: who changes it is not user 0 */
struct vnode_change {
    unsigned set; /* ATTR_* */
    uint32_t mode, uid, gid;
    uint64_t size, accessed, modified;
};

/* Receives an entry of a directory; COOKIE is where the next one begins. False: no room for it. The
 * directory's lock is held: it fills kernel memory, and neither sleeps nor copies to a program. */
typedef bool directory_emit(void *argument, const char *name, size_t length, uint64_t number,
                            uint32_t type /* S_IF* */, uint64_t cookie);

/* fcntl(2)'s seals, of files in memory. */
#define FILE_SEAL_SEAL   1u
#define FILE_SEAL_SHRINK 2u
#define FILE_SEAL_GROW   4u
#define FILE_SEAL_WRITE  8u
#define FILE_SEAL_FUTURE 16u
#define FILE_SEAL_WRITES (FILE_SEAL_WRITE | FILE_SEAL_FUTURE)
#define FILE_SEALS       31u

struct vnode_ops {
    /* Of directories: the entry's vnode, with a reference. NULL: -ENOTDIR. */
    int (*lookup)(struct vnode *directory, struct name name, struct vnode **out);
    /* The directory's own parent, with a reference; the root's is itself. */
    struct vnode *(*parent)(struct vnode *directory);
    /* The name of DIRECTORY in its parent: its length, or -ENOENT (removed). */
    long (*name_of)(struct vnode *directory, char *buffer, size_t size);
    /* NULL: -EROFS. MODE has the type (S_IFREG, S_IFIFO, S_IFCHR ...); -EEXIST, -ENOSPC. */
    int (*create)(struct vnode *directory, struct name name, uint32_t mode, uint64_t special,
                  const struct credentials *who, struct vnode **out);
    /* A regular file without a name, which LINK may give it if LINKABLE. NULL: -EOPNOTSUPP. */
    int (*unnamed)(struct vnode *directory, uint32_t mode, bool linkable,
                   const struct credentials *who, struct vnode **out);
    int (*symlink)(struct vnode *directory, struct name name, const char *target,
                   const struct credentials *who);
    int (*link)(struct vnode *directory, struct name name, struct vnode *file);
    /* NODE is what NAME was found to be: -ENOENT if it is not any more. */
    int (*unlink)(struct vnode *directory, struct name name, struct vnode *node);
    int (*rmdir)(struct vnode *directory, struct name name, struct vnode *node);
    /* The same file system; TARGET may be NULL: there is none. */
    int (*rename)(struct vnode *from, struct name old, struct vnode *node, struct vnode *to,
                  struct name new, struct vnode *target, unsigned flags);
    /* The text of a symbolic link, cut at SIZE; its length. NULL: -EINVAL. */
    long (*readlink)(struct vnode *node, char *buffer, size_t size);
    /* Of a link that leads to an open file, not to a path: that file, with a reference. NULL: it
     * leads where its text says. */
    int (*follow)(struct vnode *node, struct file **out);
    int (*stat)(struct vnode *node, struct file_stat *out);
    int (*setattr)(struct vnode *node, const struct vnode_change *change); /* NULL: -EROFS */
    /* fallocate(2): FS_ALLOCATE_*. NULL: -EOPNOTSUPP. */
    int (*allocate)(struct vnode *node, unsigned flags, uint64_t offset, uint64_t size);
    /* Prepares FILE, whose vnode this is: its ops and data. NULL: nothing to do. */
    int (*open)(struct vnode *node, struct file *file);
    /* For mappings: as vm_object_ops.page (kernel/vm/vm_object.h). NULL: -ENODEV. */
    int (*page)(struct vnode *node, uint64_t index, bool write, void **page, bool *slept);
    int (*statfs)(struct vnode *node, struct fs_stat *out);
    bool opens_to_write; /* a directory that may be: its ioctls are asked for permission */
    /* The last reference has gone. Returns a vnode that NODE held, to be released, or NULL. */
    struct vnode *(*destroy)(struct vnode *node);
};

struct vnode {
    const struct vnode_ops *ops;
    const struct file_ops *file_ops; /* of files that are opened of it, before ops->open */
    uint32_t type;                   /* S_IF*; fixed */
    bool read_only;                  /* its file system is: -EROFS before anything else */
    uint32_t references;             /* lock */
    struct spinlock lock;
    int32_t writers;         /* lock: files open for writing, or (below 0) programs that run */
    uint32_t mapped;         /* lock: mappings */
    uint32_t mapped_writers; /* lock: of these, shared ones that may write */
    struct file_lock *locks; /* fs/file/lock.c's */
    uint64_t device;         /* of its file system */
    struct vnode *mounted;   /* the root that covers it; fixed after start-up */
    struct vnode *covers;    /* of such a root: what it covers */
};

void vnode_init(struct vnode *node, const struct vnode_ops *ops, uint32_t type);
struct vnode *vnode_hold(struct vnode *node); /* returns NODE */
void vnode_release(struct vnode *node);       /* NULL is ignored */

/* It is open for writing, or a program: not both, -ETXTBSY. */
int vnode_write_begin(struct vnode *node);
void vnode_write_end(struct vnode *node);
int vnode_run_begin(struct vnode *node);
void vnode_run_end(struct vnode *node);

/* 0 or -EACCES, by its stat; -EROFS for writing to what is neither device nor pipe on a read-only
 * file system. */
int vnode_permit(struct vnode *node, const struct credentials *who, unsigned wanted);
int vnode_stat(struct vnode *node, struct file_stat *out);

static inline bool vnode_is_directory(const struct vnode *node)
{
    return node->type == S_IFDIR;
}
