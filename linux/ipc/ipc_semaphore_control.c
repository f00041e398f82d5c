/* SPDX-License-Identifier: BSD-2-Clause */
/* semctl(2). */
#include "kernel/memory/kmem.h"
#include "lib/string.h"
#include "linux/ipc/ipc_semaphore.h"
#include "linux/program/program_private.h"

enum { GETPID = 11, GETVAL, GETALL, GETNCNT, GETZCNT, SETVAL, SETALL, SEM_STAT };

/* Whatever was to be undone for semaphore NUMBER (or all: -1) is not any more. */
static void ipc_semaphore_control_set_forget_undo(struct semaphore_set *set, int64_t number)
{
    struct semaphore_undo *undo;

    LIST_FOREACH (undo, &set->undos, in_set)
        for (uint32_t i = 0; i < set->count; i++)
            if (number < 0 || i == number)
                undo->by[i] = 0;
}

static long ipc_semaphore_control_set_value(struct semaphore_set *set, uint32_t number, int command,
                                            int32_t value)
{
    struct semaphore *semaphore = &set->of[number];

    if (number >= set->count)
        return -EINVAL;
    switch (command) {
    case GETVAL:
        return semaphore->value;
    case GETPID:
        return semaphore->last;
    case GETNCNT:
        return semaphore->rising;
    case GETZCNT:
        return semaphore->falling;
    default:
        if (value < 0 || value > VALUE_MOST)
            return -ERANGE;
        semaphore->value = value;
        semaphore->last = task_current()->program->id;
        ipc_semaphore_control_set_forget_undo(set, number);
        set->ipc.changed = ipc_now();
        cv_broadcast(&set->changed);
        return 0;
    }
}

static long ipc_semaphore_control_set_get_all(struct semaphore_set *set, uint16_t *values)
{
    for (uint32_t i = 0; i < set->count; i++)
        values[i] = (uint16_t)set->of[i].value;
    return 0;
}

static long ipc_semaphore_control_set_all(struct semaphore_set *set, const uint16_t *values)
{
    for (uint32_t i = 0; i < set->count; i++)
        if (values[i] > VALUE_MOST)
            return -ERANGE;
    for (uint32_t i = 0; i < set->count; i++) {
        set->of[i].value = values[i];
        set->of[i].last = task_current()->program->id;
    }
    ipc_semaphore_control_set_forget_undo(set, -1);
    set->ipc.changed = ipc_now();
    cv_broadcast(&set->changed);
    return 0;
}

/* GETALL and SETALL, whose values are copied without the lock. */
static long ipc_semaphore_control_set_all_call(struct trap_frame *frame, bool get)
{
    uint16_t *values = NULL;
    struct semaphore_set *set;
    uint32_t count;
    long result;

    ipc_enter(&ipc_semaphores);
    set = (struct semaphore_set *)ipc_find(&ipc_semaphores, ARG_U32(0));
    count = set ? set->count : 0;
    ipc_leave(&ipc_semaphores);
    if (!set)
        return -EINVAL;
    values = kmem_alloc(count * sizeof *values);
    result = !values ? -ENOMEM : get ? 0 : copyin(ARG_PTR(3), values, count * sizeof *values);
    if (result == 0) {
        ipc_enter(&ipc_semaphores);
        set = (struct semaphore_set *)ipc_find(&ipc_semaphores, ARG_U32(0));
        result = !set || set->count != count ? -EIDRM : ipc_permit(&set->ipc, get ? 4 : 2);
        if (result == 0)
            result = get ? ipc_semaphore_control_set_get_all(set, values)
                         : ipc_semaphore_control_set_all(set, values);
        ipc_leave(&ipc_semaphores);
    }
    if (result == 0 && get)
        result = copyout(values, ARG_PTR(3), count * sizeof *values);
    kmem_free(values);
    return result;
}

static void ipc_semaphore_control_set_remove(struct semaphore_set *set)
{
    struct semaphore_undo *undo;

    ipc_remove(&ipc_semaphores, &set->ipc);
    while ((undo = LIST_FIRST(&set->undos)) != NULL)
        ipc_undo_free(undo);
    cv_broadcast(&set->changed);
    ipc_set_free_if_unused(set);
}

/* IPC_STAT, IPC_SET, IPC_RMID. */
static long ipc_semaphore_control_set_control(struct semaphore_set *set, int command,
                                              struct abi_semaphores *data)
{
    long result;

    if (command == IPC_STAT || command == SEM_STAT) {
        memset(data, 0, sizeof *data);
        ipc_permission_out(&set->ipc, &data->permission);
        data->operation_time = set->operation_time;
        data->change_time = set->ipc.changed;
        data->count = set->count;
        return ipc_permit(&set->ipc, 4);
    }
    result = ipc_permit_control(&set->ipc);
    if (result == 0 && command == IPC_SET)
        ipc_permission_set(&set->ipc, &data->permission);
    else if (result == 0)
        ipc_semaphore_control_set_remove(set);
    return result;
}

/* An int in a union of pointers: its bytes come first in memory, hence in the register. */
#define SETVAL_ARGUMENT ABI_CALL_NUMBER(ARG_INT(3), (int32_t)(ARG(3) >> 32))

CALL(semctl)
{
    int command = ARG_INT(2) & ~IPC_64;
    bool of_set =
        command == IPC_STAT || command == SEM_STAT || command == IPC_SET || command == IPC_RMID;
    struct abi_semaphores data;
    struct semaphore_set *set;
    long result;

    if (command == GETALL || command == SETALL)
        return ipc_semaphore_control_set_all_call(frame, command == GETALL);
    if (!of_set && (command < GETPID || command > SETVAL))
        return -EINVAL;
    if (command == IPC_SET && copyin(ARG_PTR(3), &data, sizeof data) != 0)
        return -EFAULT;
    ipc_enter(&ipc_semaphores);
    set = (struct semaphore_set *)ipc_find(&ipc_semaphores, ARG_U32(0));
    if (!set)
        result = -EINVAL;
    else if (of_set)
        result = ipc_semaphore_control_set_control(set, command, &data);
    else if ((result = ipc_permit(&set->ipc, command == SETVAL ? 2 : 4)) == 0)
        result = ipc_semaphore_control_set_value(set, ARG_U32(1), command, SETVAL_ARGUMENT);
    ipc_leave(&ipc_semaphores);
    if (result == 0 && (command == IPC_STAT || command == SEM_STAT)) {
        result = copyout(&data, ARG_PTR(3), sizeof data);
        if (result == 0 && command == SEM_STAT)
            result = ARG_INT(0);
    }
    return result;
}
