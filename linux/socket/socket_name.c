/* SPDX-License-Identifier: BSD-2-Clause */
/* What sockets are called: paths, whose vnode stands for them, and names that are no paths. */
#include "fs/file/calls.h"
#include "fs/file/path.h"
#include "kernel/memory/kmem.h"
#include "lib/format.h"
#include "lib/string.h"
#include "linux/program/program_private.h"
#include "linux/socket/socket.h"
#include "lib/section.h"

static SHARED_BSS struct hash_link *socket_buckets[64];
static struct hash_table socket_names = HASH_TABLE_INITIALIZER(socket_buckets);

static uint32_t socket_hash(const struct vnode *vnode, const struct socket_name *name)
{
    return hash_end(vnode ? hash_number(0, (uintptr_t)vnode)
                          : hash_string(0, name->text, name->length));
}

static struct socket *socket_named(const struct vnode *vnode, const struct socket_name *name)
{
    struct hash_link *link = hash_table_first(&socket_names, socket_hash(vnode, name));

    for (; link; link = hash_table_next(link)) {
        struct socket *socket = HASH_ENTRY(link, struct socket, by_name);

        if (vnode ? socket->vnode == vnode
                  : !socket->vnode && socket->name.length == name->length &&
                        memcmp(socket->name.text, name->text, name->length) == 0)
            return socket;
    }
    return NULL;
}

static void socket_enter(struct socket *socket, struct vnode *vnode, const struct socket_name *name)
{
    struct hash_link **spare;
    void *room = NULL;

    if (hash_table_is_full(&socket_names))
        room = kmem_alloc(hash_table_room(&socket_names));
    if (room) {
        spare = hash_table_grow(&socket_names, room);
        if (spare != socket_buckets)
            kmem_free(spare);
    }
    socket->vnode = vnode;
    socket->name = *name;
    socket->bound = true;
    hash_table_insert(&socket_names, &socket->by_name, socket_hash(vnode, name));
}

void socket_unbind(struct socket *socket)
{
    if (!socket->bound)
        return;
    hash_table_remove(&socket_names, &socket->by_name);
    socket->bound = false;
    vnode_release(socket->vnode);
    socket->vnode = NULL;
}

/* Its path becomes a file. */
static int socket_bind_path(struct socket *socket, const struct socket_name *name)
{
    struct path_walk walk;
    struct vnode *vnode;
    int error = call_walk_begin(&walk, AT_FDCWD, "");

    if (error == 0)
        error = fs_mknod(&walk, name->text, S_IFSOCK | 0777, 0);
    if (error == 0)
        error = path_lookup(&walk, name->text, 0, &vnode);
    if (error != 0)
        return error == -EEXIST ? -EADDRINUSE : error;
    socket_enter(socket, vnode, name);
    return 0;
}

static bool socket_path_is_used(const struct socket_name *name)
{
    struct path_walk walk;
    struct vnode *vnode;

    if (call_walk_begin(&walk, AT_FDCWD, "") != 0 || path_lookup(&walk, name->text, 0, &vnode) != 0)
        return false;
    vnode_release(vnode);
    return true;
}

/* A name that nobody has. */
static void socket_name_free(struct socket_name *name)
{
    static uint32_t last;

    do {
        char text[8];

        format(text, sizeof text, "%05x", ++last & 0xfffff);
        name->length = 6;
        name->text[0] = '\0';
        memcpy(name->text + 1, text, 5);
    } while (socket_named(NULL, name));
}

int socket_bind(struct socket *socket, const struct socket_name *name)
{
    struct socket_name own = *name;

    if (socket->name.length != 0)
        return own.length != 0 && own.text[0] != '\0' && socket_path_is_used(&own) ? -EADDRINUSE
                                                                                   : -EINVAL;
    if (own.length == 0)
        socket_name_free(&own);
    if (own.text[0] != '\0')
        return socket_bind_path(socket, &own);
    if (socket_named(NULL, &own))
        return -EADDRINUSE;
    socket_enter(socket, NULL, &own);
    return 0;
}

static int socket_find_path(const struct socket_name *name, struct socket **out)
{
    struct path_walk walk;
    struct vnode *vnode;
    int error = call_walk_begin(&walk, AT_FDCWD, "");

    if (error == 0)
        error = path_lookup(&walk, name->text, PATH_FOLLOW, &vnode);
    if (error != 0)
        return error;
    error = vnode_permit(vnode, &walk.who, PERMIT_WRITE);
    if (error == 0 && vnode->type != S_IFSOCK)
        error = -ECONNREFUSED;
    *out = error == 0 ? socket_named(vnode, name) : NULL;
    vnode_release(vnode);
    return error != 0 ? error : *out ? 0 : -ECONNREFUSED;
}

int socket_find(const struct socket *asks, const struct socket_name *name, struct socket **out)
{
    int error = 0;

    if (name->length == 0)
        return -EINVAL;
    if (name->text[0] != '\0')
        error = socket_find_path(name, out);
    else
        *out = socket_named(NULL, name);
    if (error == 0 && !*out)
        error = -ECONNREFUSED;
    if (error == 0 && (*out)->type != asks->type)
        error = -EPROTOTYPE;
    if (error == 0)
        socket_hold(*out);
    return error;
}
