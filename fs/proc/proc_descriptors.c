/* SPDX-License-Identifier: BSD-2-Clause */
/* /proc/PID/fd: a link for each descriptor. It reads as the path by which the file was opened, and
 * leads to the file itself, whatever has become of that path. */
#include "fs/file/file.h"
#include "fs/file/file_table.h"
#include "fs/proc/proc_private.h"
#include "kernel/memory/kmem.h"
#include "kernel/process/process.h"
#include "kernel/time/clock.h"
#include "lib/errno.h"
#include "lib/format.h"
#include "lib/string.h"

#define DIRECTORY   (-1)
#define DIGITS      11
#define FIRST       2 /* cookies of "." and ".." are below */
#define NUMBER_BASE ((uint64_t)1 << 44)

struct proc_descriptor {
    struct vnode vnode;
    struct vnode *process_node; /* a reference: /proc/PID */
    struct process *process;    /* held */
    int number;                 /* or DIRECTORY */
    uint64_t made;
};

static int (*files_of)(struct process *process, struct file_table **out);
static const struct vnode_ops descriptor_ops;
static const struct file_ops descriptor_directory;

static struct proc_descriptor *proc_descriptor(struct vnode *vnode)
{
    return (struct proc_descriptor *)vnode;
}

void proc_set_files(int (*files)(struct process *process, struct file_table **out))
{
    files_of = files;
}

static int descriptor_make(struct vnode *process_node, struct process *process, int number,
                           struct vnode **out)
{
    struct proc_descriptor *node = kmem_zalloc(sizeof *node);

    if (node == NULL)
        return -ENOMEM;
    vnode_init(&node->vnode, &descriptor_ops, number == DIRECTORY ? S_IFDIR : S_IFLNK);
    node->vnode.file_ops = &descriptor_directory;
    node->vnode.device = process_node->device;
    node->process_node = vnode_hold(process_node);
    process_hold(process);
    node->process = process;
    node->number = number;
    node->made = clock_wall();
    *out = &node->vnode;
    return 0;
}

int proc_descriptors_make(struct vnode *process_node, struct process *process, struct vnode **out)
{
    return files_of == NULL ? -ENOENT : descriptor_make(process_node, process, DIRECTORY, out);
}

static struct vnode *proc_descriptors_destroy(struct vnode *vnode)
{
    struct proc_descriptor *node = proc_descriptor(vnode);
    struct vnode *above = node->process_node;

    process_release(node->process);
    kmem_free(node);
    return above;
}

/* What the link leads to, with a reference. */
static int proc_descriptors_file(const struct proc_descriptor *node, struct file **out)
{
    struct file_table *table;
    int error = files_of(node->process, &table);

    if (error != 0)
        return error;
    *out = file_table_get(table, node->number);
    file_table_release(table);
    return *out == NULL ? -ENOENT : 0;
}

static int proc_descriptors_parse_descriptor(struct name name)
{
    int64_t number = 0;

    if (name.length == 0 || name.length >= DIGITS || (name.text[0] == '0' && name.length > 1))
        return -1;
    for (size_t i = 0; i < name.length; i++) {
        if (name.text[i] < '0' || name.text[i] > '9')
            return -1;
        number = number * 10 + (name.text[i] - '0');
    }
    return number <= INT32_MAX ? (int)number : -1;
}

static int proc_descriptors_lookup(struct vnode *vnode, struct name name, struct vnode **out)
{
    struct proc_descriptor *node = proc_descriptor(vnode);
    struct proc_descriptor wanted = {.process = node->process,
                                     .number = proc_descriptors_parse_descriptor(name)};
    struct file *file;
    int error;

    if (node->number != DIRECTORY)
        return -ENOTDIR;
    if (wanted.number < 0)
        return -ENOENT;
    error = proc_descriptors_file(&wanted, &file);
    if (error != 0)
        return error;
    file_release(file);
    return descriptor_make(node->process_node, node->process, wanted.number, out);
}

static struct vnode *proc_descriptors_parent(struct vnode *vnode)
{
    return vnode_hold(proc_descriptor(vnode)->process_node);
}

static long proc_descriptors_name(struct vnode *vnode, char *buffer, size_t size)
{
    (void)vnode;
    return strlcpy(buffer, "fd", size) < size ? 2 : -ERANGE;
}

/* A link's rights are its file's: read, write. */
static uint32_t descriptor_mode(const struct proc_descriptor *node)
{
    struct file *file;
    uint32_t mode;

    if (node->number == DIRECTORY)
        return S_IFDIR | 0500;
    if (proc_descriptors_file(node, &file) != 0)
        return S_IFLNK;
    mode = file->flags & O_ACCMODE;
    mode = mode == O_RDONLY ? 0500 : mode == O_WRONLY ? 0300 : 0700;
    file_release(file);
    return S_IFLNK | mode;
}

static int proc_descriptors_stat(struct vnode *vnode, struct file_stat *out)
{
    struct proc_descriptor *node = proc_descriptor(vnode);
    struct file_stat above;
    int error = vnode_stat(node->process_node, &above);

    out->number = NUMBER_BASE + ((uint64_t)node->process->id << 24) + (uint32_t)(node->number + 1);
    out->mode = descriptor_mode(node);
    out->links = node->number == DIRECTORY ? 2 : 1;
    out->size = node->number == DIRECTORY ? 0 : 64;
    out->accessed = out->modified = out->changed = node->made;
    out->uid = above.uid;
    out->gid = above.gid;
    return error;
}

static long proc_descriptors_readlink(struct vnode *vnode, char *buffer, size_t size)
{
    struct vnode *root = fs_root();
    struct file *file;
    char *path;
    long length;
    int error = proc_descriptors_file(proc_descriptor(vnode), &file);

    if (error != 0) {
        vnode_release(root);
        return error;
    }
    path = kmem_alloc(PATH_LENGTH);
    length = path == NULL ? -ENOMEM : file_path(file, root, path, PATH_LENGTH) - 1;
    if (length > (long)size)
        length = (long)size;
    if (length > 0)
        memcpy(buffer, path, (size_t)length);
    kmem_free(path);
    file_release(file);
    vnode_release(root);
    return length < 0 ? -ENOENT : length;
}

static int proc_descriptors_follow(struct vnode *vnode, struct file **out)
{
    return proc_descriptors_file(proc_descriptor(vnode), out);
}

static const struct vnode_ops descriptor_ops = {
    .lookup = proc_descriptors_lookup,
    .parent = proc_descriptors_parent,
    .name_of = proc_descriptors_name,
    .readlink = proc_descriptors_readlink,
    .follow = proc_descriptors_follow,
    .stat = proc_descriptors_stat,
    .destroy = proc_descriptors_destroy,
};

static int proc_descriptors_readdir(struct file *file, uint64_t *cookie, directory_emit *emit,
                                    void *argument)
{
    struct proc_descriptor *node = proc_descriptor(file->vnode);
    struct file_table *table;
    char name[DIGITS + 1];
    int number, error;

    for (; *cookie < FIRST; ++*cookie)
        if (!emit(argument, "..", *cookie + 1, NUMBER_BASE, S_IFDIR, *cookie + 1))
            return 0;
    error = files_of(node->process, &table);
    if (error != 0)
        return error;
    while ((number = file_table_next(table, (int)(*cookie - FIRST))) >= 0) {
        size_t length = format(name, sizeof name, "%d", number);

        if (!emit(argument, name, length, NUMBER_BASE + (uint32_t)number, S_IFLNK,
                  (uint64_t)number + FIRST + 1))
            break;
        *cookie = (uint64_t)number + FIRST + 1;
    }
    file_table_release(table);
    return 0;
}

static const struct file_ops descriptor_directory = {
    .readdir = proc_descriptors_readdir,
    .seekable = true,
};
