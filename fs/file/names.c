/* SPDX-License-Identifier: BSD-2-Clause */
/* mkdir, mknod, symlink, link, unlink, rmdir, rename. */
#include "fs/file/calls.h"
#include "fs/file/file.h"
#include "lib/errno.h"
#include "lib/string.h"

#define AGAIN_MAX 100 /* times that a rename looks again, when names change under it */

/* To the last name of PATH, which is to be made: it is not there, and may be. */
static int names_begin_new(struct path_last *last, const struct path_walk *walk, const char *path,
                           bool directory)
{
    struct vnode *there;
    int error = path_last_begin(last, walk, path);

    if (error != 0)
        return error;
    error = path_last_lookup(last, &there);
    if (error == 0) {
        vnode_release(there);
        return -EEXIST;
    }
    if (error != -ENOENT)
        return error;
    if (last->slash && !directory)
        return -ENOENT;
    return vnode_permit(last->directory, &walk->who, PERMIT_WRITE);
}

static int names_error_of(const struct vnode *directory)
{
    return directory->read_only ? -EROFS : -EPERM;
}

/* Where no name can be made one that is not there stays so, unless it is the archive's fault. */
static int names_refused(const struct vnode *directory)
{
    return directory->read_only ? -EROFS : -ENOENT;
}

static int names_create(const struct path_walk *walk, const char *path, uint32_t mode,
                        uint64_t special)
{
    struct path_last last;
    struct vnode *node;
    int error = names_begin_new(&last, walk, path, (mode & S_IFMT) == S_IFDIR);

    mode &= ~path_base_umask(walk->base);
    if (error == 0 && ((mode & S_IFMT) == S_IFCHR || (mode & S_IFMT) == S_IFBLK) &&
        walk->who.uid != 0)
        error = -EPERM;
    if (error == 0 && last.directory->ops->create == NULL)
        error = names_refused(last.directory);
    if (error == 0)
        error = last.directory->ops->create(last.directory, last.name, mode, special, &walk->who,
                                            &node);
    if (error == 0)
        vnode_release(node);
    path_last_end(&last);
    return error;
}

int fs_mkdir(const struct path_walk *walk, const char *path, uint32_t mode)
{
    return names_create(walk, path, S_IFDIR | (mode & 01777), 0);
}

static bool names_may_be_made(uint32_t type)
{
    return type == S_IFREG || type == S_IFIFO || type == S_IFSOCK || type == S_IFCHR ||
           type == S_IFBLK;
}

int fs_mknod(const struct path_walk *walk, const char *path, uint32_t mode, uint64_t special)
{
    uint32_t type = mode & S_IFMT;

    if (type == 0)
        type = S_IFREG;
    if (type == S_IFDIR)
        return -EPERM;
    if (!names_may_be_made(type))
        return -EINVAL;
    return names_create(walk, path, type | (mode & 07777), special);
}

int fs_symlink(const struct path_walk *walk, const char *target, const char *path)
{
    struct path_last last;
    int error;

    if (*target == '\0')
        return -ENOENT;
    if (strnlen(target, PATH_LENGTH) == PATH_LENGTH)
        return -ENAMETOOLONG;
    error = names_begin_new(&last, walk, path, false);
    if (error == 0 && last.directory->ops->symlink == NULL)
        error = names_refused(last.directory);
    if (error == 0)
        error = last.directory->ops->symlink(last.directory, last.name, target, &walk->who);
    path_last_end(&last);
    return error;
}

int fs_link(const struct path_walk *old_walk, const char *old, const struct path_walk *new_walk,
            const char *new, unsigned flags)
{
    struct path_last last;
    struct vnode *node;
    int error = path_lookup(old_walk, old, flags & (PATH_FOLLOW | PATH_EMPTY), &node);

    if (error != 0)
        return error;
    error = names_begin_new(&last, new_walk, new, false);
    if (error == 0 && last.directory->ops->link == NULL)
        error = names_refused(last.directory);
    else if (error == 0 && last.directory->device != node->device)
        error = -EXDEV;
    else if (error == 0 && vnode_is_directory(node))
        error = -EPERM;
    if (error == 0)
        error = last.directory->ops->link(last.directory, last.name, node);
    path_last_end(&last);
    vnode_release(node);
    return error;
}

/* In a directory with the sticky bit only the owner of either may take a name away. */
static int names_check_sticky(struct vnode *directory, struct vnode *node,
                              const struct credentials *who)
{
    struct file_stat in, of;
    int error = vnode_stat(directory, &in);

    if (error != 0 || who->uid == 0 || (in.mode & S_ISVTX) == 0 || in.uid == who->uid)
        return error;
    error = vnode_stat(node, &of);
    return error == 0 && of.uid != who->uid ? -EPERM : error;
}

/* Whether the name LAST, which is NODE, may be taken away. */
static int names_check_removal(const struct path_last *last, struct vnode *node)
{
    int error = vnode_permit(last->directory, &last->walk->who, PERMIT_WRITE);

    if (error == 0)
        error = names_check_sticky(last->directory, node, &last->walk->who);
    if (error == 0 && node->covers != NULL)
        error = -EBUSY;
    return error;
}

/* rmdir and unlink of what must be no dots. */
static int names_remove(struct path_last *last, bool directory)
{
    const struct vnode_ops *ops = last->directory->ops;
    int (*remove)(struct vnode *, struct name, struct vnode *) =
        directory ? ops->rmdir : ops->unlink;
    struct vnode *node;
    int error = path_last_lookup(last, &node);

    if (error != 0)
        return error;
    error = names_check_removal(last, node);
    if (error == 0 && last->slash && !vnode_is_directory(node))
        error = -ENOTDIR;
    if (error == 0 && directory != vnode_is_directory(node))
        error = directory ? -ENOTDIR : -EISDIR;
    if (error == 0)
        error = remove == NULL ? names_error_of(last->directory)
                               : remove(last->directory, last->name, node);
    vnode_release(node);
    return error;
}

static int names_dots_error(const struct path_last *last)
{
    if (last->name.length == 0)
        return -EBUSY;
    return last->name.length == 1 ? -EINVAL : -ENOTEMPTY;
}

int fs_rmdir(const struct path_walk *walk, const char *path)
{
    struct path_last last;
    int error = path_last_begin(&last, walk, path);

    if (error == 0)
        error = path_last_is_dots(&last) ? names_dots_error(&last) : names_remove(&last, true);
    path_last_end(&last);
    return error;
}

int fs_unlink(const struct path_walk *walk, const char *path)
{
    struct path_last last;
    int error = path_last_begin(&last, walk, path);

    if (error == 0)
        error = path_last_is_dots(&last) ? -EISDIR : names_remove(&last, false);
    path_last_end(&last);
    return error;
}

/* The target of a rename: NULL where there is none. */
static int names_find_target(struct path_last *last, struct vnode **target)
{
    int error = path_last_lookup(last, target);

    if (error == -ENOENT) {
        *target = NULL;
        return 0;
    }
    return error;
}

static int names_check_rename(const struct path_last *old, struct vnode *node,
                              const struct path_last *new, struct vnode *target, unsigned flags)
{
    int error;

    if (target != NULL && (flags & RENAME_NOREPLACE) != 0)
        return -EEXIST;
    if (target == NULL && (flags & RENAME_EXCHANGE) != 0)
        return -ENOENT;
    if ((flags & RENAME_EXCHANGE) != 0 && new->slash && !vnode_is_directory(target))
        return -ENOTDIR;
    if (!vnode_is_directory(node) && (old->slash || (new->slash && (flags & RENAME_EXCHANGE) == 0)))
        return -ENOTDIR;
    if (node == target)
        return 0; /* nothing happens */
    error = names_check_removal(old, node);
    if (error == 0)
        error = target != NULL ? names_check_removal(new, target)
                               : vnode_permit(new->directory, &new->walk->who, PERMIT_WRITE);
    if (error == 0 && vnode_is_directory(node) && old->directory != new->directory)
        error = vnode_permit(node, &old->walk->who, PERMIT_WRITE); /* its ".." changes */
    return error;
}

static int names_rename_once(struct path_last *old, struct path_last *new, unsigned flags)
{
    const struct vnode_ops *ops = old->directory->ops;
    struct vnode *node, *target = NULL;
    int error = path_last_lookup(old, &node);

    if (error != 0)
        return error;
    error = names_find_target(new, &target);
    if (error == 0)
        error = names_check_rename(old, node, new, target, flags);
    if (error == 0 && ops->rename == NULL && target == NULL)
        error = names_refused(old->directory);
    if (error == 0)
        error = ops->rename == NULL ? names_error_of(old->directory)
                                    : ops->rename(old->directory, old->name, node, new->directory,
                                                  new->name, target, flags);
    vnode_release(target);
    vnode_release(node);
    return error;
}

static int names_rename_last(struct path_last *old, struct path_last *new, unsigned flags)
{
    int error = -EAGAIN;

    if (old->directory->device != new->directory->device)
        return -EXDEV;
    if (path_last_is_dots(old) || path_last_is_dots(new))
        return -EBUSY;
    for (unsigned i = 0; i < AGAIN_MAX && error == -EAGAIN; i++)
        error = names_rename_once(old, new, flags);
    return error;
}

int fs_rename(const struct path_walk *old_walk, const char *old, const struct path_walk *new_walk,
              const char *new, unsigned flags)
{
    struct path_last from, to;
    int error;

    if ((flags & ~(RENAME_NOREPLACE | RENAME_EXCHANGE)) != 0 ||
        flags == (RENAME_NOREPLACE | RENAME_EXCHANGE))
        return -EINVAL;
    error = path_last_begin(&from, old_walk, old);
    if (error == 0) {
        error = path_last_begin(&to, new_walk, new);
        if (error == 0)
            error = names_rename_last(&from, &to, flags);
        path_last_end(&to);
    }
    path_last_end(&from);
    return error;
}
