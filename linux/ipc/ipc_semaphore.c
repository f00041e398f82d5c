/* SPDX-License-Identifier: BSD-2-Clause */
/* semget(2), semop, semtimedop, semctl. All operations of a call happen at once or none does. */
#include "kernel/memory/kmem.h"
#include "kernel/thread/condvar.h"
#include "kernel/time/clock.h"
#include "lib/section.h"
#include "lib/string.h"
#include "linux/ipc/ipc_semaphore.h"
#include "linux/program/program_part.h"
#include "linux/program/program_private.h"

#define OPERATIONS_MOST 500u
#define SEM_UNDO        0x1000

SHARED_DATA struct ipc_kind ipc_semaphores = IPC_KIND("semaphores");

static long ipc_semaphore_set_make(int32_t key, int32_t count, uint32_t flags)
{
    struct semaphore_set *set;
    long id;

    if (count <= 0 || (uint32_t)count > SEMAPHORES_MOST)
        return -EINVAL;
    set = kmem_zalloc(sizeof *set + (uint32_t)count * sizeof *set->of);
    if (!set)
        return -ENOMEM;
    set->count = (uint32_t)count;
    cv_init(&set->changed, "semaphores");
    LIST_INIT(&set->undos);
    id = ipc_add(&ipc_semaphores, &set->ipc, key, flags);
    if (id < 0) {
        cv_destroy(&set->changed);
        kmem_free(set);
    }
    return id;
}

CALL(semget)
{
    struct ipc_object *found;
    long result;

    if (ARG_INT(1) < 0 || ARG_U32(1) > SEMAPHORES_MOST)
        return -EINVAL;
    ipc_enter(&ipc_semaphores);
    result = ipc_get(&ipc_semaphores, ARG_INT(0), ARG_U32(2), &found);
    if (result >= 0 && ARG_U32(1) > ((struct semaphore_set *)found)->count)
        result = -EINVAL;
    if (result == -ENOENT && (ARG_U32(2) & IPC_CREAT || ARG_INT(0) == 0))
        result = ipc_semaphore_set_make(ARG_INT(0), ARG_INT(1), ARG_U32(2));
    ipc_leave(&ipc_semaphores);
    return result;
}

void ipc_set_free_if_unused(struct semaphore_set *set)
{
    if (!set->ipc.removed || set->users > 0)
        return;
    cv_destroy(&set->changed);
    kmem_free(set);
}

/* The running program's for SET, made if MAKE; NULL: none, or no memory. */
static struct semaphore_undo *ipc_semaphore_undo_of(struct semaphore_set *set, bool make)
{
    struct program *program = task_current()->program;
    struct semaphore_undo *undo;

    LIST_FOREACH (undo, &program->undos, in_program)
        if (undo->set == set)
            return undo;
    if (!make)
        return NULL;
    undo = kmem_zalloc(sizeof *undo + set->count * sizeof *undo->by);
    if (!undo)
        return NULL;
    undo->set = set;
    undo->program = program;
    LIST_INSERT_HEAD(&set->undos, undo, in_set);
    LIST_INSERT_HEAD(&program->undos, undo, in_program);
    return undo;
}

void ipc_undo_free(struct semaphore_undo *undo)
{
    LIST_REMOVE(undo, in_set);
    LIST_REMOVE(undo, in_program);
    kmem_free(undo);
}

/* A program ends: what semop is to undo is undone. */
static void ipc_program_end(struct program *program)
{
    struct semaphore_undo *undo;

    if (LIST_EMPTY(&program->undos))
        return;
    ipc_enter(&ipc_semaphores);
    while ((undo = LIST_FIRST(&program->undos)) != NULL) {
        struct semaphore_set *set = undo->set;

        for (uint32_t i = 0; i < set->count; i++) {
            int64_t value = (int64_t)set->of[i].value + undo->by[i];

            if (undo->by[i] == 0)
                continue;
            set->of[i].value = value < 0 ? 0 : value > VALUE_MOST ? VALUE_MOST : (int32_t)value;
            set->of[i].last = program->id;
        }
        cv_broadcast(&set->changed);
        ipc_undo_free(undo);
    }
    ipc_leave(&ipc_semaphores);
}

const struct program_part ipc_part = {.end = ipc_program_end};

/* Takes the first COUNT operations back. */
static void ipc_semaphore_set_take_back(struct semaphore_set *set,
                                        const struct abi_semop *operations, unsigned count)
{
    while (count-- > 0)
        set->of[operations[count].number].value -= operations[count].by;
}

/* Tries all: 0, -ERANGE, or -EAGAIN with the one that cannot be in *BLOCKED. */
static int ipc_semaphore_set_try(struct semaphore_set *set, const struct abi_semop *operations,
                                 unsigned count, unsigned *blocked)
{
    for (unsigned i = 0; i < count; i++) {
        struct semaphore *semaphore = &set->of[operations[i].number];
        int by = operations[i].by;
        int error = by > 0 && semaphore->value + by > VALUE_MOST ? -ERANGE
                    : by == 0 && semaphore->value != 0           ? -EAGAIN
                    : by < 0 && semaphore->value + by < 0        ? -EAGAIN
                                                                 : 0;

        if (error != 0) {
            ipc_semaphore_set_take_back(set, operations, i);
            *blocked = i;
            return error;
        }
        semaphore->value += by;
    }
    return 0;
}

static void ipc_semaphore_set_done(struct semaphore_set *set, const struct abi_semop *operations,
                                   unsigned count, struct semaphore_undo *undo)
{
    for (unsigned i = 0; i < count; i++) {
        set->of[operations[i].number].last = task_current()->program->id;
        if (undo && operations[i].flags & SEM_UNDO)
            undo->by[operations[i].number] -= operations[i].by;
    }
    set->operation_time = ipc_now();
    cv_broadcast(&set->changed);
}

/* Until SET has changed; OPERATION is in the way: 0, -EIDRM, -EINTR, -EAGAIN. */
static int ipc_semaphore_set_wait(struct semaphore_set *set, const struct abi_semop *operation,
                                  uint64_t deadline)
{
    struct semaphore *semaphore = &set->of[operation->number];
    uint32_t *waiting = operation->by == 0 ? &semaphore->falling : &semaphore->rising;
    int error;

    if (deadline != WAIT_FOREVER && clock_now() >= deadline)
        return -EAGAIN;
    set->users++;
    ++*waiting;
    error = cv_timedwait_sig(&set->changed, &ipc_semaphores.lock, deadline);
    --*waiting;
    set->users--;
    if (set->ipc.removed) {
        ipc_set_free_if_unused(set);
        return -EIDRM;
    }
    return error == -ETIMEDOUT ? -EAGAIN : error;
}

/* What is wrong with the operations: 0, -EFBIG; *CHANGES, *UNDOES. */
static int ipc_semaphore_operations_check(const struct semaphore_set *set,
                                          const struct abi_semop *operations, unsigned count,
                                          bool *changes, bool *undoes)
{
    *changes = *undoes = false;
    for (unsigned i = 0; i < count; i++) {
        if (operations[i].number >= set->count)
            return -EFBIG;
        *changes |= operations[i].by != 0;
        *undoes |= (operations[i].flags & SEM_UNDO) != 0;
    }
    return 0;
}

static int ipc_semaphore_set_operate(uint32_t id, const struct abi_semop *operations,
                                     unsigned count, uint64_t deadline)
{
    struct semaphore_set *set = (struct semaphore_set *)ipc_find(&ipc_semaphores, id);
    struct semaphore_undo *undo = NULL;
    bool changes, undoes;
    unsigned blocked = 0;
    int error;

    if (!set)
        return -EINVAL;
    error = ipc_semaphore_operations_check(set, operations, count, &changes, &undoes);
    if (error == 0)
        error = ipc_permit(&set->ipc, changes ? 2 : 4);
    if (error == 0 && undoes && !(undo = ipc_semaphore_undo_of(set, true)))
        error = -ENOMEM;
    if (error != 0)
        return error;
    while ((error = ipc_semaphore_set_try(set, operations, count, &blocked)) == -EAGAIN) {
        if (operations[blocked].flags & (int16_t)IPC_NOWAIT)
            return -EAGAIN;
        error = ipc_semaphore_set_wait(set, &operations[blocked], deadline);
        if (error != 0)
            return error;
    }
    if (error == 0)
        ipc_semaphore_set_done(set, operations, count, undo);
    return error;
}

static long semaphore_call(struct trap_frame *frame, uint64_t deadline)
{
    struct abi_semop *operations;
    uint64_t count = ARG_U32(2);
    int error;

    if (count == 0 || ARG_INT(0) < 0)
        return -EINVAL;
    if (count > OPERATIONS_MOST)
        return -E2BIG;
    operations = kmem_alloc(count * sizeof *operations);
    if (!operations)
        return -ENOMEM;
    error = copyin(ARG_PTR(1), operations, count * sizeof *operations);
    if (error == 0) {
        ipc_enter(&ipc_semaphores);
        error = ipc_semaphore_set_operate(ARG_U32(0), operations, (unsigned)count, deadline);
        ipc_leave(&ipc_semaphores);
    }
    kmem_free(operations);
    return error;
}

CALL(semop)
{
    return semaphore_call(frame, WAIT_FOREVER);
}

CALL(semtimedop)
{
    uint64_t ns;
    int error = ARG(3) != 0 ? call_timespec_in(ARG_PTR(3), &ns) : 0;

    if (error != 0)
        return error;
    return semaphore_call(frame, ARG(3) != 0 ? clock_after(clock_now(), ns) : WAIT_FOREVER);
}
