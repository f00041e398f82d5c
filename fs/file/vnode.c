/* SPDX-License-Identifier: BSD-2-Clause */
/* vnodes: references and permissions. */
#include "fs/file/vnode.h"
#include "fs/file/fs_count.h"
#include "kernel/base/panic.h"
#include "lib/errno.h"

void vnode_init(struct vnode *node, const struct vnode_ops *ops, uint32_t type)
{
    *node = (struct vnode){.ops = ops, .type = type, .references = 1};
    spinlock_init(&node->lock, "vnode");
    fs_count(FS_VNODES, 1);
}

struct vnode *vnode_hold(struct vnode *node)
{
    uintptr_t state = spinlock_acquire(&node->lock);

    node->references++;
    spinlock_release(&node->lock, state);
    return node;
}

/* One less; whether it was the last. */
static bool vnode_leave(struct vnode *node)
{
    uintptr_t state = spinlock_acquire(&node->lock);
    bool last;

    ASSERT(node->references > 0);
    last = --node->references == 0;
    spinlock_release(&node->lock, state);
    return last;
}

void vnode_release(struct vnode *node)
{
    while (node != NULL && vnode_leave(node)) { /* a directory that goes leaves its parent */
        fs_count(FS_VNODES, -1);
        node = node->ops->destroy(node);
    }
}

/* BY more writers (or programs, if BY is below 0), if there are only such. */
static int vnode_count_writer(struct vnode *node, int by)
{
    uintptr_t state = spinlock_acquire(&node->lock);
    int error = (by > 0 && node->writers < 0) || (by < 0 && node->writers > 0) ? -ETXTBSY : 0;

    if (error == 0)
        node->writers += by;
    spinlock_release(&node->lock, state);
    return error;
}

static void vnode_uncount_writer(struct vnode *node, int by)
{
    uintptr_t state = spinlock_acquire(&node->lock);

    node->writers -= by;
    spinlock_release(&node->lock, state);
}

int vnode_write_begin(struct vnode *node)
{
    return vnode_count_writer(node, 1);
}

void vnode_write_end(struct vnode *node)
{
    vnode_uncount_writer(node, 1);
}

int vnode_run_begin(struct vnode *node)
{
    return vnode_count_writer(node, -1);
}

void vnode_run_end(struct vnode *node)
{
    vnode_uncount_writer(node, -1);
}

int vnode_stat(struct vnode *node, struct file_stat *out)
{
    *out = (struct file_stat){.device = node->device, .links = 1, .block_size = 4096};
    return node->ops->stat(node, out);
}

static bool vnode_has_data_here(const struct vnode *node)
{
    return node->type == S_IFREG || node->type == S_IFDIR || node->type == S_IFLNK;
}

int vnode_permit(struct vnode *node, const struct credentials *who, unsigned wanted)
{
    struct file_stat stat;
    int error;

    if ((wanted & PERMIT_WRITE) != 0 && node->read_only && vnode_has_data_here(node))
        return -EROFS;
    error = vnode_stat(node, &stat);
    if (error == 0)
        error = credentials_permit(who, stat.mode, stat.uid, stat.gid, wanted);
    return error;
}
