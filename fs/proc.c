/* SPDX-License-Identifier: BSD-2-Clause */
/* The tree /proc: files that are no process's, under any path. */
#include "fs/proc.h"
#include "fs/mount.h"
#include "fs/proc_private.h"
#include "kernel/process/process.h"
#include "lib/errno.h"
#include "lib/string.h"

static struct tree proc_tree;
static bool has_tree;
static struct spinlock lock = SPINLOCK_INITIALIZER("proc files");
static struct proc_file *files; /* those that came before the tree */

static long proc_op_readlink(struct vnode *vnode, char *buffer, size_t size)
{
    if (vnode->type != S_IFLNK)
        return -EINVAL;
    return proc_file_readlink(tree_node(vnode)->owner, NULL, buffer, size);
}

static int proc_op_open(struct vnode *vnode, struct file *file)
{
    if (vnode->type != S_IFREG)
        return 0;
    return proc_file_open(file, tree_node(vnode)->owner, NULL);
}

static struct vnode *proc_op_destroy(struct vnode *vnode)
{
    if (vnode->type == S_IFLNK)
        tree_node(vnode)->symlink.in_place = true; /* its text is not there */
    return tree_op_destroy(vnode);
}

static const struct vnode_ops proc_tree_ops = {
    .lookup = tree_op_lookup,
    .parent = tree_op_parent,
    .name_of = tree_op_name_of,
    .readlink = proc_op_readlink,
    .stat = tree_op_stat,
    .open = proc_op_open,
    .statfs = tree_op_statfs,
    .destroy = proc_op_destroy,
};

static int proc_enter(struct proc_file *file)
{
    const char *slash = strrchr(file->name, '/');
    struct name path = {file->name, slash == NULL ? 0 : (size_t)(slash - file->name)};
    struct name name = {slash == NULL ? file->name : slash + 1, 0};
    uint32_t mode = (file->mode & S_IFMT) == 0 ? file->mode | S_IFREG : file->mode;
    struct tree_node *directory, *node;
    int error;

    name.length = strlen(name.text);
    mutex_enter(&proc_tree.lock);
    error = tree_make_path(proc_tree.root, path, &directory);
    if (error == 0 && tree_find(directory, name) != NULL)
        error = -EEXIST;
    if (error == 0)
        error = tree_add(directory, name, mode, 0, &credentials_root, &node);
    if (error == 0) {
        node->vnode.file_ops = &proc_file_ops;
        node->owner = file;
    }
    mutex_exit(&proc_tree.lock);
    return error;
}

int proc_register(struct proc_file *file)
{
    uintptr_t state;

    if (has_tree)
        return proc_enter(file);
    state = spinlock_acquire(&lock);
    file->next = files;
    files = file;
    spinlock_release(&lock, state);
    return 0;
}

static int proc_make_self(struct proc_text *text, struct process *process, void *argument)
{
    (void)process;
    (void)argument;
    proc_printf(text, "%u", process_current()->id);
    return 0;
}

struct vnode *proc_mount(uint64_t device)
{
    static struct proc_file self = {.name = "self", .mode = S_IFLNK | 0777, .make = proc_make_self};

    if (tree_create(&proc_tree, "/proc", device, 0x9fa0 /* PROC_SUPER_MAGIC */, 0555) != 0)
        return NULL;
    proc_tree.ops = &proc_tree_ops;
    proc_tree.root->vnode.ops = &proc_tree_ops;
    proc_tree.root->directory.extra = &proc_processes;
    proc_processes_boot(&proc_tree.root->vnode);
    has_tree = true;
    proc_register(&self);
    proc_add_system();
    proc_add_stat();
    while (files != NULL) {
        struct proc_file *file = files;

        files = file->next;
        proc_enter(file);
    }
    return &proc_tree.root->vnode;
}
