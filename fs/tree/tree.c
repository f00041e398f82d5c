/* SPDX-License-Identifier: BSD-2-Clause */
/* Trees and their nodes: what a vnode of a tree is, apart from names (tree_directory.c,
 * tree_names.c) and data (tree_data.c). */
#include "fs/tree/tree.h"
#include "fs/file/file.h"
#include "fs/pipe/pipe_private.h"
#include "kernel/memory/kmem.h"
#include "kernel/memory/page.h"
#include "kernel/time/clock.h"
#include "lib/errno.h"
#include "lib/string.h"

/* Its number, or 0: there are too many. */
static uint64_t tree_count_node(struct tree *tree)
{
    uintptr_t state = spinlock_acquire(&tree->count_lock);
    uint64_t number = 0;

    if (tree->nodes < tree->nodes_max) {
        tree->nodes++;
        number = tree->next_number++;
    }
    spinlock_release(&tree->count_lock, state);
    return number;
}

static void tree_uncount_node(struct tree *tree)
{
    uintptr_t state = spinlock_acquire(&tree->count_lock);

    tree->nodes--;
    spinlock_release(&tree->count_lock, state);
}

static const struct file_ops *tree_file_ops_of(uint32_t type)
{
    switch (type) {
    case S_IFREG:
        return &tree_regular_file;
    case S_IFDIR:
        return &tree_directory_file;
    default:
        return NULL;
    }
}

static void tree_node_fill(struct tree_node *node, struct tree *tree, uint32_t mode,
                           const struct credentials *who)
{
    vnode_init(&node->vnode, tree->ops, mode & S_IFMT);
    node->vnode.device = tree->device;
    node->vnode.read_only = tree->read_only;
    node->vnode.file_ops = tree_file_ops_of(mode & S_IFMT);
    node->tree = tree;
    node->mode = mode;
    node->uid = who->uid;
    node->gid = who->gid;
    node->accessed = node->modified = node->changed = node->born = clock_wall();
    if (vnode_is_directory(&node->vnode))
        tree_directory_init(node, node);
    else if (node->vnode.type == S_IFREG)
        tree_data_init(&node->data);
}

int tree_node_create(struct tree *tree, uint32_t mode, uint64_t special,
                     const struct credentials *who, struct tree_node **out)
{
    uint64_t number = tree_count_node(tree);
    struct tree_node *node;

    if (number == 0)
        return -ENOSPC;
    node = kmem_zalloc(sizeof *node);
    if (node == NULL) {
        tree_uncount_node(tree);
        return -ENOMEM;
    }
    tree_node_fill(node, tree, mode, who);
    node->number = number;
    node->special = special;
    *out = node;
    return 0;
}

static struct vnode *tree_op_destroy(struct vnode *vnode)
{
    struct tree_node *node = tree_node(vnode), *parent = NULL;

    switch (vnode->type) {
    case S_IFDIR:
        parent = node->directory.parent;
        tree_directory_end(node);
        break;
    case S_IFREG:
        if (tree_has_data(node))
            tree_data_end(node);
        break;
    case S_IFLNK:
        if (!node->symlink.in_place)
            kmem_free((void *)(uintptr_t)node->symlink.text);
        break;
    case S_IFIFO:
        pipe_forget(node->pipe);
        break;
    }
    tree_uncount_node(node->tree);
    kmem_free(node);
    return parent != NULL && parent != node ? &parent->vnode : NULL;
}

void tree_touch(struct tree_node *node, bool modified)
{
    uint64_t now = clock_wall();
    uintptr_t state = spinlock_acquire(&node->vnode.lock);

    node->changed = now;
    if (modified)
        node->modified = now;
    spinlock_release(&node->vnode.lock, state);
}

/* As Linux' relatime: only where it tells something, or after a day. */
void tree_accessed(struct tree_node *node)
{
    uint64_t now;
    uintptr_t state;

    if (node->vnode.read_only)
        return;
    now = clock_wall();
    state = spinlock_acquire(&node->vnode.lock);
    if (node->accessed <= node->modified || node->accessed <= node->changed ||
        now - node->accessed > 86400 * 1000000000ull)
        node->accessed = now;
    spinlock_release(&node->vnode.lock, state);
}

static void tree_stat_size(struct tree_node *node, struct file_stat *out)
{
    if (tree_has_data(node)) {
        out->size = tree_data_size(node);
        out->blocks = tree_data_blocks(node);
    } else if (node->vnode.type == S_IFDIR) {
        out->size = 20 * (TREE_COOKIE_FIRST + (uint64_t)node->directory.names.count);
        out->links = 2 + node->directory.directories;
    } else if (node->vnode.type == S_IFLNK) {
        out->size = node->symlink.length;
    }
}

static int tree_op_stat(struct vnode *vnode, struct file_stat *out)
{
    struct tree_node *node = tree_node(vnode);
    uintptr_t state = spinlock_acquire(&vnode->lock);

    out->number = node->number;
    out->mode = node->mode;
    out->links = node->links;
    out->uid = node->uid;
    out->gid = node->gid;
    out->special = node->special;
    out->accessed = node->accessed;
    out->modified = node->modified;
    out->changed = node->changed;
    out->born = node->born;
    spinlock_release(&vnode->lock, state);
    tree_stat_size(node, out);
    if (vnode->type == S_IFDIR && node->links == 0)
        out->links = 0; /* removed */
    return 0;
}

static void tree_set_time(uint64_t *time, uint64_t to, uint64_t now)
{
    if (to != FILE_TIME_OMIT)
        *time = to == FILE_TIME_NOW ? now : to;
}

static int tree_op_setattr(struct vnode *vnode, const struct vnode_change *change)
{
    struct tree_node *node = tree_node(vnode);
    uint64_t now = clock_wall();
    uintptr_t state;

    if (change->set & ATTR_PLAIN)
        tree_drop_set_id(node);
    if (change->set & ATTR_SIZE)
        return tree_has_data(node) ? tree_data_truncate(node, change->size) : 0;
    state = spinlock_acquire(&vnode->lock);
    if (change->set & ATTR_MODE)
        node->mode = (node->mode & S_IFMT) | (change->mode & ~S_IFMT);
    if (change->set & ATTR_UID)
        node->uid = change->uid;
    if (change->set & ATTR_GID)
        node->gid = change->gid;
    if (change->set & ATTR_TIMES) {
        tree_set_time(&node->accessed, change->accessed, now);
        tree_set_time(&node->modified, change->modified, now);
    }
    node->changed = now;
    spinlock_release(&vnode->lock, state);
    return 0;
}

static long tree_op_readlink(struct vnode *vnode, char *buffer, size_t size)
{
    struct tree_node *node = tree_node(vnode);

    if (vnode->type != S_IFLNK)
        return -EINVAL;
    if (size > node->symlink.length)
        size = node->symlink.length;
    memcpy(buffer, node->symlink.text, size);
    tree_accessed(node);
    return (long)size;
}

static int tree_op_statfs(struct vnode *vnode, struct fs_stat *out)
{
    struct tree *tree = tree_node(vnode)->tree;
    uintptr_t state = spinlock_acquire(&tree->count_lock);

    *out = (struct fs_stat){.type = tree->magic,
                            .block_size = PAGE_SIZE,
                            .name_max = NAME_LENGTH,
                            .flags = tree->read_only ? 1 : 0, /* ST_RDONLY */
                            .blocks = tree->pages_max,
                            .blocks_free = tree->pages_max - tree->pages,
                            .files = tree->nodes_max,
                            .files_free = tree->nodes_max - tree->nodes};
    spinlock_release(&tree->count_lock, state);
    return 0;
}

static int tree_find_vnode(struct tree_node *directory, struct name name, struct vnode **out)
{
    struct tree_entry *entry;

    mutex_enter(&directory->tree->lock);
    entry = tree_find(directory, name);
    if (entry != NULL)
        *out = vnode_hold(&entry->node->vnode);
    mutex_exit(&directory->tree->lock);
    return entry != NULL ? 0 : -ENOENT;
}

static int tree_op_lookup(struct vnode *vnode, struct name name, struct vnode **out)
{
    struct tree_node *directory = tree_node(vnode);
    int error;

    if (vnode->type != S_IFDIR)
        return -ENOTDIR;
    error = tree_find_vnode(directory, name, out);
    if (error == 0 || directory->directory.prepare == NULL)
        return error;
    directory->directory.prepare(directory);
    return tree_find_vnode(directory, name, out);
}

static struct vnode *tree_op_parent(struct vnode *vnode)
{
    struct tree_node *directory = tree_node(vnode);
    struct vnode *parent;

    mutex_enter(&directory->tree->lock);
    parent = vnode_hold(&directory->directory.parent->vnode);
    mutex_exit(&directory->tree->lock);
    return parent;
}

static long tree_op_name_of(struct vnode *vnode, char *buffer, size_t size)
{
    struct tree_node *directory = tree_node(vnode);
    struct tree_entry *entry;
    long length = -ENOENT;

    mutex_enter(&directory->tree->lock);
    entry = directory->directory.self;
    if (entry != NULL && entry->length <= size) {
        memcpy(buffer, entry->name, entry->length);
        length = (long)entry->length;
    } else if (entry != NULL) {
        length = -ERANGE;
    }
    mutex_exit(&directory->tree->lock);
    return length;
}

static int tree_op_open(struct vnode *vnode, struct file *file)
{
    return vnode->type == S_IFIFO ? pipe_open(&tree_node(vnode)->pipe, file) : 0;
}

const struct vnode_ops tree_ops = {
    .lookup = tree_op_lookup,
    .parent = tree_op_parent,
    .name_of = tree_op_name_of,
    .create = tree_op_create,
    .unnamed = tree_op_unnamed,
    .symlink = tree_op_symlink,
    .link = tree_op_link,
    .unlink = tree_op_unlink,
    .rmdir = tree_op_rmdir,
    .rename = tree_op_rename,
    .readlink = tree_op_readlink,
    .stat = tree_op_stat,
    .setattr = tree_op_setattr,
    .open = tree_op_open,
    .allocate = tree_op_allocate,
    .page = tree_op_page,
    .statfs = tree_op_statfs,
    .destroy = tree_op_destroy,
};

int tree_create(struct tree *tree, const char *name, uint64_t device, uint32_t magic, uint32_t mode)
{
    struct page_stats pages;
    int error;

    page_stats_get(&pages);
    *tree = (struct tree){.ops = &tree_ops,
                          .device = device,
                          .magic = magic,
                          .next_number = 1,
                          .nodes_max = pages.total / 2,
                          .pages_max = pages.total / 2};
    mutex_init(&tree->lock, name);
    spinlock_init(&tree->count_lock, "tree counts");
    error = tree_node_create(tree, S_IFDIR | mode, 0, &credentials_root, &tree->root);
    if (error == 0)
        tree->root->links = 1;
    return error;
}

void tree_destroy(struct tree *tree)
{
    struct tree_node *at = tree->root;

    while (at != NULL) { /* depth first, without recursion */
        uint64_t cookie = 0;
        struct tree_entry *entry = radix_next(&at->directory.order, &cookie);
        struct tree_node *parent = at->directory.parent;

        if (entry != NULL && vnode_is_directory(&entry->node->vnode) &&
            !tree_directory_is_empty(entry->node)) {
            at = entry->node;
        } else if (entry != NULL) {
            vnode_release(&tree_take_out(at, entry)->vnode);
        } else {
            at = at == tree->root ? NULL : parent;
        }
    }
    vnode_release(&tree->root->vnode);
    mutex_destroy(&tree->lock);
}
