/* SPDX-License-Identifier: BSD-2-Clause */
/* open(2): from a path to an open file. */
#include "fs/calls.h"
#include "fs/dev.h"
#include "fs/file.h"
#include "fs/fs_count.h"
#include "kernel/memory/kmem.h"
#include "lib/errno.h"
#include "lib/string.h"

/* What is not reached through: the descriptor only names it. */
static const struct file_ops path_only;

static unsigned wanted_by(uint32_t flags)
{
    static const uint8_t wanted[] = {PERMIT_READ, PERMIT_WRITE, PERMIT_READ | PERMIT_WRITE,
                                     PERMIT_READ | PERMIT_WRITE};
    unsigned mode = wanted[flags & O_ACCMODE];

    return (flags & O_TRUNC) != 0 ? mode | PERMIT_WRITE : mode;
}

int fs_open_vnode(struct vnode *node, uint32_t flags, struct file **out)
{
    const struct file_ops *ops = (flags & O_PATH) != 0 ? &path_only : node->file_ops;
    struct file *file = file_create(ops, flags & ~(O_CREAT | O_EXCL | O_NOCTTY | O_TRUNC), NULL);
    int error = 0;

    if (file == NULL)
        return -ENOMEM;
    file->vnode = vnode_hold(node);
    if ((flags & O_PATH) == 0 && (node->type == S_IFCHR || node->type == S_IFBLK))
        error = dev_open(file);
    else if ((flags & O_PATH) == 0 && node->ops->open != NULL)
        error = node->ops->open(node, file);
    if (error == 0 && file->ops == NULL)
        error = -ENXIO; /* a socket */
    if (error != 0) {
        file->ops = &path_only; /* nothing that its close would undo */
        file_release(file);
        return error;
    }
    fs_count(FS_OPENS, 1);
    *out = file;
    return 0;
}

static int open_create(struct path_last *last, uint32_t mode, struct vnode **out)
{
    struct vnode *directory = last->directory;
    int error = vnode_permit(directory, &last->walk->who, PERMIT_WRITE);

    if (last->slash)
        return -EISDIR;
    if (error != 0)
        return error;
    if (directory->ops->create == NULL)
        return directory->read_only ? -EROFS : -EACCES;
    mode = S_IFREG | (mode & 07777 & ~path_base_umask(last->walk->base));
    return directory->ops->create(directory, last->name, mode, 0, &last->walk->who, out);
}

/* What the path leads to, made if it is to be. *MADE: it was. */
static int open_find(struct path_last *last, uint32_t flags, uint32_t mode, struct vnode **out,
                     bool *made)
{
    bool exclusive = (flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL);

    for (;;) {
        int error = path_last_lookup(last, out);

        if (error == -ENOENT && (flags & O_CREAT) != 0 && (flags & O_PATH) == 0) {
            error = open_create(last, mode, out);
            if (error == -EEXIST && !exclusive)
                continue; /* somebody else has just made it */
            *made = error == 0;
            return error;
        }
        if (error != 0)
            return error;
        if (exclusive)
            error = -EEXIST;
        else if ((*out)->type != S_IFLNK || ((flags & O_NOFOLLOW) != 0 && !last->slash))
            return 0;
        else
            error = path_last_follow(last, *out);
        vnode_release(*out);
        if (error != 0)
            return error;
    }
}

/* Whether what is there already may be opened so. */
static int open_check(struct vnode *node, const struct path_last *last, uint32_t flags)
{
    unsigned wanted = wanted_by(flags);
    struct file_stat stat;
    int error;

    if (!vnode_is_directory(node) && last->slash)
        return -ENOTDIR;
    if (node->type == S_IFLNK && (flags & O_PATH) == 0)
        return (flags & O_DIRECTORY) != 0 ? -ENOTDIR : -ELOOP;
    if (!vnode_is_directory(node) && (flags & O_DIRECTORY) != 0)
        return -ENOTDIR;
    if ((flags & O_PATH) != 0)
        return 0;
    if (vnode_is_directory(node) && ((wanted & PERMIT_WRITE) != 0 || (flags & O_CREAT) != 0))
        return -EISDIR;
    error = vnode_permit(node, &last->walk->who, wanted);
    if (error != 0 || (flags & O_NOATIME) == 0 || last->walk->who.uid == 0)
        return error;
    error = vnode_stat(node, &stat);
    return error == 0 && stat.uid != last->walk->who.uid ? -EPERM : error;
}

static int open_truncate(struct vnode *node)
{
    const struct vnode_change change = {.set = ATTR_SIZE, .size = 0};

    if (node->type != S_IFREG)
        return 0;
    return node->ops->setattr == NULL ? -EROFS : node->ops->setattr(node, &change);
}

/* The file knows where it was found; without memory it does not. */
static void open_remember(struct file *file, const struct path_last *last)
{
    size_t length = last->name.length;

    if (vnode_is_directory(file->vnode))
        return;
    file->name = kmem_alloc(length + 1);
    if (file->name == NULL)
        return;
    memcpy(file->name, last->name.text, length);
    file->name[length] = '\0';
    file->directory = vnode_hold(last->directory);
}

static int open_last(struct path_last *last, uint32_t flags, uint32_t mode, struct file **out)
{
    bool made = false;
    struct vnode *node;
    int error = open_find(last, flags, mode, &node, &made);

    if (error != 0)
        return error;
    if (!made)
        error = open_check(node, last, flags);
    if (error == 0)
        error = fs_open_vnode(node, flags, out);
    if (error == 0 && (flags & O_TRUNC) != 0 && (flags & O_PATH) == 0 && !made) {
        error = open_truncate(node);
        if (error != 0)
            file_release(*out);
    }
    if (error == 0)
        open_remember(*out, last);
    vnode_release(node);
    return error;
}

int fs_open(const struct path_walk *walk, const char *path, uint32_t flags, uint32_t mode,
            struct file **out)
{
    struct path_last last;
    int error;

    if ((flags & O_TMPFILE) == O_TMPFILE)
        return -ENOTSUP;
    if ((flags & (O_CREAT | O_DIRECTORY)) == (O_CREAT | O_DIRECTORY))
        return -EINVAL; /* of Linux 6.4 on */
    error = path_last_begin(&last, walk, path);
    if (error == 0)
        error = open_last(&last, flags, mode, out);
    path_last_end(&last);
    return error;
}
