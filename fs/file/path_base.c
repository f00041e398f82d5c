/* SPDX-License-Identifier: BSD-2-Clause */
/* Where paths begin: root, current directory, umask. */
#include "fs/file/calls.h"
#include "fs/file/path.h"
#include "kernel/memory/kmem.h"

static struct path_base *path_base_make(struct vnode *root, struct vnode *here, uint32_t umask)
{
    struct path_base *base = root == NULL ? NULL : kmem_zalloc(sizeof *base);

    if (base == NULL) {
        vnode_release(root);
        vnode_release(here);
        return NULL;
    }
    spinlock_init(&base->lock, "path base");
    base->references = 1;
    base->umask = umask;
    base->root = root;
    base->here = here;
    return base;
}

struct path_base *path_base_create(void)
{
    struct vnode *root = fs_root();

    return path_base_make(root, root == NULL ? NULL : vnode_hold(root), 022);
}

void path_base_get(struct path_base *base, struct vnode **root, struct vnode **here)
{
    uintptr_t state = spinlock_acquire(&base->lock);

    if (root != NULL)
        *root = vnode_hold(base->root);
    if (here != NULL)
        *here = vnode_hold(base->here);
    spinlock_release(&base->lock, state);
}

void path_base_set(struct path_base *base, struct vnode *root, struct vnode *here)
{
    struct vnode *old_root = NULL, *old_here = NULL;
    uintptr_t state = spinlock_acquire(&base->lock);

    if (root != NULL) {
        old_root = base->root;
        base->root = vnode_hold(root);
    }
    if (here != NULL) {
        old_here = base->here;
        base->here = vnode_hold(here);
    }
    spinlock_release(&base->lock, state);
    vnode_release(old_root);
    vnode_release(old_here);
}

struct path_base *path_base_copy(struct path_base *base)
{
    struct vnode *root, *here;

    path_base_get(base, &root, &here);
    return path_base_make(root, here, path_base_umask(base));
}

struct path_base *path_base_hold(struct path_base *base)
{
    uintptr_t state = spinlock_acquire(&base->lock);

    base->references++;
    spinlock_release(&base->lock, state);
    return base;
}

void path_base_release(struct path_base *base)
{
    uintptr_t state = spinlock_acquire(&base->lock);
    bool unused = --base->references == 0;

    spinlock_release(&base->lock, state);
    if (!unused)
        return;
    vnode_release(base->root);
    vnode_release(base->here);
    kmem_free(base);
}

uint32_t path_base_umask(struct path_base *base)
{
    uintptr_t state = spinlock_acquire(&base->lock);
    uint32_t mask = base->umask;

    spinlock_release(&base->lock, state);
    return mask;
}

uint32_t path_base_set_umask(struct path_base *base, uint32_t mask)
{
    uintptr_t state = spinlock_acquire(&base->lock);
    uint32_t old = base->umask;

    base->umask = mask & 0777;
    spinlock_release(&base->lock, state);
    return old;
}
