/* SPDX-License-Identifier: BSD-2-Clause */
/* Special files by their numbers, and the tree /dev. */
#include "fs/dev/dev.h"
#include "fs/tree/tree.h"
#include "lib/errno.h"
#include "lib/section.h"
#include "lib/string.h"

static struct spinlock lock = SPINLOCK_INITIALIZER("devices");
static struct device *devices; /* few, and opened seldom */
static SHARED_BSS struct tree dev_tree;
static bool has_tree;

static struct device *dev_find(uint32_t type, uint64_t special)
{
    struct device *device = devices;

    while (device != NULL &&
           (device->type != type || file_device(device->major, device->minor) != special))
        device = device->next;
    return device;
}

static int dev_list(struct device *device)
{
    uintptr_t state = spinlock_acquire(&lock);
    bool there = dev_find(device->type, file_device(device->major, device->minor)) != NULL;

    if (!there) {
        device->next = devices;
        devices = device;
    }
    spinlock_release(&lock, state);
    return there ? -EEXIST : 0;
}

static void dev_unlist(struct device *device)
{
    struct device **at = &devices;
    uintptr_t state = spinlock_acquire(&lock);

    while (*at != device)
        at = &(*at)->next;
    *at = device->next;
    spinlock_release(&lock, state);
}

static struct name dev_name_of(const char *text)
{
    return (struct name){text, strlen(text)};
}

/* Its name in the tree, once there is one. */
static int dev_enter(struct device *device)
{
    struct tree_node *node;
    int error = 0;

    mutex_enter(&dev_tree.lock);
    if (tree_find(dev_tree.root, dev_name_of(device->name)) != NULL)
        error = -EEXIST;
    else
        error = tree_add(dev_tree.root, dev_name_of(device->name), device->type | device->mode,
                         file_device(device->major, device->minor), &credentials_root, &node);
    mutex_exit(&dev_tree.lock);
    return error;
}

int dev_register(struct device *device)
{
    int error = dev_list(device);

    if (error != 0 || !has_tree)
        return error;
    error = dev_enter(device);
    if (error != 0)
        dev_unlist(device);
    return error;
}

int dev_open(struct file *file)
{
    struct file_stat stat;
    struct device *device;
    uintptr_t state;
    int error = vnode_stat(file->vnode, &stat);

    if (error != 0)
        return error;
    state = spinlock_acquire(&lock);
    device = dev_find(file->vnode->type, stat.special);
    spinlock_release(&lock, state);
    if (device == NULL)
        return -ENXIO;
    file->ops = device->ops;
    file->data = device->data;
    return device->open != NULL ? device->open(file) : 0;
}

/* The links that programs expect, and a directory for shm_open. */
static int dev_fill(void)
{
    static const char *const links[][2] = {{"fd", "/proc/self/fd"},
                                           {"stdin", "/proc/self/fd/0"},
                                           {"stdout", "/proc/self/fd/1"},
                                           {"stderr", "/proc/self/fd/2"}};
    struct tree_node *shm;
    int error = tree_add(dev_tree.root, dev_name_of("shm"), S_IFDIR | S_ISVTX | 0777, 0,
                         &credentials_root, &shm);

    for (unsigned i = 0; i < sizeof links / sizeof links[0] && error == 0; i++)
        error = tree_op_symlink(&dev_tree.root->vnode, dev_name_of(links[i][0]), links[i][1],
                                &credentials_root);
    return error;
}

struct vnode *dev_mount(uint64_t device)
{
    int error = tree_create(&dev_tree, "/dev", device, 0x01021994 /* as Linux' tmpfs */, 0755);

    if (error != 0)
        return NULL;
    dev_tree.root->directory.prepare = dev_add_disks;
    error = dev_fill();
    for (struct device *each = devices; each != NULL && error == 0; each = each->next)
        error = dev_enter(each);
    has_tree = true;
    dev_add_memory();
    return error == 0 ? &dev_tree.root->vnode : NULL;
}
