/* SPDX-License-Identifier: BSD-2-Clause */
/* What a thread's end means to futexes: its robust locks, and the word that its end clears. */
#include "kernel/vm/vm.h"
#include "linux/futex/futex.h"
#include "linux/program/program_part.h"
#include "linux/program/program_private.h"

#define ROBUST_LIMIT 2048u

CALL(set_robust_list)
{
    if (ARG(1) != sizeof(struct abi_robust_list))
        return -EINVAL;
    task_current()->robust_list = ARG(0);
    return 0;
}

CALL(get_robust_list)
{
    uint64_t size = sizeof(struct abi_robust_list);

    if (ARG_INT(0) != 0 && ARG_U32(0) != task_current()->id)
        return -EPERM;
    if (copyout(&task_current()->robust_list, ARG_PTR(1), sizeof(uint64_t)) != 0)
        return -EFAULT;
    return copyout(&size, ARG_PTR(2), sizeof size);
}

/* The word of a lock whose owner has ended: says so, and one waiter looks. */
static void futex_owner_died(uint64_t at, uint32_t owner)
{
    uint32_t word, new;

    if (copyin((const void *)at, &word, sizeof word) != 0 || (word & FUTEX_TID_MASK) != owner)
        return;
    new = (word & FUTEX_WAITERS) | FUTEX_OWNER_DIED;
    if (copyout(&new, (void *)at, sizeof new) == 0 && word & FUTEX_WAITERS)
        (void)futex_wake(at, false, 1, FUTEX_BITSET_MATCH);
}

static void futex_robust_exit(const struct task *task)
{
    struct abi_robust_list head;
    uint64_t entry;

    if (copyin((const void *)task->robust_list, &head, sizeof head) != 0)
        return;
    entry = head.next;
    for (unsigned i = 0; i < ROBUST_LIMIT && (entry & ~1ull) != task->robust_list; i++) {
        uint64_t at = entry & ~1ull;

        if (copyin((const void *)at, &entry, sizeof entry) != 0)
            return;
        if (at != (head.pending & ~1ull))
            futex_owner_died(at + head.futex_offset, task->id);
    }
    if (head.pending)
        futex_owner_died((head.pending & ~1ull) + head.futex_offset, task->id);
}

/* A thread leaves its memory. */
static void futex_leave(struct task *task)
{
    uint32_t zero = 0;

    if (!vm_current())
        return;
    if (task->robust_list)
        futex_robust_exit(task);
    task->robust_list = 0;
    if (task->clear_tid && (task->program->task_count > 1 || vm_current()->references > 1) &&
        copyout(&zero, (void *)task->clear_tid, sizeof zero) == 0)
        (void)futex_wake(task->clear_tid, false, 1, FUTEX_BITSET_MATCH);
    task->clear_tid = 0;
}

const struct program_part futex_part = {.leave = futex_leave};
