/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers, keys and permissions of System V's objects. */
#include "linux/ipc/ipc.h"
#include "kernel/memory/kmem.h"
#include "kernel/time/clock.h"
#include "linux/program/program_private.h"

void ipc_enter(struct ipc_kind *kind)
{
    static struct spinlock lock = SPINLOCK_INITIALIZER("ipc start");
    uintptr_t state = spinlock_acquire(&lock);

    if (!kind->ready) {
        mutex_init(&kind->lock, kind->name);
        hash_table_init(&kind->ids, kind->few_ids, 16);
        hash_table_init(&kind->keys, kind->few_keys, 16);
        kind->ready = true;
    }
    spinlock_release(&lock, state);
    mutex_enter(&kind->lock);
}

void ipc_leave(struct ipc_kind *kind)
{
    mutex_exit(&kind->lock);
}

int64_t ipc_now(void)
{
    return (int64_t)(clock_wall() / 1000000000u);
}

static uint32_t ipc_hash(uint32_t number)
{
    return hash_end(hash_number(0, number));
}

static void ipc_insert(struct hash_table *table, struct hash_link **few, struct hash_link *link,
                       uint32_t number)
{
    struct hash_link **spare;
    void *room = hash_table_is_full(table) ? kmem_alloc(hash_table_room(table)) : NULL;

    if (room) {
        spare = hash_table_grow(table, room);
        if (spare != few)
            kmem_free(spare);
    }
    hash_table_insert(table, link, ipc_hash(number));
}

struct ipc_object *ipc_find(struct ipc_kind *kind, uint32_t id)
{
    struct hash_link *link = hash_table_first(&kind->ids, ipc_hash(id));

    for (; link; link = hash_table_next(link)) {
        struct ipc_object *object = HASH_ENTRY(link, struct ipc_object, by_id);

        if (object->id == id)
            return object;
    }
    return NULL;
}

static struct ipc_object *ipc_find_key(struct ipc_kind *kind, int32_t key)
{
    struct hash_link *link = hash_table_first(&kind->keys, ipc_hash((uint32_t)key));

    for (; link; link = hash_table_next(link)) {
        struct ipc_object *object = HASH_ENTRY(link, struct ipc_object, by_key);

        if (object->key == key)
            return object;
    }
    return NULL;
}

long ipc_get(struct ipc_kind *kind, int32_t key, uint32_t flags, struct ipc_object **out)
{
    unsigned wanted = (flags | flags >> 3 | flags >> 6) & 7u;

    *out = key == 0 ? NULL : ipc_find_key(kind, key);
    if (!*out)
        return -ENOENT;
    if ((flags & (IPC_CREAT | IPC_EXCL)) == (IPC_CREAT | IPC_EXCL))
        return -EEXIST;
    return ipc_permit(*out, wanted) != 0 ? -EACCES : (long)(*out)->id;
}

long ipc_add(struct ipc_kind *kind, struct ipc_object *object, int32_t key, uint32_t flags)
{
    const struct program *program = task_current()->program;

    if (kind->count >= IPC_MOST)
        return -ENOSPC;
    do
        object->id = kind->next++ & INT32_MAX;
    while (ipc_find(kind, object->id));
    kind->count++;
    object->key = key;
    object->uid = object->creator_uid = program->euid;
    object->gid = object->creator_gid = program->egid;
    object->mode = flags & 0777;
    object->changed = ipc_now();
    ipc_insert(&kind->ids, kind->few_ids, &object->by_id, object->id);
    if (key != 0)
        ipc_insert(&kind->keys, kind->few_keys, &object->by_key, (uint32_t)key);
    return object->id;
}

void ipc_remove_key(struct ipc_kind *kind, struct ipc_object *object)
{
    if (object->key != 0)
        hash_table_remove(&kind->keys, &object->by_key);
    object->key = 0;
}

void ipc_remove(struct ipc_kind *kind, struct ipc_object *object)
{
    if (object->removed)
        return;
    object->removed = true;
    hash_table_remove(&kind->ids, &object->by_id);
    ipc_remove_key(kind, object);
    kind->count--;
}

int ipc_permit(const struct ipc_object *object, unsigned wanted)
{
    const struct program *program = task_current()->program;
    uint32_t mode = object->mode;

    if (program_is_root(program))
        return 0;
    if (program->euid == object->uid || program->euid == object->creator_uid)
        mode >>= 6;
    else if (program->egid == object->gid || program->egid == object->creator_gid)
        mode >>= 3;
    return wanted & ~mode & 7u ? -EACCES : 0;
}

int ipc_permit_control(const struct ipc_object *object)
{
    const struct program *program = task_current()->program;

    return program_is_root(program) || program->euid == object->uid ||
                   program->euid == object->creator_uid
               ? 0
               : -EPERM;
}

void ipc_permission_out(const struct ipc_object *object, struct abi_ipc_permission *out)
{
    *out = (struct abi_ipc_permission){.key = object->key,
                                       .uid = object->uid,
                                       .gid = object->gid,
                                       .creator_uid = object->creator_uid,
                                       .creator_gid = object->creator_gid,
                                       .mode = object->mode};
}

void ipc_permission_set(struct ipc_object *object, const struct abi_ipc_permission *in)
{
    object->uid = in->uid;
    object->gid = in->gid;
    object->mode = (object->mode & ~0777u) | (in->mode & 0777);
    object->changed = ipc_now();
}
