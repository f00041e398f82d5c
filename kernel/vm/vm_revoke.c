/* SPDX-License-Identifier: BSD-2-Clause */
/* What a file has no more, mappings of it have no more either. */
#include "kernel/process/process.h"
#include "kernel/thread/condvar.h"
#include "kernel/vm/vm.h"
#include "kernel/vm/vm_object.h"
#include "kernel/vm/vm_private.h"

/* The part of MAPPING that shows these bytes. */
static void revoke_part(struct vm *vm, const struct vm_mapping *mapping, uint64_t first,
                        uint64_t end)
{
    uint64_t size = mapping->end - mapping->start, offset = mapping->offset;

    if (end <= offset || first >= offset + size)
        return;
    first = first > offset ? first - offset : 0;
    end = end - offset < size ? end - offset : size;
    vm_drop_pages(vm, mapping->start + first, mapping->start + end);
}

static void revoke_in(struct vm *vm, const void *source, uint64_t first, uint64_t end, bool copies)
{
    const struct vm_mapping *mapping;

    mutex_enter(&vm->lock);
    TAILQ_FOREACH (mapping, &vm->mappings, link)
        if (mapping->object && mapping->object->source == source &&
            (copies || mapping->flags & VM_SHARED))
            revoke_part(vm, mapping, first, end);
    mutex_exit(&vm->lock);
}

/*
 * A copy has what its parent had, and is no process's yet. So while copies are under way nothing is
 * revoked, and meanwhile none begins; whoever revokes comes first.
 */
static kmutex_t gate = {.name = "vm copies",
                        .lock = SPINLOCK_INITIALIZER("mutex interlock"),
                        .waiters = WAIT_QUEUE_INITIALIZER(gate.waiters)};
static kcondvar_t gate_opens = {.name = "vm copies",
                                .waiters = WAIT_QUEUE_INITIALIZER(gate_opens.waiters)};
static unsigned under_way;
static bool revoking;

void vm_copies_begin(void)
{
    mutex_enter(&gate);
    while (revoking)
        cv_wait(&gate_opens, &gate);
    under_way++;
    mutex_exit(&gate);
}

void vm_copies_end(void)
{
    mutex_enter(&gate);
    if (--under_way == 0)
        cv_broadcast(&gate_opens);
    mutex_exit(&gate);
}

static void revoke_begin(void)
{
    mutex_enter(&gate);
    while (revoking)
        cv_wait(&gate_opens, &gate);
    revoking = true;
    while (under_way > 0)
        cv_wait(&gate_opens, &gate);
    mutex_exit(&gate);
}

static void revoke_end(void)
{
    mutex_enter(&gate);
    revoking = false;
    cv_broadcast(&gate_opens);
    mutex_exit(&gate);
}

void vm_revoke(const void *source, uint64_t first, uint64_t end, bool copies)
{
    struct process *process;
    uint32_t last = 0;

    if (first >= end)
        return;
    revoke_begin();
    while ((process = process_next(last)) != NULL) {
        struct vm *vm = vm_hold_of(process);

        last = process->id;
        process_release(process);
        if (vm) {
            revoke_in(vm, source, first, end, copies);
            vm_release(vm);
        }
    }
    revoke_end();
}
