/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * /proc/PID: directories that are made when somebody looks for them, and go when nobody has them
 * any more. All have the same files. A process that is held this way does not vanish, it is only
 * gone: then its files are -ESRCH to read.
 */
#include "fs/proc/proc_private.h"
#include "kernel/memory/kmem.h"
#include "kernel/process/process.h"
#include "kernel/time/clock.h"
#include "lib/errno.h"
#include "lib/format.h"
#include "lib/string.h"

#define NUMBER_MAX 10 /* digits */
#define PADDED     5  /* the same in System V's form */

struct proc_node {
    struct vnode vnode;
    struct process *process;      /* held */
    const struct proc_file *file; /* NULL: the directory */
    uint64_t made;
};

static struct spinlock lock = SPINLOCK_INITIALIZER("proc names");
static struct proc_file *files; /* of every process */
static struct vnode *proc_root;
static void (*owner_of)(struct process *process, uint32_t *uid, uint32_t *gid);
static proc_ioctl *ioctl_of;
static const struct vnode_ops proc_node_ops;
static const struct file_ops proc_directory_ops;

static struct proc_node *proc_node(struct vnode *vnode)
{
    return (struct proc_node *)vnode;
}

void proc_processes_boot(struct vnode *root)
{
    proc_root = root;
}

void proc_set_owner(void (*owner)(struct process *process, uint32_t *uid, uint32_t *gid))
{
    owner_of = owner;
}

void proc_set_ioctl(proc_ioctl *ioctl)
{
    ioctl_of = ioctl;
}

int proc_register_process(struct proc_file *file)
{
    uintptr_t state = spinlock_acquire(&lock);
    struct name name = {file->name, strlen(file->name)};
    bool there = proc_list_find(files, name) != NULL;

    if (!there) {
        file->next = files;
        files = file;
    }
    spinlock_release(&lock, state);
    return there ? -EEXIST : 0;
}

/* PROCESS's reference becomes the node's, also on failure. */
static int proc_node_make(struct process *process, const struct proc_file *file, struct vnode **out)
{
    struct proc_node *node = kmem_zalloc(sizeof *node);
    uint32_t type = file == NULL ? S_IFDIR : file->mode & S_IFMT;

    if (node == NULL) {
        process_release(process);
        return -ENOMEM;
    }
    vnode_init(&node->vnode, &proc_node_ops, type == 0 ? S_IFREG : type);
    node->vnode.file_ops = file == NULL ? &proc_directory_ops : &proc_file_ops;
    node->vnode.device = proc_root->device;
    node->process = process;
    node->file = file;
    node->made = clock_wall();
    *out = &node->vnode;
    return 0;
}

static struct vnode *proc_node_destroy(struct vnode *vnode)
{
    struct proc_node *node = proc_node(vnode);

    process_release(node->process);
    kmem_free(node);
    return NULL;
}

/* A number, or 0. Leading zeroes only where they fill five digits: /proc/00042. */
static uint32_t proc_process_parse_number(struct name name)
{
    uint32_t number = 0;

    if (name.length > NUMBER_MAX - 1 || (name.text[0] == '0' && name.length != PADDED))
        return 0;
    for (size_t i = 0; i < name.length; i++) {
        if (name.text[i] < '0' || name.text[i] > '9')
            return 0;
        number = number * 10 + (uint32_t)(name.text[i] - '0');
    }
    return number;
}

int proc_process_lookup(struct name name, struct vnode **out)
{
    uint32_t id = proc_process_parse_number(name);
    struct process *process = id == 0 ? NULL : process_find(id);

    return process == NULL ? -ENOENT : proc_node_make(process, NULL, out);
}

int proc_process_readdir(uint64_t *cookie, directory_emit *emit, void *argument)
{
    uint32_t last = *cookie < PROC_PROCESSES ? 0 : (uint32_t)(*cookie - PROC_PROCESSES);
    struct process *process;
    bool room = true;

    while (room && (process = process_next(last)) != NULL) {
        char name[NUMBER_MAX + 1];
        size_t length = format(name, sizeof name, "%u", process->id);
        uint64_t number = PROC_PROCESSES + process->id;

        room = emit(argument, name, length, number, S_IFDIR, number);
        if (room)
            last = process->id;
        process_release(process);
    }
    *cookie = PROC_PROCESSES + last;
    return 0;
}

static int proc_node_lookup(struct vnode *vnode, struct name name, struct vnode **out)
{
    struct proc_node *node = proc_node(vnode);
    const struct proc_file *file;
    uintptr_t state;

    if (node->file != NULL)
        return -ENOTDIR;
    state = spinlock_acquire(&lock);
    file = proc_list_find(files, name);
    spinlock_release(&lock, state);
    if (file == NULL)
        return -ENOENT;
    if ((file->mode & S_IFMT) == S_IFDIR)
        return proc_descriptors_make(vnode, node->process, out);
    process_hold(node->process);
    return proc_node_make(node->process, file, out);
}

static struct vnode *proc_node_parent(struct vnode *vnode)
{
    (void)vnode;
    return vnode_hold(proc_root);
}

static long proc_node_name(struct vnode *vnode, char *buffer, size_t size)
{
    size_t length = format(buffer, size, "%u", proc_node(vnode)->process->id);

    return length < size ? (long)length : -ERANGE;
}

static int proc_node_stat(struct vnode *vnode, struct file_stat *out)
{
    struct proc_node *node = proc_node(vnode);

    out->number = PROC_PROCESSES + node->process->id;
    out->mode = node->file == NULL ? S_IFDIR | 0555 : vnode->type | (node->file->mode & 07777);
    out->links = node->file == NULL ? 2 : 1;
    out->accessed = out->modified = out->changed = node->made;
    if (owner_of != NULL)
        owner_of(node->process, &out->uid, &out->gid);
    return 0;
}

static bool proc_process_is_gone(const struct proc_node *node)
{
    return node->process->state == PROCESS_GONE;
}

static int proc_node_open(struct vnode *vnode, struct file *file)
{
    struct proc_node *node = proc_node(vnode);

    if (node->file == NULL)
        return 0;
    return proc_process_is_gone(node) ? -ESRCH : proc_file_open(file, node->file, node->process);
}

static long proc_node_readlink(struct vnode *vnode, char *buffer, size_t size)
{
    struct proc_node *node = proc_node(vnode);

    if (vnode->type != S_IFLNK)
        return -EINVAL;
    return proc_process_is_gone(node) ? -ENOENT
                                      : proc_file_readlink(node->file, node->process, buffer, size);
}

static int proc_node_statfs(struct vnode *vnode, struct fs_stat *out)
{
    (void)vnode;
    return proc_root->ops->statfs(proc_root, out);
}

static const struct vnode_ops proc_node_ops = {
    .lookup = proc_node_lookup,
    .parent = proc_node_parent,
    .name_of = proc_node_name,
    .readlink = proc_node_readlink,
    .stat = proc_node_stat,
    .open = proc_node_open,
    .statfs = proc_node_statfs,
    .opens_to_write = true,
    .destroy = proc_node_destroy,
};

/* "." and ".." are 0 and 1, files follow in the order of the list, the youngest first: it grows
 * only while the system starts. */
static int proc_node_readdir(struct file *file, uint64_t *cookie, directory_emit *emit,
                             void *argument)
{
    uint64_t number = PROC_PROCESSES + proc_node(file->vnode)->process->id, at = 2;
    const struct proc_file *each = files;

    for (; *cookie < 2; ++*cookie)
        if (!emit(argument, "..", *cookie + 1, number, S_IFDIR, *cookie + 1))
            return 0;
    for (; each != NULL; each = each->next, at++) {
        uint32_t type = each->mode & S_IFMT;

        if (at < *cookie)
            continue;
        if (!emit(argument, each->name, strlen(each->name), number, type == 0 ? S_IFREG : type,
                  at + 1))
            return 0;
        *cookie = at + 1;
    }
    return 0;
}

static long proc_node_ioctl(struct file *file, uint32_t command, uintptr_t argument, bool user)
{
    struct process *process = proc_node(file->vnode)->process;

    return ioctl_of == NULL ? -ENOTTY : ioctl_of(process, command, argument, user);
}

static const struct file_ops proc_directory_ops = {
    .readdir = proc_node_readdir,
    .ioctl = proc_node_ioctl,
    .seekable = true,
};
