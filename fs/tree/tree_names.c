/* SPDX-License-Identifier: BSD-2-Clause */
/* What changes the names in a tree. Who may do it was seen to before; what must hold at the moment
 * of the change is looked at here, under the tree's lock. */
#include "fs/file/calls.h"
#include "fs/tree/tree.h"
#include "kernel/memory/kmem.h"
#include "lib/errno.h"
#include "lib/string.h"

#define LINKS_MAX 65000u /* that fit into every stat */

/* A new name in a directory that still has its own. */
static int tree_enter_new(struct tree_node *directory, struct name name, struct tree_node *node)
{
    int error = 0;

    mutex_enter(&directory->tree->lock);
    if (directory->links == 0)
        error = -ENOENT;
    else if (tree_find(directory, name) != NULL)
        error = -EEXIST;
    if (error == 0)
        error = tree_enter(directory, name, node);
    mutex_exit(&directory->tree->lock);
    if (error == 0)
        tree_touch(directory, true);
    return error;
}

/* Of a directory with the set-group-id bit, what is made in it takes over the group. */
static void tree_inherit(struct tree_node *directory, struct tree_node *node)
{
    if ((directory->mode & S_ISGID) == 0)
        return;
    node->gid = directory->gid;
    if (vnode_is_directory(&node->vnode))
        node->mode |= S_ISGID;
}

int tree_op_create(struct vnode *vnode, struct name name, uint32_t mode, uint64_t special,
                   const struct credentials *who, struct vnode **out)
{
    struct tree_node *directory = tree_node(vnode), *node;
    int error = tree_node_create(directory->tree, mode, special, who, &node);

    if (error != 0)
        return error;
    tree_inherit(directory, node);
    error = tree_enter_new(directory, name, node);
    if (error != 0)
        vnode_release(&node->vnode);
    else
        *out = &node->vnode;
    return error;
}

int tree_op_unnamed(struct vnode *vnode, uint32_t mode, bool linkable,
                    const struct credentials *who, struct vnode **out)
{
    struct tree_node *directory = tree_node(vnode), *node;
    int error = tree_node_create(directory->tree, mode, 0, who, &node);

    if (error != 0)
        return error;
    tree_inherit(directory, node);
    node->linkable = linkable;
    *out = &node->vnode;
    return 0;
}

int tree_op_symlink(struct vnode *vnode, struct name name, const char *target,
                    const struct credentials *who)
{
    struct tree_node *directory = tree_node(vnode), *node;
    size_t length = strlen(target);
    char *text;
    int error = tree_node_create(directory->tree, S_IFLNK | 0777, 0, who, &node);

    if (error != 0)
        return error;
    text = kmem_alloc(length + 1);
    if (text != NULL) {
        memcpy(text, target, length + 1);
        node->symlink.text = text;
        node->symlink.length = length;
        tree_inherit(directory, node);
        error = tree_enter_new(directory, name, node);
    } else {
        error = -ENOMEM;
    }
    vnode_release(&node->vnode);
    return error;
}

int tree_op_link(struct vnode *vnode, struct name name, struct vnode *file)
{
    struct tree_node *directory = tree_node(vnode), *node = tree_node(file);
    int error;

    mutex_enter(&directory->tree->lock);
    if ((node->links == 0 && !node->linkable) || directory->links == 0)
        error = -ENOENT;
    else if (node->links >= LINKS_MAX)
        error = -EMLINK;
    else
        error = tree_find(directory, name) != NULL ? -EEXIST : tree_enter(directory, name, node);
    if (error == 0)
        node->linkable = false;
    mutex_exit(&directory->tree->lock);
    if (error == 0) {
        tree_touch(node, false);
        tree_touch(directory, true);
    }
    return error;
}

/* Takes NAME, which must still be NODE, out of DIRECTORY. */
static int tree_remove(struct tree_node *directory, struct name name, struct vnode *node)
{
    struct tree_entry *entry;

    mutex_enter(&directory->tree->lock);
    entry = tree_find(directory, name);
    if (entry == NULL || &entry->node->vnode != node) {
        mutex_exit(&directory->tree->lock);
        return -ENOENT;
    }
    if (vnode_is_directory(node) && !tree_directory_is_empty(entry->node)) {
        mutex_exit(&directory->tree->lock);
        return -ENOTEMPTY;
    }
    tree_take_out(directory, entry);
    mutex_exit(&directory->tree->lock);
    tree_touch(directory, true);
    tree_touch(tree_node(node), false);
    vnode_release(node); /* the entry's */
    return 0;
}

int tree_op_unlink(struct vnode *directory, struct name name, struct vnode *node)
{
    return vnode_is_directory(node) ? -EISDIR : tree_remove(tree_node(directory), name, node);
}

int tree_op_rmdir(struct vnode *directory, struct name name, struct vnode *node)
{
    return vnode_is_directory(node) ? tree_remove(tree_node(directory), name, node) : -ENOTDIR;
}

/* Whether NODE is DIRECTORY or above it. */
static bool tree_names_is_above(const struct tree_node *node, const struct tree_node *directory)
{
    while (directory != node && directory->directory.parent != directory)
        directory = directory->directory.parent;
    return directory == node;
}

static int tree_names_check_target(const struct tree_node *node, struct tree_node *target)
{
    bool directory = vnode_is_directory(&node->vnode);

    if (target == NULL)
        return 0;
    if (vnode_is_directory(&target->vnode) != directory)
        return directory ? -ENOTDIR : -EISDIR;
    return directory && !tree_directory_is_empty(target) ? -ENOTEMPTY : 0;
}

/* What rename moves. */
struct move {
    struct tree_node *from, *to;
    struct tree_entry *old, *over; /* over: what the new name is now, or NULL */
    struct name name;
};

static int tree_names_check_move(const struct move *move, const struct vnode *node,
                                 const struct vnode *target, unsigned flags)
{
    const struct tree_node *over = move->over != NULL ? move->over->node : NULL;

    if (move->old == NULL || &move->old->node->vnode != node || move->to->links == 0)
        return -ENOENT;
    if (over != NULL && (flags & RENAME_NOREPLACE) != 0)
        return -EEXIST;
    if ((over == NULL ? NULL : &over->vnode) != target)
        return -EAGAIN; /* it has changed: the caller looks again */
    if (over == move->old->node)
        return 0; /* two names of one file, or one name: nothing happens */
    if (vnode_is_directory(node) && tree_names_is_above(move->old->node, move->to))
        return -EINVAL;
    if (over != NULL && vnode_is_directory(&over->vnode) && tree_names_is_above(over, move->from))
        return (flags & RENAME_EXCHANGE) != 0 ? -EINVAL : -ENOTEMPTY;
    if ((flags & RENAME_EXCHANGE) != 0)
        return 0;
    return tree_names_check_target(move->old->node, move->over != NULL ? move->over->node : NULL);
}

/* The new name first: only that may fail. For a moment there are two. */
static int tree_names_do_move(const struct move *move, struct tree_node **gone)
{
    struct tree_node *node = move->old->node;
    int error = tree_enter(move->to, move->name, node);

    if (error != 0)
        return error;
    if (move->over != NULL)
        *gone = tree_take_out(move->to, move->over);
    tree_take_out(move->from, move->old);
    vnode_release(&node->vnode); /* the old entry's: the new one has its own */
    return 0;
}

int tree_op_rename(struct vnode *from, struct name old, struct vnode *node, struct vnode *to,
                   struct name new, struct vnode *target, unsigned flags)
{
    struct move move = {.from = tree_node(from), .to = tree_node(to), .name = new};
    struct tree *tree = move.from->tree;
    struct tree_node *gone = NULL;
    bool same;
    int error;

    mutex_enter(&tree->lock);
    move.old = tree_find(move.from, old);
    move.over = tree_find(move.to, new);
    error = tree_names_check_move(&move, node, target, flags);
    same = error == 0 && move.over != NULL && move.over->node == move.old->node;
    if (error == 0 && !same && (flags & RENAME_EXCHANGE) != 0)
        tree_exchange(move.from, move.old, move.to, move.over);
    else if (error == 0 && !same)
        error = tree_names_do_move(&move, &gone);
    mutex_exit(&tree->lock);
    if (error != 0 || same)
        return error;
    tree_touch(move.from, true);
    tree_touch(move.to, true);
    tree_touch(tree_node(node), false);
    if ((flags & RENAME_EXCHANGE) != 0)
        tree_touch(tree_node(target), false);
    if (gone != NULL) {
        tree_touch(gone, false);
        vnode_release(&gone->vnode);
    }
    return 0;
}
