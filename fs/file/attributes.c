/* SPDX-License-Identifier: BSD-2-Clause */
/* stat, access, chmod, chown, utimens, truncate, statfs, readlink: what a file is, and is not its
 * name or data. Also chdir and getcwd. */
#include "fs/file/calls.h"
#include "fs/file/file.h"
#include "lib/errno.h"

int fs_stat(const struct path_walk *walk, const char *path, unsigned flags, struct file_stat *out)
{
    struct vnode *node;
    struct file *file;
    int error = path_lookup_file(walk, path, flags, &node, &file);

    if (error != 0)
        return error;
    error = file != NULL ? file_stat(file, out) : vnode_stat(node, out);
    file_release(file);
    vnode_release(node);
    return error;
}

int fs_access(const struct path_walk *walk, const char *path, unsigned flags, unsigned wanted)
{
    struct vnode *node;
    struct file *file;
    int error;

    if ((wanted & ~(PERMIT_READ | PERMIT_WRITE | PERMIT_EXECUTE)) != 0)
        return -EINVAL;
    error = path_lookup_file(walk, path, flags, &node, &file);
    if (error != 0)
        return error;
    if (wanted != 0 && node != NULL)
        error = vnode_permit(node, &walk->who, wanted);
    file_release(file);
    vnode_release(node);
    return error;
}

static int attributes_change(struct vnode *node, const struct vnode_change *to)
{
    if (node->read_only || node->ops->setattr == NULL)
        return node->read_only ? -EROFS : -EPERM;
    return node->ops->setattr(node, to);
}

static int attributes_change_mode(const struct credentials *who, struct vnode *node, uint32_t mode)
{
    struct vnode_change to = {.set = ATTR_MODE, .mode = mode & 07777};
    struct file_stat stat;
    int error = vnode_stat(node, &stat);

    if (error != 0)
        return error;
    if (node->read_only)
        return -EROFS;
    if (node->type == S_IFLNK)
        return -ENOTSUP;
    if (who->uid != 0 && who->uid != stat.uid)
        return -EPERM;
    if (who->uid != 0 && !credentials_in_group(who, stat.gid))
        to.mode &= ~S_ISGID;
    return attributes_change(node, &to);
}

/* Whoever is not user 0 may give his own file to a group of his own. */
static int attributes_check_owner(const struct credentials *who, const struct file_stat *stat,
                                  uint32_t uid, uint32_t gid)
{
    bool same_user = uid == UINT32_MAX || uid == stat->uid;
    bool own_group = gid == UINT32_MAX || gid == stat->gid || credentials_in_group(who, gid);

    if (who->uid == 0 || (uid == UINT32_MAX && gid == UINT32_MAX))
        return 0;
    return who->uid == stat->uid && same_user && own_group ? 0 : -EPERM;
}

static int attributes_change_owner(const struct credentials *who, struct vnode *node, uint32_t uid,
                                   uint32_t gid)
{
    struct vnode_change to = {.uid = uid, .gid = gid};
    struct file_stat stat;
    int error = vnode_stat(node, &stat);

    if (error == 0 && node->read_only)
        error = -EROFS;
    if (error == 0)
        error = attributes_check_owner(who, &stat, uid, gid);
    if (error != 0)
        return error;
    to.set = (uid != UINT32_MAX ? ATTR_UID : 0) | (gid != UINT32_MAX ? ATTR_GID : 0);
    to.mode = stat.mode & ~S_ISUID & 07777;
    if (stat.mode & 0010)
        to.mode &= ~S_ISGID;
    if (!vnode_is_directory(node))
        to.set |= ATTR_MODE;
    return attributes_change(node, &to);
}

static int attributes_change_times(const struct credentials *who, struct vnode *node,
                                   uint64_t accessed, uint64_t modified)
{
    const struct vnode_change to = {.set = ATTR_TIMES, .accessed = accessed, .modified = modified};
    bool both_now = accessed == FILE_TIME_NOW && modified == FILE_TIME_NOW;
    struct file_stat stat;
    int error = vnode_stat(node, &stat);

    if (error != 0 || (accessed == FILE_TIME_OMIT && modified == FILE_TIME_OMIT))
        return error;
    if (node->read_only)
        return -EROFS;
    if (who->uid != 0 && who->uid != stat.uid) {
        if (!both_now)
            return -EPERM;
        error = vnode_permit(node, who, PERMIT_WRITE);
    }
    return error != 0 ? error : attributes_change(node, &to);
}

int fs_chmod(const struct path_walk *walk, const char *path, unsigned flags, uint32_t mode)
{
    struct vnode *node;
    int error = path_lookup(walk, path, flags, &node);

    if (error != 0)
        return error;
    error = attributes_change_mode(&walk->who, node, mode);
    vnode_release(node);
    return error;
}

int fs_chown(const struct path_walk *walk, const char *path, unsigned flags, uint32_t uid,
             uint32_t gid)
{
    struct vnode *node;
    int error = path_lookup(walk, path, flags, &node);

    if (error != 0)
        return error;
    error = attributes_change_owner(&walk->who, node, uid, gid);
    vnode_release(node);
    return error;
}

int fs_utimens(const struct path_walk *walk, const char *path, unsigned flags, uint64_t accessed,
               uint64_t modified)
{
    struct vnode *node;
    int error = path_lookup(walk, path, flags, &node);

    if (error != 0)
        return error;
    error = attributes_change_times(&walk->who, node, accessed, modified);
    vnode_release(node);
    return error;
}

/* It may shrink to more than LIMIT, but not grow to it. */
static int attributes_change_size(const struct credentials *who, struct vnode *node, uint64_t size,
                                  uint64_t limit)
{
    const struct vnode_change to = {.set = ATTR_SIZE | (who->uid != 0 ? ATTR_PLAIN : 0),
                                    .size = size};
    struct file_stat stat;

    if (size > INT64_MAX || node->type != S_IFREG)
        return -EINVAL;
    if (size > limit && vnode_stat(node, &stat) == 0 && size > stat.size)
        return -EFBIG;
    return attributes_change(node, &to);
}

int fs_truncate(const struct path_walk *walk, const char *path, uint64_t size, uint64_t limit)
{
    struct vnode *node;
    int error = path_lookup(walk, path, PATH_FOLLOW, &node);

    if (error != 0)
        return error;
    error = vnode_is_directory(node) ? -EISDIR : vnode_permit(node, &walk->who, PERMIT_WRITE);
    if (error == 0)
        error = vnode_write_begin(node);
    if (error == 0) {
        error = attributes_change_size(&walk->who, node, size, limit);
        vnode_write_end(node);
    }
    vnode_release(node);
    return error;
}

int fs_fchmod(const struct credentials *who, struct file *file, uint32_t mode)
{
    if (file->flags & O_PATH)
        return -EBADF;
    return file->vnode == NULL ? -EPERM : attributes_change_mode(who, file->vnode, mode);
}

int fs_fchown(const struct credentials *who, struct file *file, uint32_t uid, uint32_t gid)
{
    if (file->flags & O_PATH)
        return -EBADF;
    return file->vnode == NULL ? -EPERM : attributes_change_owner(who, file->vnode, uid, gid);
}

int fs_futimens(const struct credentials *who, struct file *file, uint64_t accessed,
                uint64_t modified)
{
    if (file->flags & O_PATH)
        return -EBADF;
    return file->vnode == NULL ? -EPERM
                               : attributes_change_times(who, file->vnode, accessed, modified);
}

int fs_ftruncate(const struct credentials *who, struct file *file, uint64_t size, uint64_t limit)
{
    uint32_t mode = file->flags & O_ACCMODE;

    if (file->flags & O_PATH)
        return -EBADF;
    if (file->vnode == NULL || (mode != O_WRONLY && mode != O_RDWR))
        return -EINVAL;
    return attributes_change_size(who, file->vnode, size, limit);
}

int fs_allocate(struct file *file, unsigned flags, int64_t offset, int64_t size, uint64_t limit)
{
    uint32_t mode = file->flags & O_ACCMODE;
    struct file_stat stat;

    if (offset < 0 || size <= 0)
        return -EINVAL;
    if (flags & ~(FS_ALLOCATE_KEEP | FS_ALLOCATE_HOLE) || flags == FS_ALLOCATE_HOLE)
        return -EOPNOTSUPP;
    if (file->flags & O_PATH || (mode != O_WRONLY && mode != O_RDWR))
        return -EBADF;
    if (file->vnode == NULL || file->vnode->type != S_IFREG)
        return file_stat(file, &stat) == 0 && (stat.mode & S_IFMT) == S_IFIFO ? -ESPIPE : -ENODEV;
    if (size > INT64_MAX - offset)
        return -EOVERFLOW;
    if (!(flags & FS_ALLOCATE_KEEP) && (uint64_t)(offset + size) > limit)
        return -EFBIG;
    if (file->vnode->ops->allocate == NULL || file->vnode->read_only)
        return file->vnode->read_only ? -EROFS : -EOPNOTSUPP;
    return file->vnode->ops->allocate(file->vnode, flags, (uint64_t)offset, (uint64_t)size);
}

int fs_statfs(const struct path_walk *walk, const char *path, struct fs_stat *out)
{
    struct vnode *node;
    int error = path_lookup(walk, path, PATH_FOLLOW, &node);

    if (error != 0)
        return error;
    error = node->ops->statfs == NULL ? -ENOSYS : node->ops->statfs(node, out);
    vnode_release(node);
    return error;
}

long fs_readlink(const struct path_walk *walk, const char *path, char *buffer, size_t size)
{
    struct vnode *node;
    int error = path_lookup(walk, path, PATH_EMPTY, &node);
    long length = -EINVAL;

    if (error != 0)
        return error;
    if (*path == '\0' && node->type != S_IFLNK)
        length = -ENOENT;
    else if (size != 0 && node->ops->readlink != NULL)
        length = node->ops->readlink(node, buffer, size);
    vnode_release(node);
    return length;
}

/* Whether NODE can be where paths begin. */
static int attributes_check_here(const struct path_walk *walk, struct vnode *node)
{
    return vnode_is_directory(node) ? vnode_permit(node, &walk->who, PERMIT_EXECUTE) : -ENOTDIR;
}

int fs_chdir(const struct path_walk *walk, const char *path)
{
    struct vnode *node;
    int error = path_lookup(walk, path, PATH_FOLLOW | PATH_DIRECTORY, &node);

    if (error != 0)
        return error;
    error = attributes_check_here(walk, node);
    if (error == 0)
        path_base_set(walk->base, NULL, node);
    vnode_release(node);
    return error;
}

int fs_chroot(const struct path_walk *walk, const char *path)
{
    struct vnode *node;
    int error = path_lookup(walk, path, PATH_FOLLOW | PATH_DIRECTORY, &node);

    if (error != 0)
        return error;
    error = attributes_check_here(walk, node);
    if (error == 0 && walk->who.uid != 0)
        error = -EPERM;
    if (error == 0)
        path_base_set(walk->base, node, NULL);
    vnode_release(node);
    return error;
}

int fs_fchdir(const struct path_walk *walk, struct file *file)
{
    int error = file->vnode == NULL ? -ENOTDIR : attributes_check_here(walk, file->vnode);

    if (error == 0)
        path_base_set(walk->base, NULL, file->vnode);
    return error;
}

long fs_getcwd(struct path_base *base, char *buffer, size_t size)
{
    struct vnode *root, *here;
    long length;

    path_base_get(base, &root, &here);
    length = path_of_directory(here, root, buffer, size);
    vnode_release(here);
    vnode_release(root);
    return length;
}
