/* SPDX-License-Identifier: BSD-2-Clause */
/* The mount table: four file systems, made when a file is first asked for. */
#include "fs/file/calls.h"
#include "fs/dev/dev.h"
#include "fs/proc/proc.h"
#include "fs/root.h"
#include "fs/tree/tree.h"
#include "lib/errno.h"
#include "lib/section.h"
#include "lib/string.h"

static kmutex_t mounting;
static const void *archive;
static size_t archive_size;
static struct vnode *root;
static SHARED_BSS struct tree tmp_tree;

static struct vnode *mount_tmp(uint64_t device)
{
    int error =
        tree_create(&tmp_tree, "/tmp", device, 0x01021994 /* TMPFS_MAGIC */, S_ISVTX | 0777);

    return error == 0 ? &tmp_tree.root->vnode : NULL;
}

static int mount_unnamed(const struct credentials *who, struct vnode **out)
{
    struct tree_node *node;
    int error = tree_node_create(&tmp_tree, S_IFREG | 0777, 0, who, &node);

    if (error != 0)
        return error;
    node->data.seals = 0;
    *out = &node->vnode;
    return 0;
}

/* TOP covers the directory NAME of the root. */
static int mount_on(struct vnode *below, const char *name, struct vnode *top)
{
    struct vnode *on;
    int error =
        top == NULL ? -ENOMEM : below->ops->lookup(below, (struct name){name, strlen(name)}, &on);

    if (error != 0)
        return error;
    top->covers = on; /* with the reference, for good */
    on->mounted = top;
    return 0;
}

static struct vnode *mount_all(void)
{
    struct vnode *bottom = root_mount(1, archive, archive_size);

    if (bottom == NULL || mount_on(bottom, "tmp", mount_tmp(2)) != 0 ||
        mount_on(bottom, "dev", dev_mount(3)) != 0 || mount_on(bottom, "proc", proc_mount(4)) != 0)
        return NULL;
    return bottom;
}

static struct vnode *mount_root(void)
{
    struct vnode *found = __atomic_load_n(&root, __ATOMIC_ACQUIRE);

    if (found != NULL)
        return vnode_hold(found);
    mutex_enter(&mounting);
    if (root == NULL) {
        found = mount_all();
        __atomic_store_n(&root, found, __ATOMIC_RELEASE);
    }
    found = root;
    mutex_exit(&mounting);
    return found == NULL ? NULL : vnode_hold(found);
}

void fs_set_archive(const void *start, size_t size)
{
    mutex_init(&mounting, "mounts");
    archive = start;
    archive_size = size;
    root_adopt(start, size);
    fs_mounts = (struct fs_mounts){mount_root, mount_unnamed, dev_open};
}
