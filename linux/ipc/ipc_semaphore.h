/* SPDX-License-Identifier: BSD-2-Clause */
/* Between ipc_semaphore.c (semop) and ipc_semaphore_control.c (semctl). */
#pragma once

#include "kernel/thread/condvar.h"
#include "linux/ipc/ipc.h"
#include "linux/program/program.h"

#define SEMAPHORES_MOST 32000u /* in a set */
#define VALUE_MOST      32767

struct semaphore {
    int32_t value;
    uint32_t last;            /* who changed it last */
    uint32_t rising, falling; /* who waits for it to rise, to become 0 */
};

struct semaphore_set {
    struct ipc_object ipc; /* first */
    uint32_t users;        /* who sleeps in it */
    kcondvar_t changed;
    int64_t operation_time;
    LIST_HEAD(, semaphore_undo) undos;
    uint32_t count;
    struct semaphore of[];
};

/* What a program's end adds to the semaphores of a set. */
struct semaphore_undo {
    LIST_ENTRY(semaphore_undo) in_set, in_program;
    struct semaphore_set *set;
    struct program *program;
    int32_t by[];
};

extern struct ipc_kind ipc_semaphores;

/* With the lock. */
void ipc_set_free_if_unused(struct semaphore_set *set);
void ipc_undo_free(struct semaphore_undo *undo);
