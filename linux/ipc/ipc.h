/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * System V's shared memory, semaphores and queues: what they have in common. Objects of a kind have
 * numbers, and keys by which programs agree on them; they stay until they are removed. Each kind
 * has a mutex of its own. Thread context.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "abi/common.h"
#include "kernel/thread/mutex.h"
#include "lib/hash_table.h"

#define IPC_MOST         32000u       /* of a kind */
#define IPC_MEMORY_MOST  (1ull << 40) /* bytes */
#define IPC_MESSAGE_MOST 8192u
#define IPC_QUEUE_BYTES  16384u

struct ipc_object {
    struct hash_link by_id, by_key;
    int32_t key; /* 0: private */
    uint32_t id;
    uint32_t uid, gid, creator_uid, creator_gid, mode;
    bool removed; /* its number is gone; whoever uses it goes on */
    int64_t changed;
};

struct ipc_kind {
    kmutex_t lock;
    const char *name;
    bool ready;
    struct hash_table ids, keys;
    struct hash_link *few_ids[16], *few_keys[16];
    uint32_t next, count;
};

#define IPC_KIND(label) {.name = (label)}

/* The lock, made at the first use. */
void ipc_enter(struct ipc_kind *kind);
void ipc_leave(struct ipc_kind *kind);

/* With the lock. NULL: none. */
struct ipc_object *ipc_find(struct ipc_kind *kind, uint32_t id);
/* What *get(KEY, FLAGS) does for what is there: its number; -ENOENT: to be made; -EEXIST, -EACCES.
 * *OUT is the object. */
long ipc_get(struct ipc_kind *kind, int32_t key, uint32_t flags, struct ipc_object **out);
/* OBJECT is a new one: its number, -ENOSPC. */
long ipc_add(struct ipc_kind *kind, struct ipc_object *object, int32_t key, uint32_t flags);
/* It is found by its number only: its key becomes 0. */
void ipc_remove_key(struct ipc_kind *kind, struct ipc_object *object);
/* It is found no more. */
void ipc_remove(struct ipc_kind *kind, struct ipc_object *object);
/* WANTED: 4 read, 2 write: 0, -EACCES. */
int ipc_permit(const struct ipc_object *object, unsigned wanted);
/* The owner's, the creator's, root's: 0, -EPERM. */
int ipc_permit_control(const struct ipc_object *object);
void ipc_permission_out(const struct ipc_object *object, struct abi_ipc_permission *out);
void ipc_permission_set(struct ipc_object *object, const struct abi_ipc_permission *in);
int64_t ipc_now(void); /* seconds of the wall clock */
