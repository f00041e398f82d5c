/* SPDX-License-Identifier: BSD-2-Clause */
/* open(2): from a path to an open file. */
#include "fs/file/calls.h"
#include "fs/file/file.h"
#include "fs/file/fs_count.h"
#include "kernel/memory/kmem.h"
#include "lib/errno.h"
#include "lib/string.h"

struct fs_mounts fs_mounts;

/* What is not reached through: the descriptor only names it. */
static const struct file_ops path_only;

static unsigned open_wanted_by(uint32_t flags)
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
    if ((flags & O_PATH) == 0 && node->type == S_IFREG && (flags & O_ACCMODE) != O_RDONLY) {
        error = vnode_write_begin(node);
        file->writes = error == 0;
    }
    if (error != 0) {
        file->ops = &path_only;
        file_release(file);
        return error;
    }
    if ((flags & O_PATH) == 0 && (node->type == S_IFCHR || node->type == S_IFBLK))
        error = fs_mounts.open_device(file);
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
    int error;

    if (directory->ops->create == NULL && !directory->read_only)
        return -ENOENT; /* what is not there stays so */
    error = vnode_permit(directory, &last->walk->who, PERMIT_WRITE);
    if (error != 0)
        return error;
    if (directory->ops->create == NULL)
        return -EROFS;
    mode = S_IFREG | (mode & 07777 & ~path_base_umask(last->walk->base));
    return directory->ops->create(directory, last->name, mode, 0, &last->walk->who, out);
}

/* What the path leads to, made if it is to be. *MADE: it was. A file without a vnode is in LAST. */
static int open_find(struct path_last *last, uint32_t flags, uint32_t mode, struct vnode **out,
                     bool *made)
{
    bool exclusive = (flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL);

    for (;;) {
        int error = path_last_lookup(last, out);

        if (last->file != NULL)
            return 0;
        if (last->slash && (flags & (O_CREAT | O_PATH)) == O_CREAT) {
            if (error == 0)
                vnode_release(*out);
            return -EISDIR;
        }
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
    unsigned wanted = open_wanted_by(flags);
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
    if (node->ops->opens_to_write && vnode_is_directory(node))
        wanted &= ~PERMIT_WRITE;
    if (vnode_is_directory(node) && ((wanted & PERMIT_WRITE) != 0 || (flags & O_CREAT) != 0))
        return -EISDIR;
    error = vnode_permit(node, &last->walk->who, wanted);
    if (error != 0 || (flags & O_NOATIME) == 0 || last->walk->who.uid == 0)
        return error;
    error = vnode_stat(node, &stat);
    return error == 0 && stat.uid != last->walk->who.uid ? -EPERM : error;
}

static int open_truncate(const struct credentials *who, struct vnode *node)
{
    const struct vnode_change change = {.set = ATTR_SIZE | (who->uid != 0 ? ATTR_PLAIN : 0)};
    int error;

    if (node->type != S_IFREG)
        return 0;
    if (node->ops->setattr == NULL)
        return -EROFS;
    error = vnode_write_begin(node);
    if (error != 0)
        return error;
    error = node->ops->setattr(node, &change);
    vnode_write_end(node);
    return error;
}

/* The file knows where it was found; without memory it does not. */
static void open_remember(struct file *file, const struct path_last *last)
{
    size_t length = last->name.length;

    if (vnode_is_directory(file->vnode) || length == 0)
        return;
    file->name = kmem_alloc(length + 1);
    if (file->name == NULL)
        return;
    memcpy(file->name, last->name.text, length);
    file->name[length] = '\0';
    file->directory = vnode_hold(last->directory);
}

static void open_name(struct file *file, struct vnode *directory, const char *name)
{
    size_t size = strlen(name) + 1;

    file->name = kmem_alloc(size);
    if (file->name == NULL)
        return;
    memcpy(file->name, name, size);
    file->directory = vnode_hold(directory);
}

/* LAST's file, which has no vnode. */
static int open_again(const struct path_last *last, uint32_t flags, struct file **out);

static int open_last(struct path_last *last, uint32_t flags, uint32_t mode, struct file **out)
{
    bool made = false;
    struct vnode *node;
    int error = open_find(last, flags, mode, &node, &made);

    if (last->file != NULL)
        return open_again(last, flags, out);
    if (error != 0)
        return error;
    if (!made)
        error = open_check(node, last, flags);
    if (error == 0)
        error = fs_open_vnode(node, flags, out);
    if (error == 0 && (flags & O_TRUNC) != 0 && (flags & O_PATH) == 0 && !made) {
        error = open_truncate(&last->walk->who, node);
        if (error != 0)
            file_release(*out);
    }
    if (error == 0)
        open_remember(*out, last);
    vnode_release(node);
    return error;
}

/* O_TMPFILE: a file in the directory that the path leads to, without a name. */
static int open_unnamed(const struct path_walk *walk, const char *path, uint32_t flags,
                        uint32_t mode, struct file **out)
{
    struct vnode *directory, *node;
    int error;

    if ((flags & O_ACCMODE) == O_RDONLY)
        return -EINVAL;
    error = path_lookup(walk, path, PATH_FOLLOW | PATH_DIRECTORY, &directory);
    if (error != 0)
        return error;
    error = vnode_permit(directory, &walk->who, PERMIT_WRITE | PERMIT_EXECUTE);
    if (error == 0 && directory->ops->unnamed == NULL)
        error = -EOPNOTSUPP;
    mode = S_IFREG | (mode & 07777 & ~path_base_umask(walk->base));
    if (error == 0)
        error = directory->ops->unnamed(directory, mode, (flags & O_EXCL) == 0, &walk->who, &node);
    if (error == 0) {
        error = fs_open_vnode(node, flags & ~(O_TMPFILE & ~O_DIRECTORY), out);
        vnode_release(node);
    }
    if (error == 0)
        open_name(*out, directory, "#1");
    vnode_release(directory);
    return error;
}

int fs_open_in_memory(const char *name, uint32_t flags, const struct credentials *who,
                      struct file **out)
{
    struct vnode *root = fs_root(), *node;
    int error = root == NULL ? -ENOMEM : fs_mounts.unnamed(who, &node);

    if (error == 0) {
        error = fs_open_vnode(node, flags, out);
        vnode_release(node);
    }
    if (error == 0)
        open_name(*out, root, name);
    vnode_release(root);
    return error;
}

/* The link led to FILE itself: another one of the same, if there can be. */
static int open_again(const struct path_last *last, uint32_t flags, struct file **out)
{
    if (last->slash && (flags & O_CREAT) != 0)
        return -EISDIR;
    if (last->slash || (flags & O_DIRECTORY) != 0)
        return -ENOTDIR;
    if ((flags & O_PATH) != 0 || last->file->ops->reopen == NULL)
        return -ENXIO;
    return last->file->ops->reopen(last->file, flags, out);
}

int fs_open(const struct path_walk *walk, const char *path, uint32_t flags, uint32_t mode,
            struct file **out)
{
    struct path_last last;
    int error;

    if ((flags & O_TMPFILE) == O_TMPFILE)
        return open_unnamed(walk, path, flags, mode, out);
    if ((flags & (O_CREAT | O_DIRECTORY)) == (O_CREAT | O_DIRECTORY))
        return -EINVAL; /* of Linux 6.4 on */
    error = path_last_begin(&last, walk, path);
    if (error == 0)
        error = open_last(&last, flags, mode, out);
    path_last_end(&last);
    return error;
}
