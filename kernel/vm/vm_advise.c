/* SPDX-License-Identifier: BSD-2-Clause */
/* madvise, msync and mincore, and the list of mappings. */
#include "kernel/vm/vm.h"
#include "kernel/vm/vm_private.h"
#include "lib/errno.h"
#include "lib/string.h"

/* Of the range, what is mapped: CALL(mapping, from, to) in order, past holes, which are -ENOMEM in
 * the end. */
static int vm_advise_for_mapped(struct vm *vm, uintptr_t start, uintptr_t end,
                                int (*call)(struct vm *, struct vm_mapping *, uintptr_t, uintptr_t))
{
    struct vm_mapping *mapping = vm_tree_find(vm, start);
    uintptr_t at = start;
    bool hole = false;

    for (; mapping && mapping->start < end; mapping = TAILQ_NEXT(mapping, link)) {
        uintptr_t from = mapping->start > start ? mapping->start : start;
        uintptr_t to = mapping->end < end ? mapping->end : end;
        int error = call(vm, mapping, from, to);

        if (error != 0)
            return error;
        hole = hole || from > at;
        at = to;
    }
    return hole || at < end ? -ENOMEM : 0;
}

/* The same, for a range as a program gives it. */
static int vm_advise_for_range(struct vm *vm, uintptr_t address, size_t size,
                               int (*call)(struct vm *, struct vm_mapping *, uintptr_t, uintptr_t))
{
    int error;

    if (address % PAGE_SIZE || (size > 0 && vm_round_up(size) == 0))
        return -EINVAL;
    if (size == 0)
        return 0;
    size = vm_round_up(size);
    if (!vm_is_range(address, size))
        return address + size < address ? -EINVAL : -ENOMEM;
    mutex_enter(&vm->lock);
    error = vm_advise_for_mapped(vm, address, address + size, call);
    mutex_exit(&vm->lock);
    return error;
}

static int advise_drop(struct vm *vm, struct vm_mapping *mapping, uintptr_t from, uintptr_t to)
{
    if (mapping->flags & VM_LOCKED)
        return -EINVAL;
    vm_drop_pages(vm, from, to);
    return 0;
}

static int advise_free(struct vm *vm, struct vm_mapping *mapping, uintptr_t from, uintptr_t to)
{
    if (mapping->object)
        return -EINVAL;
    return advise_drop(vm, mapping, from, to);
}

static int advise_nothing(struct vm *vm, struct vm_mapping *mapping, uintptr_t from, uintptr_t to)
{
    (void)vm;
    (void)mapping;
    (void)from;
    (void)to;
    return 0;
}

/* MADV_NORMAL to _WILLNEED, _MERGEABLE to _DODUMP, _COLD, _PAGEOUT. */
static bool vm_advise_is_mere_advice(int advice)
{
    return (advice >= 0 && advice <= 3) || (advice >= 12 && advice <= 17) || advice == 20 ||
           advice == 21;
}

static int advise_populate(struct vm *vm, struct vm_mapping *mapping, uintptr_t from, uintptr_t to)
{
    if (!(mapping->rights & ASPACE_READ))
        return -EINVAL;
    return vm_populate(vm, from, to);
}

static int advise_populate_write(struct vm *vm, struct vm_mapping *mapping, uintptr_t from,
                                 uintptr_t to)
{
    if (!(mapping->rights & ASPACE_WRITE))
        return -EINVAL;
    for (uintptr_t at = from; at < to; at += PAGE_SIZE)
        if (vm_fault_locked(vm, at, ASPACE_WRITE) != VM_FAULT_DONE)
            return -EFAULT;
    return 0;
}

/* What children get of the range. */
static int advise_children(struct vm *vm, uintptr_t address, size_t size, int advice)
{
    unsigned flag = advice <= VM_DOFORK ? VM_NO_FORK : VM_WIPE_FORK;
    bool add = advice == VM_DONTFORK || advice == VM_WIPEONFORK;
    int error;

    if (address % PAGE_SIZE || (size > 0 && vm_round_up(size) == 0))
        return -EINVAL;
    if (size == 0)
        return 0;
    size = vm_round_up(size);
    if (!vm_is_range(address, size))
        return -ENOMEM;
    mutex_enter(&vm->lock);
    error = vm_set_flags(vm, address, size, add ? flag : 0, add ? 0 : flag);
    mutex_exit(&vm->lock);
    return error;
}

int vm_advise(struct vm *vm, uintptr_t address, size_t size, int advice)
{
    if (advice == VM_DONTNEED)
        return vm_advise_for_range(vm, address, size, advise_drop);
    if (advice == VM_FREE)
        return vm_advise_for_range(vm, address, size, advise_free);
    if (advice == VM_DONTFORK || advice == VM_DOFORK || advice == VM_WIPEONFORK ||
        advice == VM_KEEPONFORK)
        return advise_children(vm, address, size, advice);
    if (advice == VM_POPULATE_READ || advice == VM_POPULATE_WRITE)
        return vm_advise_for_range(vm, address, size,
                                   advice == VM_POPULATE_READ ? advise_populate
                                                              : advise_populate_write);
    return vm_advise_is_mere_advice(advice) ? vm_advise_for_range(vm, address, size, advise_nothing)
                                            : -EINVAL;
}

static int vm_advise_sync_pages(struct vm *vm, struct vm_mapping *mapping, uintptr_t from,
                                uintptr_t to)
{
    struct vm_object *object = mapping->object;

    (void)vm;
    if (!object || !object->ops->sync || !(mapping->flags & VM_SHARED))
        return 0;
    return object->ops->sync(object, mapping->offset + (from - mapping->start), to - from);
}

static int vm_advise_sync_invalidate(struct vm *vm, struct vm_mapping *mapping, uintptr_t from,
                                     uintptr_t to)
{
    return mapping->flags & VM_LOCKED ? -EBUSY : vm_advise_sync_pages(vm, mapping, from, to);
}

int vm_sync(struct vm *vm, uintptr_t address, size_t size, bool invalidate)
{
    return vm_advise_for_range(vm, address, size,
                               invalidate ? vm_advise_sync_invalidate : vm_advise_sync_pages);
}

int vm_incore(struct vm *vm, uintptr_t address, size_t size, uint8_t *out)
{
    uintptr_t end = address + vm_round_up(size);
    int error = 0;

    if (address % PAGE_SIZE)
        return -EINVAL;
    if (!vm_is_range(address, vm_round_up(size)))
        return -ENOMEM;
    mutex_enter(&vm->lock);
    if (vm_covered(vm, address, end, 0) != end - address)
        error = -ENOMEM;
    for (uintptr_t at = address; error == 0 && at < end; at += PAGE_SIZE)
        *out++ = aspace_lookup(vm->aspace, at, NULL, NULL) == 0;
    mutex_exit(&vm->lock);
    return error;
}

static void vm_advise_describe(struct vm *vm, const struct vm_mapping *mapping,
                               struct vm_mapping_info *out)
{
    struct vm_object *object = mapping->object;

    *out = (struct vm_mapping_info){
        .start = mapping->start,
        .end = mapping->end,
        .rights = mapping->rights,
        .flags = mapping->flags,
        .offset = mapping->offset,
        .resident = aspace_pages_in(vm->aspace, mapping->start, mapping->end - mapping->start),
        .has_object = object != NULL,
        .is_heap = !object && mapping->start < vm->brk_end && mapping->end > vm->brk_start,
    };
    if (object && object->ops->name)
        object->ops->name(object, &out->name);
}

bool vm_mapping_next(struct vm *vm, uintptr_t address, struct vm_mapping_info *out)
{
    const struct vm_mapping *mapping;

    mutex_enter(&vm->lock);
    mapping = vm_tree_find(vm, address);
    if (mapping)
        vm_advise_describe(vm, mapping, out);
    mutex_exit(&vm->lock);
    return mapping != NULL;
}
