/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What system calls do to names: each is the call of Linux' manual, section 2, in its *at form
 * (WALK says where relative paths begin), with the path in kernel memory, up to PATH_LENGTH with
 * its NUL. 0 or a negative errno, as the manual has them. Thread context.
 */
#pragma once

#include "fs/file/path.h"
#include "fs/file/mounts.h"

struct file;

/* Flags of open: Linux' numbers for x86 and most others. Who has other numbers converts. */
#define O_RDONLY    0u
#define O_WRONLY    1u
#define O_RDWR      2u
#define O_ACCMODE   3u
#define O_CREAT     0100u
#define O_EXCL      0200u
#define O_NOCTTY    0400u
#define O_TRUNC     01000u
#define O_APPEND    02000u
#define O_NONBLOCK  04000u
#define O_DSYNC     010000u
#define O_ASYNC     020000u
#define O_DIRECT    040000u
#define O_LARGEFILE 0100000u
#define O_DIRECTORY 0200000u
#define O_NOFOLLOW  0400000u
#define O_NOATIME   01000000u
#define O_CLOEXEC   02000000u /* the table's: fs_open ignores it */
#define O_SYNC      04010000u
#define O_PATH      010000000u
#define O_TMPFILE   020200000u

/* *OUT has one reference (file_release). MODE is masked by the umask here, as in mkdir, mknod. */
int fs_open(const struct path_walk *walk, const char *path, uint32_t flags, uint32_t mode,
            struct file **out);
/* A file of a vnode that was found already; permissions are not looked at. For execve, tests. */
int fs_open_vnode(struct vnode *node, uint32_t flags, struct file **out);

/* A file of /tmp's memory without a name, which NAME is told of as: memfd_create(2). */
int fs_open_in_memory(const char *name, uint32_t flags, const struct credentials *who,
                      struct file **out);

/* FLAGS of these: PATH_FOLLOW, PATH_EMPTY. */
int fs_stat(const struct path_walk *walk, const char *path, unsigned flags, struct file_stat *out);
int fs_access(const struct path_walk *walk, const char *path, unsigned flags, unsigned wanted);
int fs_chmod(const struct path_walk *walk, const char *path, unsigned flags, uint32_t mode);
/* UINT32_MAX: leave it. */
int fs_chown(const struct path_walk *walk, const char *path, unsigned flags, uint32_t uid,
             uint32_t gid);
int fs_utimens(const struct path_walk *walk, const char *path, unsigned flags, uint64_t accessed,
               uint64_t modified);
/* LIMIT: RLIMIT_FSIZE; growing beyond it is -EFBIG. */
int fs_truncate(const struct path_walk *walk, const char *path, uint64_t size, uint64_t limit);
int fs_statfs(const struct path_walk *walk, const char *path, struct fs_stat *out);

int fs_mkdir(const struct path_walk *walk, const char *path, uint32_t mode);
/* MODE with its type; 0 is a regular file. Devices: user 0 only, else -EPERM. */
int fs_mknod(const struct path_walk *walk, const char *path, uint32_t mode, uint64_t special);
int fs_rmdir(const struct path_walk *walk, const char *path);
int fs_unlink(const struct path_walk *walk, const char *path);
int fs_symlink(const struct path_walk *walk, const char *target, const char *path);
/* Cut at SIZE, no NUL: its length. */
long fs_readlink(const struct path_walk *walk, const char *path, char *buffer, size_t size);
/* FLAGS: PATH_FOLLOW, PATH_EMPTY for OLD. */
int fs_link(const struct path_walk *old_walk, const char *old, const struct path_walk *new_walk,
            const char *new, unsigned flags);
#define RENAME_NOREPLACE 1u
#define RENAME_EXCHANGE  2u
int fs_rename(const struct path_walk *old_walk, const char *old, const struct path_walk *new_walk,
              const char *new, unsigned flags);

int fs_chdir(const struct path_walk *walk, const char *path);
int fs_chroot(const struct path_walk *walk, const char *path);
int fs_fchdir(const struct path_walk *walk, struct file *file);
/* With its NUL: the length with it; -ERANGE, -ENOENT. */
long fs_getcwd(struct path_base *base, char *buffer, size_t size);

/* The same of open files: fchmod and so on. */
int fs_fchmod(const struct credentials *who, struct file *file, uint32_t mode);
int fs_fchown(const struct credentials *who, struct file *file, uint32_t uid, uint32_t gid);
int fs_futimens(const struct credentials *who, struct file *file, uint64_t accessed,
                uint64_t modified);
/* The file has SIZE bytes from OFFSET on: it grows, but for what is to KEEP its size; or (HOLE)
 * reads as zeroes there and takes no pages. Nothing is reserved. LIMIT: RLIMIT_FSIZE (-EFBIG).
 * -EOVERFLOW: no file can be that large. */
#define FS_ALLOCATE_KEEP 1u
#define FS_ALLOCATE_HOLE 2u
int fs_allocate(struct file *file, unsigned flags, int64_t offset, int64_t size, uint64_t limit);
/* -EINVAL: not open for writing. */
int fs_ftruncate(const struct credentials *who, struct file *file, uint64_t size, uint64_t limit);

/* The root directory, with a reference. NULL: out of memory. */
static inline struct vnode *fs_root(void)
{
    return fs_mounts.root();
}
