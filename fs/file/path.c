/* SPDX-License-Identifier: BSD-2-Clause */
/* Walks along paths. What has been found last is held; each name is looked for in it. */
#include "fs/file/path.h"
#include "fs/file/file.h"
#include "fs/file/fs_count.h"
#include "kernel/memory/kmem.h"
#include "lib/errno.h"
#include "lib/string.h"

#define LINKS_MAX 40 /* of Linux: MAXSYMLINKS */

static bool path_name_is(struct name name, const char *text)
{
    return name.length == strlen(text) && memcmp(name.text, text, name.length) == 0;
}

bool path_last_is_dots(const struct path_last *last)
{
    return last->name.length == 0 || path_name_is(last->name, ".") ||
           path_name_is(last->name, "..");
}

static void path_go(struct path_last *last, struct vnode *to)
{
    vnode_release(last->directory);
    last->directory = to;
}

/* What covers NODE, whose reference becomes one of the result. */
static struct vnode *path_over_mount(struct vnode *node)
{
    while (node->mounted != NULL) {
        struct vnode *root = vnode_hold(node->mounted);

        vnode_release(node);
        node = root;
    }
    return node;
}

static struct vnode *path_parent(struct path_last *last)
{
    struct vnode *node = last->directory, *parent;

    if (node == last->root)
        return vnode_hold(node);
    while (node->covers != NULL && node->covers != node)
        node = node->covers;
    parent = node->ops->parent(node);
    return path_over_mount(parent);
}

int path_last_lookup(struct path_last *last, struct vnode **out)
{
    struct vnode *node = last->directory;
    int error;

    if (node == NULL)
        return -ENOENT;
    if (last->name.length == 0 || path_name_is(last->name, ".")) {
        *out = vnode_hold(node);
        return 0;
    }
    if (path_name_is(last->name, "..")) {
        *out = path_parent(last);
        return 0;
    }
    fs_count(FS_LOOKUPS, 1);
    error = node->ops->lookup == NULL ? -ENOTDIR : node->ops->lookup(node, last->name, out);
    if (error != 0)
        fs_count(FS_MISSES, 1);
    else
        *out = path_over_mount(*out);
    return error;
}

/* Takes the next name off the rest; what is left of it begins with a name, or is empty. */
static int path_name(struct path_last *last)
{
    const char *at = last->rest;

    while (*at == '/')
        at++;
    last->name.text = at;
    while (*at != '/' && *at != '\0')
        at++;
    last->name.length = (size_t)(at - last->name.text);
    last->slash = *at == '/';
    while (*at == '/')
        at++;
    last->rest = at;
    return last->name.length > NAME_LENGTH ? -ENAMETOOLONG : 0;
}

/* LINK is an open file: the walk goes on from there, with no name yet. */
static int path_jump(struct path_last *last, struct vnode *link)
{
    struct file *file;
    int error = link->ops->follow(link, &file);

    if (error != 0)
        return error;
    last->name.length = 0;
    if (file->vnode == NULL) { /* nothing that a path could go on from */
        path_go(last, NULL);
        file_release(last->file);
        last->file = file;
        return *last->rest == '\0' ? 0 : -ENOTDIR;
    }
    path_go(last, vnode_hold(file->vnode));
    file_release(file);
    return 0;
}

/* The text of LINK and the rest behind it are the rest now. */
static int path_splice(struct path_last *last, struct vnode *link)
{
    size_t rest = strlen(last->rest), used;
    char *text;
    long length;

    if (++last->links > LINKS_MAX)
        return -ELOOP;
    if (link->ops->follow != NULL)
        return path_jump(last, link);
    text = kmem_alloc(PATH_LENGTH);
    if (text == NULL)
        return -ENOMEM;
    length = link->ops->readlink(link, text, PATH_LENGTH - 1);
    used = length < 0 ? 0 : (size_t)length;
    if (length > 0 && used + 1 + rest + 1 > PATH_LENGTH)
        length = -ENAMETOOLONG;
    if (length <= 0) {
        kmem_free(text);
        return length == 0 ? -ENOENT : (int)length;
    }
    if (last->slash)
        text[used++] = '/';
    memcpy(text + used, last->rest, rest + 1);
    kmem_free(last->text);
    last->text = text;
    last->rest = text;
    if (*text == '/')
        path_go(last, vnode_hold(last->root));
    return 0;
}

/* Searchable, and a directory. */
static int path_check(struct path_last *last)
{
    if (!vnode_is_directory(last->directory))
        return -ENOTDIR;
    return vnode_permit(last->directory, &last->walk->who, PERMIT_EXECUTE);
}

/* On to the last name of the rest. */
static int path_advance(struct path_last *last)
{
    for (;;) {
        struct vnode *node;
        int error = path_check(last);

        if (error == 0)
            error = path_name(last);
        if (error != 0 || *last->rest == '\0')
            return error;
        error = path_last_lookup(last, &node);
        if (error != 0)
            return error;
        if (node->type == S_IFLNK) {
            error = path_splice(last, node);
            vnode_release(node);
            if (error != 0)
                return error;
        } else {
            path_go(last, node);
        }
    }
}

static void path_set_start(struct path_last *last, const char *path)
{
    struct vnode *here;

    path_base_get(last->walk->base, &last->root, &here);
    if (*path == '/' || last->walk->start != NULL) {
        vnode_release(here);
        here = vnode_hold(*path == '/' ? last->root : last->walk->start);
    }
    last->directory = here;
}

int path_last_begin(struct path_last *last, const struct path_walk *walk, const char *path)
{
    *last = (struct path_last){.walk = walk, .rest = path};
    if (*path == '\0')
        return -ENOENT;
    if (strnlen(path, PATH_LENGTH) == PATH_LENGTH)
        return -ENAMETOOLONG;
    path_set_start(last, path);
    return path_advance(last);
}

int path_last_follow(struct path_last *last, struct vnode *link)
{
    int error = path_splice(last, link);

    if (error != 0 || (link->ops->follow != NULL && *last->rest == '\0'))
        return error;
    return path_advance(last);
}

void path_last_end(struct path_last *last)
{
    vnode_release(last->directory);
    vnode_release(last->root);
    file_release(last->file);
    kmem_free(last->text);
}

/* The last name's vnode, links followed if it is said so. */
static int path_finish(struct path_last *last, unsigned flags, struct vnode **out)
{
    for (;;) {
        int error = path_last_lookup(last, out);

        if (error != 0)
            return error;
        if ((*out)->type != S_IFLNK || ((flags & PATH_FOLLOW) == 0 && !last->slash))
            return 0;
        error = path_last_follow(last, *out);
        vnode_release(*out);
        if (error != 0)
            return error;
    }
}

int path_lookup(const struct path_walk *walk, const char *path, unsigned flags, struct vnode **out)
{
    struct file *file;
    int error = path_lookup_file(walk, path, flags, out, &file);

    if (error == 0 && file != NULL) {
        file_release(file);
        error = -EINVAL;
    }
    return error;
}

int path_lookup_file(const struct path_walk *walk, const char *path, unsigned flags,
                     struct vnode **out, struct file **file)
{
    struct path_last last;
    bool directory;
    int error;

    *file = NULL;

    if (*path == '\0' && (flags & PATH_EMPTY) != 0) {
        if (walk->start != NULL)
            *out = vnode_hold(walk->start);
        else
            path_base_get(walk->base, NULL, out);
        return 0;
    }
    error = path_last_begin(&last, walk, path);
    if (error == 0)
        error = path_finish(&last, flags, out);
    directory = (flags & PATH_DIRECTORY) != 0 || last.slash;
    if (error == -ENOENT && last.file != NULL) {
        *out = NULL;
        error = directory ? -ENOTDIR : 0;
        if (error == 0)
            *file = file_hold(last.file);
    } else if (error == 0 && directory && !vnode_is_directory(*out)) {
        vnode_release(*out);
        error = -ENOTDIR;
    }
    path_last_end(&last);
    return error;
}

/* Puts DIRECTORY's name before AT; BUFFER is how far it may go. Its parent is DIRECTORY then. */
static int path_prepend(struct vnode **directory, char *buffer, char **at)
{
    char name[NAME_LENGTH + 1];
    struct vnode *node = *directory;
    long length;

    while (node->covers != NULL && node->covers != node)
        node = node->covers;
    length = node->ops->name_of(node, name, sizeof name);
    if (length < 0)
        return (int)length;
    if (*at - buffer < length + 1)
        return -ERANGE;
    *at -= length;
    memcpy(*at, name, (size_t)length);
    *--*at = '/';
    node = path_over_mount(node->ops->parent(node));
    vnode_release(*directory);
    *directory = node;
    return 0;
}

long path_of_directory(struct vnode *directory, struct vnode *root, char *buffer, size_t size)
{
    char *at = buffer + size;
    int error = 0;

    if (size < 2)
        return -ERANGE;
    *--at = '\0';
    directory = vnode_hold(directory);
    while (directory != root && error == 0)
        error = path_prepend(&directory, buffer, &at);
    vnode_release(directory);
    if (error != 0)
        return error;
    if (*at == '\0')
        *--at = '/';
    size -= (size_t)(at - buffer);
    memmove(buffer, at, size);
    return (long)size;
}
