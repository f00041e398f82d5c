/* SPDX-License-Identifier: BSD-2-Clause */
/* The root: a tree of what the boot archive has, its data where they are, read-only. */
#include "fs/cpio.h"
#include "fs/root.h"
#include "fs/tree/tree.h"
#include "kernel/base/log.h"
#include "kernel/memory/page.h"
#include "lib/errno.h"
#include "lib/section.h"
#include "lib/string.h"

static SHARED_BSS struct tree root_tree;
static bool root_adopted; /* the archive's pages have an owner */

PAGE_OWNER(archive_pages, "boot archive");

static bool root_is_known(uint32_t type)
{
    return type == S_IFREG || type == S_IFDIR || type == S_IFLNK;
}

/* The directory that ENTRY belongs into, and its own name there; none: the root itself. */
static int root_place(struct tree *tree, const struct cpio_entry *entry,
                      struct tree_node **directory, struct name *name)
{
    const char *start = entry->name, *end = start + entry->name_length, *last;

    while (end > start && end[-1] == '/')
        end--;
    for (last = end; last > start && last[-1] != '/';)
        last--;
    *name = (struct name){last, (size_t)(end - last)};
    if (name->length == 1 && *last == '.')
        name->length = 0;
    if (name->length > NAME_LENGTH || (name->length == 2 && memcmp(last, "..", 2) == 0))
        return -EINVAL;
    return tree_make_path(tree->root, (struct name){start, (size_t)(last - start)}, directory);
}

static void root_fill(struct tree_node *node, const struct cpio_entry *entry)
{
    node->mode = entry->mode & 0177777;
    node->uid = entry->uid;
    node->gid = entry->gid;
    node->accessed = node->modified = node->changed = entry->modified * 1000000000ull;
    node->born = 0; /* an archive does not say */
    if (node->vnode.type == S_IFREG && entry->size > 0) {
        node->data.archive = entry->data;
        node->data.size = entry->size;
        node->data.in_place = node->tree->adopted && (uintptr_t)entry->data % PAGE_SIZE == 0;
    } else if (node->vnode.type == S_IFLNK) {
        node->symlink.text = entry->data;
        node->symlink.length = entry->size;
        node->symlink.in_place = true;
    }
}

/* Another name of a file that was there before; it is the last of them that has the data. */
static int root_link(struct tree_node *directory, struct name name, const struct cpio_entry *entry,
                     struct radix *links, struct tree_node **out)
{
    struct tree_node *node = radix_get(links, entry->key);
    int error;

    if (node == NULL || node->vnode.type != S_IFREG)
        return -ENOENT;
    error = tree_enter(directory, name, node);
    if (error == 0)
        *out = node;
    return error;
}

static int root_make(struct tree_node *directory, struct name name, const struct cpio_entry *entry,
                     struct radix *links, struct tree_node **out)
{
    bool linked = entry->links > 1 && (entry->mode & S_IFMT) == S_IFREG;
    int error = linked ? root_link(directory, name, entry, links, out) : -ENOENT;

    if (error != -ENOENT)
        return error;
    error = tree_add(directory, name, entry->mode & 0177777, 0, &credentials_root, out);
    return error == 0 && linked ? radix_set(links, entry->key, *out) : error;
}

static int root_add(struct tree *tree, const struct cpio_entry *entry, struct radix *links)
{
    uint32_t type = entry->mode & S_IFMT;
    struct tree_node *directory, *node = NULL;
    struct tree_entry *there;
    struct name name;
    int error;

    if (!root_is_known(type))
        return 0;
    error = root_place(tree, entry, &directory, &name);
    if (error != 0)
        return error;
    there = name.length == 0 ? NULL : tree_find(directory, name);
    if (name.length == 0)
        node = tree->root;
    else if (there != NULL && type == S_IFDIR && vnode_is_directory(&there->node->vnode))
        node = there->node;
    else if (there != NULL)
        return -EEXIST; /* the first of a name counts */
    else
        error = root_make(directory, name, entry, links, &node);
    if (error == 0 && node->vnode.type == type)
        root_fill(node, entry);
    return error;
}

static void root_forget_links(struct radix *links)
{
    uint64_t key = 0;

    while (radix_next(links, &key) != NULL)
        radix_remove(links, key);
}

int root_unpack(struct tree *tree, const void *data, size_t size)
{
    struct cpio archive = {.data = data, .size = size};
    struct radix links = {.root = NULL};
    struct cpio_entry entry;
    bool damaged = false;
    unsigned refused = 0;

    while (cpio_next(&archive, &entry, &damaged))
        refused += root_add(tree, &entry, &links) != 0;
    root_forget_links(&links);
    if (damaged)
        log_printf("fs: the archive is damaged at byte %lu", (unsigned long)archive.at);
    if (refused > 0)
        log_printf("fs: %u entries of the archive could not be used", refused);
    return damaged ? -EINVAL : 0;
}

void root_adopt(const void *archive, size_t size)
{
    size_t before = -(uintptr_t)archive % PAGE_SIZE;

    if (size >= before + PAGE_SIZE)
        root_adopted = page_adopt(&archive_pages, (void *)((uintptr_t)archive + before),
                                  (size - before) / PAGE_SIZE);
}

struct vnode *root_mount(uint64_t device, const void *archive, size_t size)
{
    static const char *const points[] = {"tmp", "dev", "proc"};
    struct tree_node *made;
    int error = tree_create(&root_tree, "/", device, 0x858458f6 /* RAMFS_MAGIC */, 0755);

    if (error != 0)
        return NULL;
    root_tree.nodes_max = root_tree.pages_max = UINT64_MAX;
    root_tree.adopted = root_adopted;
    root_tree.read_only = true;
    root_tree.root->vnode.read_only = true;
    if (size > 0)
        root_unpack(&root_tree, archive, size);
    for (unsigned i = 0; i < sizeof points / sizeof points[0] && error == 0; i++)
        error = tree_make_path(root_tree.root, (struct name){points[i], strlen(points[i])}, &made);
    return error == 0 ? &root_tree.root->vnode : NULL;
}
