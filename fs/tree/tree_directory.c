/* SPDX-License-Identifier: BSD-2-Clause */
/* Directories of trees: entries by name and by cookie. The tree's lock is held, but for the file
 * that reads one. */
#include "fs/file/file.h"
#include "fs/tree/tree.h"
#include "kernel/memory/kmem.h"
#include "lib/errno.h"
#include "lib/string.h"

void tree_directory_init(struct tree_node *directory, struct tree_node *parent)
{
    struct tree_directory *names = &directory->directory;

    names->parent = parent;
    names->next_cookie = TREE_COOKIE_FIRST;
    hash_table_init(&names->names, names->buckets,
                    sizeof names->buckets / sizeof names->buckets[0]);
}

static void tree_directory_free_buckets(struct tree_directory *directory,
                                        struct hash_link **buckets)
{
    if (buckets != directory->buckets)
        kmem_free(buckets);
}

void tree_directory_end(struct tree_node *directory)
{
    tree_directory_free_buckets(&directory->directory, directory->directory.names.old);
    tree_directory_free_buckets(&directory->directory, directory->directory.names.buckets);
}

static uint32_t tree_directory_name_hash(struct name name)
{
    return hash_end(hash_string(0, name.text, name.length));
}

struct tree_entry *tree_find(struct tree_node *directory, struct name name)
{
    struct hash_link *link =
        hash_table_first(&directory->directory.names, tree_directory_name_hash(name));

    for (; link != NULL; link = hash_table_next(link)) {
        struct tree_entry *entry = HASH_ENTRY(link, struct tree_entry, link);

        if (entry->length == name.length && memcmp(entry->name, name.text, name.length) == 0)
            return entry;
    }
    return NULL;
}

static struct tree_entry *tree_entry_create(struct tree_node *directory, struct name name)
{
    struct tree_entry *entry = kmem_alloc(sizeof *entry + name.length);

    if (entry == NULL)
        return NULL;
    entry->cookie = directory->directory.next_cookie;
    entry->length = (uint32_t)name.length;
    memcpy(entry->name, name.text, name.length);
    if (radix_set(&directory->directory.order, entry->cookie, entry) == 0)
        return entry;
    kmem_free(entry);
    return NULL;
}

/* Without memory it stays as it is, only slower. */
static void tree_directory_grow(struct tree_directory *directory)
{
    void *room = kmem_alloc(hash_table_room(&directory->names));

    if (room != NULL)
        tree_directory_free_buckets(directory, hash_table_grow(&directory->names, room));
}

/* What a directory is besides an entry: it has a parent. */
static void tree_adopt(struct tree_node *parent, struct tree_entry *entry)
{
    struct tree_directory *child = &entry->node->directory;

    if (!vnode_is_directory(&entry->node->vnode))
        return;
    if (child->parent != entry->node)
        vnode_release(&child->parent->vnode);
    vnode_hold(&parent->vnode);
    child->parent = parent;
    child->self = entry;
    parent->directory.directories++;
}

int tree_enter(struct tree_node *directory, struct name name, struct tree_node *node)
{
    struct tree_entry *entry = tree_entry_create(directory, name);

    if (entry == NULL)
        return -ENOMEM;
    directory->directory.next_cookie++;
    entry->node = node;
    vnode_hold(&node->vnode);
    if (hash_table_is_full(&directory->directory.names))
        tree_directory_grow(&directory->directory);
    hash_table_insert(&directory->directory.names, &entry->link, tree_directory_name_hash(name));
    node->links++;
    tree_adopt(directory, entry);
    return 0;
}

struct tree_node *tree_take_out(struct tree_node *directory, struct tree_entry *entry)
{
    struct tree_node *node = entry->node;

    hash_table_remove(&directory->directory.names, &entry->link);
    radix_remove(&directory->directory.order, entry->cookie);
    node->links--;
    if (vnode_is_directory(&node->vnode)) {
        directory->directory.directories--;
        if (node->directory.self == entry)
            node->directory.self = NULL;
    }
    kmem_free(entry);
    return node;
}

/* ENTRY of DIRECTORY is NODE from now on, which was of FORMER. */
static void tree_entry_replace(struct tree_node *directory, struct tree_entry *entry,
                               struct tree_node *former, struct tree_node *node)
{
    entry->node = node;
    if (!vnode_is_directory(&node->vnode))
        return;
    former->directory.directories--;
    tree_adopt(directory, entry);
}

void tree_exchange(struct tree_node *one, struct tree_entry *first, struct tree_node *other,
                   struct tree_entry *second)
{
    struct tree_node *node = first->node;

    tree_entry_replace(one, first, other, second->node);
    tree_entry_replace(other, second, one, node);
}

bool tree_directory_is_empty(const struct tree_node *directory)
{
    return directory->directory.names.count == 0;
}

int tree_add(struct tree_node *directory, struct name name, uint32_t mode, uint64_t special,
             const struct credentials *who, struct tree_node **out)
{
    int error = tree_node_create(directory->tree, mode, special, who, out);

    if (error != 0)
        return error;
    error = tree_enter(directory, name, *out);
    vnode_release(&(*out)->vnode);
    return error;
}

int tree_make_path(struct tree_node *directory, struct name path, struct tree_node **out)
{
    const char *at = path.text, *end = at + path.length;
    int error = 0;

    while (at < end && error == 0) {
        const char *slash = at;
        struct tree_entry *entry;
        struct name name;

        while (slash < end && *slash != '/')
            slash++;
        name = (struct name){at, (size_t)(slash - at)};
        at = slash < end ? slash + 1 : end;
        if (name.length == 0 || (name.length == 1 && *name.text == '.'))
            continue;
        entry = tree_find(directory, name);
        if (entry == NULL)
            error = tree_add(directory, name, S_IFDIR | 0755, 0, &credentials_root, &directory);
        else
            directory = entry->node;
        if (error == 0 && !vnode_is_directory(&directory->vnode))
            error = -ENOTDIR;
    }
    *out = directory;
    return error;
}

/* "." and ".."; false: no room. */
static bool tree_directory_emit_dots(struct tree_node *directory, uint64_t *cookie,
                                     directory_emit *emit, void *argument)
{
    static const char dots[] = "..";

    for (; *cookie < TREE_COOKIE_FIRST; ++*cookie) {
        struct tree_node *node = *cookie == 0 ? directory : directory->directory.parent;

        if (!emit(argument, dots, *cookie + 1, node->number, S_IFDIR, *cookie + 1))
            return false;
    }
    return true;
}

static bool tree_directory_emit_entries(struct tree_node *directory, uint64_t *cookie,
                                        directory_emit *emit, void *argument)
{
    uint64_t index = *cookie;
    struct tree_entry *entry;

    while ((entry = radix_next(&directory->directory.order, &index)) != NULL) {
        if (!emit(argument, entry->name, entry->length, entry->node->number,
                  entry->node->vnode.type, index + 1))
            return false;
        *cookie = ++index;
    }
    return true;
}

static int tree_readdir(struct file *file, uint64_t *cookie, directory_emit *emit, void *argument)
{
    struct tree_node *directory = tree_node(file->vnode);

    if (directory->links == 0 && directory->directory.parent != directory)
        return -ENOENT; /* it is removed */
    if (directory->directory.prepare != NULL && *cookie == 0)
        directory->directory.prepare(directory);
    mutex_enter(&directory->tree->lock);
    (void)(tree_directory_emit_dots(directory, cookie, emit, argument) &&
           tree_directory_emit_entries(directory, cookie, emit, argument));
    mutex_exit(&directory->tree->lock);
    if ((file->flags & O_NOATIME) == 0)
        tree_accessed(directory);
    return 0;
}

const struct file_ops tree_directory_file = {
    .readdir = tree_readdir,
    .seekable = true,
};
