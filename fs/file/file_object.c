/* SPDX-License-Identifier: BSD-2-Clause */
/* Open files as what memory is mapped from, and by what path they are known. */
#include "fs/file/file.h"
#include "fs/file/file_private.h"
#include "kernel/base/panic.h"
#include "lib/errno.h"
#include "lib/format.h"
#include "lib/string.h"

static struct file *file_of(struct vm_object *object)
{
    size_t offset = object->ops == &file_object_ops ? offsetof(struct file, object)
                                                    : offsetof(struct file, shared_object);

    return (struct file *)((char *)object - offset);
}

static int object_page(struct vm_object *object, uint64_t index, bool write, void **page,
                       bool *slept)
{
    struct vnode *node = file_of(object)->vnode;

    return node->ops->page(node, index, write, page, slept);
}

static void file_object_count(struct file *file, uint32_t by)
{
    uintptr_t state = spinlock_acquire(&file->vnode->lock);

    ASSERT(by == 1 || file->vnode->mapped > 0);
    file->vnode->mapped += by;
    spinlock_release(&file->vnode->lock, state);
}

static void object_hold(struct vm_object *object)
{
    file_hold(file_of(object));
    file_object_count(file_of(object), 1);
}

static void object_release(struct vm_object *object)
{
    file_object_count(file_of(object), UINT32_MAX);
    file_release(file_of(object));
}

static uint64_t object_size(struct vm_object *object)
{
    struct file_stat stat = {.size = 0};

    vnode_stat(file_of(object)->vnode, &stat);
    return stat.size;
}

static void object_name(struct vm_object *object, struct vm_object_name *out)
{
    struct file *file = file_of(object);
    struct vnode *root = fs_root();
    struct file_stat stat = {.number = 0};

    out->name[0] = '\0';
    if (root == NULL || file_path(file, root, out->name, sizeof out->name) < 0)
        strlcpy(out->name, file->name != NULL ? file->name : "(unreachable)", sizeof out->name);
    vnode_release(root);
    vnode_stat(file->vnode, &stat);
    out->device = stat.device;
    out->inode = stat.number;
}

static void file_object_shared_count(struct vm_object *object, uint32_t by)
{
    struct vnode *node = file_of(object)->vnode;
    uintptr_t state = spinlock_acquire(&node->lock);

    node->mapped_writers += by;
    spinlock_release(&node->lock, state);
}

static void file_object_shared_hold(struct vm_object *object)
{
    file_object_shared_count(object, 1);
    object_hold(object);
}

static void file_object_shared_release(struct vm_object *object)
{
    file_object_shared_count(object, UINT32_MAX);
    object_release(object);
}

const struct vm_object_ops file_shared_object_ops = {
    .page = object_page,
    .hold = file_object_shared_hold,
    .release = file_object_shared_release,
    .size = object_size,
    .name = object_name,
};

const struct vm_object_ops file_object_ops = {
    .page = object_page,
    .hold = object_hold,
    .release = object_release,
    .size = object_size,
    .name = object_name,
};

int file_object(struct file *file, bool write, struct vm_object **out)
{
    uint32_t mode = file->flags & O_ACCMODE;

    if (file->flags & O_PATH)
        return -EBADF;
    if (mode == O_WRONLY || (write && mode != O_RDWR))
        return -EACCES;
    if (file->vnode == NULL || file->vnode->type != S_IFREG || file->vnode->ops->page == NULL)
        return -ENODEV;
    file->object.source = file->shared_object.source = file->vnode;
    *out = &file->object;
    object_hold(*out);
    return 0;
}

int file_shared_object(struct file *file, bool write, struct vm_object **out)
{
    int error = file_object(file, write, out);

    if (error != 0)
        return error;
    file_object_shared_count(&file->shared_object, 1);
    *out = &file->shared_object;
    return 0;
}

/* The name in brackets of what has no vnode. */
static const char *file_object_path_kind(uint32_t mode)
{
    switch (mode & S_IFMT) {
    case S_IFIFO:
        return "pipe";
    case S_IFSOCK:
        return "socket";
    default:
        return "anon_inode";
    }
}

static long file_object_path_of_pipe(struct file *file, char *buffer, size_t size)
{
    struct file_stat stat = {.number = 0};
    size_t length;

    if (file->ops->anonymous != NULL) {
        length = format(buffer, size, "anon_inode:[%s]", file->ops->anonymous);
        return length < size ? (long)length + 1 : -ERANGE;
    }
    if (file->ops->stat != NULL)
        file->ops->stat(file, &stat);
    length = format(buffer, size, "%s:[%lu]", file_object_path_kind(stat.mode),
                    (unsigned long)stat.number);
    return length < size ? (long)length + 1 : -ERANGE;
}

#define DELETED " (deleted)"

/* Behind the path of USED bytes, if FILE has no name any more. */
static long file_object_path_end(const struct file *file, char *buffer, size_t size, long used)
{
    struct file_stat stat = {.links = 1};

    vnode_stat(file->vnode, &stat);
    if (stat.links > 0)
        return used;
    if ((size_t)used - 1 + sizeof DELETED > size)
        return -ERANGE;
    memcpy(buffer + used - 1, DELETED, sizeof DELETED);
    return used - 1 + (long)sizeof DELETED;
}

long file_path(struct file *file, struct vnode *root, char *buffer, size_t size)
{
    size_t length;
    long used;

    if (file->vnode == NULL)
        return file_object_path_of_pipe(file, buffer, size);
    if (vnode_is_directory(file->vnode))
        return path_of_directory(file->vnode, root, buffer, size);
    if (file->directory == NULL)
        return -ENOENT;
    used = path_of_directory(file->directory, root, buffer, size);
    if (used < 0)
        return used;
    used -= used == 2 ? 2 : 1; /* without the NUL, and the root's own slash */
    length = strlen(file->name);
    if ((size_t)used + 1 + length + 1 > size)
        return -ERANGE;
    buffer[used] = '/';
    memcpy(buffer + used + 1, file->name, length + 1);
    return file_object_path_end(file, buffer, size, used + 1 + (long)length + 1);
}
