/* SPDX-License-Identifier: BSD-2-Clause */
/* mprotect and mlock: what changes a range of mappings piece by piece. */
#include "kernel/vm/vm.h"
#include "kernel/vm/vm_private.h"
#include "lib/errno.h"

/* A piece is allowed something else: pages that others may have as well are written to only after
 * a fault. */
static int protect_piece(struct vm *vm, struct vm_mapping *mapping, unsigned rights)
{
    uint64_t size = mapping->end - mapping->start;
    bool more;

    if ((mapping->flags & VM_READ_ONLY) && (rights & ASPACE_WRITE))
        return -EACCES;
    more = (rights & ASPACE_WRITE) && !(mapping->rights & ASPACE_WRITE) &&
           !(mapping->flags & (VM_SHARED | VM_GROWS_DOWN));
    if (more && !vm_may_have(vm, size, true, size))
        return -ENOMEM;
    if (mapping->rights != rights)
        aspace_protect_shared(vm->aspace, mapping->start, size, rights);
    vm_mapping_set(vm, mapping, rights, mapping->flags);
    return 0;
}

static int vm_protect_lock_piece(struct vm *vm, struct vm_mapping *mapping, unsigned locked)
{
    unsigned flags = mapping->flags & ~VM_LOCKED;

    vm_mapping_set(vm, mapping, mapping->rights, locked ? flags | VM_LOCKED : flags);
    return 0;
}

/* At AT a mapping may be like the one before it now. */
static void vm_protect_join_at(struct vm *vm, uintptr_t at)
{
    struct vm_mapping *mapping = vm_tree_find(vm, at);

    if (mapping)
        vm_mapping_merge(vm, mapping);
}

/* CHANGE(WHAT) for all that is mapped in the range, in order, up to a hole or an error. */
static int vm_protect_for_pieces(struct vm *vm, uintptr_t start, uintptr_t end,
                                 int (*change)(struct vm *, struct vm_mapping *, unsigned),
                                 unsigned what)
{
    int error = vm_clip(vm, start, end);
    uintptr_t at = start;

    while (error == 0 && at < end) {
        struct vm_mapping *mapping = vm_tree_find(vm, at);

        if (!mapping || mapping->start > at) {
            error = -ENOMEM;
            break;
        }
        error = change(vm, mapping, what);
        at = mapping->end;
        vm_mapping_merge(vm, mapping);
    }
    vm_protect_join_at(vm, start);
    vm_protect_join_at(vm, end);
    return error;
}

int vm_protect(struct vm *vm, uintptr_t address, size_t size, unsigned rights)
{
    int error;

    if (address % PAGE_SIZE || rights & ~ASPACE_RIGHTS)
        return -EINVAL;
    if (size == 0)
        return 0;
    size = vm_round_up(size);
    if (size == 0 || !vm_is_range(address, size))
        return -ENOMEM;
    mutex_enter(&vm->lock);
    error = vm_protect_for_pieces(vm, address, address + size, protect_piece, rights);
    mutex_exit(&vm->lock);
    return error;
}

static int vm_protect_flag_piece(struct vm *vm, struct vm_mapping *mapping, unsigned what)
{
    unsigned add = what & 0xffffu, less = what >> 16;

    if (add & VM_WIPE_FORK && (mapping->object || mapping->flags & VM_SHARED))
        return -EINVAL;
    vm_mapping_set(vm, mapping, mapping->rights, (mapping->flags & ~less) | add);
    return 0;
}

int vm_set_flags(struct vm *vm, uintptr_t address, size_t size, unsigned add, unsigned less)
{
    return vm_protect_for_pieces(vm, address, address + size, vm_protect_flag_piece,
                                 add | less << 16);
}

/* Pages that do not come, for want of memory or of rights, come when they are used. */
void vm_lock_all(struct vm *vm, bool current, bool future)
{
    struct vm_mapping *mapping;
    uintptr_t at = 0;

    mutex_enter(&vm->lock);
    vm->lock_future = future;
    while ((current || !future) && (mapping = vm_tree_find(vm, at)) != NULL) {
        uintptr_t start = mapping->start;

        at = mapping->end;
        vm_protect_lock_piece(vm, mapping, current);
        vm_mapping_merge(vm, mapping);
        if (current)
            (void)vm_populate(vm, start, at);
    }
    mutex_exit(&vm->lock);
}

uint64_t vm_locked_in(struct vm *vm, uintptr_t start, uintptr_t end)
{
    uint64_t locked;

    mutex_enter(&vm->lock);
    locked = vm_covered(vm, start, end, VM_LOCKED);
    mutex_exit(&vm->lock);
    return locked;
}

int vm_lock(struct vm *vm, uintptr_t address, size_t size, bool locked)
{
    uintptr_t start = address & ~(PAGE_SIZE - 1), end = vm_round_up(address + size);
    int error;

    if (address + size < address)
        return -EINVAL;
    if (size == 0)
        return 0;
    if (!vm_is_range(start, end - start))
        return -ENOMEM;
    mutex_enter(&vm->lock);
    error = vm_protect_for_pieces(vm, start, end, vm_protect_lock_piece, locked);
    if (error == 0 && locked && vm_populate(vm, start, end) != 0)
        error = -ENOMEM;
    mutex_exit(&vm->lock);
    return error;
}
