/* SPDX-License-Identifier: BSD-2-Clause */
/* mremap: mappings that grow, shrink and move with their pages. */
#include "kernel/vm/vm.h"
#include "kernel/vm/vm_private.h"
#include "lib/errno.h"

#define REMAP_FLAGS (VM_REMAP_MAY_MOVE | VM_REMAP_FIXED)

/* What is asked for, in whole pages. */
struct remap {
    uintptr_t old, new; /* new: if fixed */
    size_t old_size, new_size;
    unsigned flags;
};

static int remap_check(const struct remap *what)
{
    if (what->flags & ~REMAP_FLAGS || what->flags == VM_REMAP_FIXED || what->old % PAGE_SIZE ||
        what->new_size == 0)
        return -EINVAL;
    if (what->flags & VM_REMAP_FIXED &&
        (!vm_is_range(what->new, what->new_size) ||
         (what->new < what->old + what->old_size && what->old < what->new + what->new_size)))
        return -EINVAL;
    if (what->old_size == 0 && !(what->flags & VM_REMAP_MAY_MOVE))
        return -EINVAL;
    if (what->old < ASPACE_USER_START)
        return -EFAULT;
    return what->new_size > ASPACE_USER_END ? -ENOMEM : 0;
}

/* Whether the room behind MAPPING is free for MORE bytes. */
static bool vm_remap_may_grow(const struct vm_mapping *mapping, size_t more)
{
    const struct vm_mapping *next = TAILQ_NEXT(mapping, link);
    uintptr_t end = mapping->end + more;

    if (!vm_is_range(mapping->start, end - mapping->start))
        return false;
    return !next || next->start >= end + (next->flags & VM_GROWS_DOWN ? VM_GUARD : 0);
}

static int vm_remap_grow(struct vm *vm, struct vm_mapping *mapping, size_t more)
{
    uintptr_t end = mapping->end;
    bool locked = mapping->flags & VM_LOCKED;

    if (!vm_may_have(vm, more, vm_is_data(mapping), 0))
        return -ENOMEM;
    vm_mapping_resize(vm, mapping, mapping->start, end + more);
    vm_mapping_merge(vm, mapping);
    if (locked)
        vm_populate(vm, end, end + more);
    return 0;
}

/* To NEW, where nothing is. A size of 0 leaves the old one as it is (a shared object). */
static int vm_remap_move_to(struct vm *vm, const struct remap *what, uintptr_t new)
{
    size_t size = what->old_size < what->new_size ? what->old_size : what->new_size;
    struct vm_mapping *old, *mapping;
    int error = what->old_size ? vm_clip(vm, what->old, what->old + what->old_size) : 0;

    if (error != 0)
        return error;
    old = vm_tree_find(vm, what->old);
    mapping = vm_mapping_add(vm, old, new, new + what->new_size);
    if (!mapping)
        return -ENOMEM;
    if (what->old_size == 0 && mapping->object)
        mapping->offset += what->old - old->start;
    error = size > 0 ? aspace_move(vm->aspace, what->old, new, size) : 0;
    if (error != 0) {
        vm_mapping_drop(vm, mapping);
        return error;
    }
    if (what->old_size > 0)
        vm_remove(vm, what->old, what->old + what->old_size);
    mapping = vm_mapping_merge(vm, mapping);
    if (mapping->flags & VM_LOCKED)
        vm_populate(vm, new, new + what->new_size);
    return 0;
}

static int remap_move(struct vm *vm, const struct remap *what, uintptr_t *address)
{
    const struct vm_mapping *old = vm_tree_find(vm, what->old);
    uint64_t less = what->old_size;
    uintptr_t new = what->new;
    bool data = vm_is_data(old);
    int error;

    if (what->flags & VM_REMAP_FIXED)
        less += vm_covered(vm, new, new + what->new_size, 0);
    if (!vm_may_have(vm, what->new_size, false, less) ||
        (data && what->new_size > what->old_size &&
         !vm_may_have(vm, what->new_size - what->old_size, true, what->new_size)))
        return -ENOMEM;
    if (what->flags & VM_REMAP_FIXED)
        error = vm_remove(vm, new, new + what->new_size);
    else
        error = (new = vm_find_hole(vm, 0, what->new_size)) ? 0 : -ENOMEM;
    if (error == 0)
        error = vm_remap_move_to(vm, what, new);
    if (error == 0)
        *address = new;
    return error;
}

static int remap_locked(struct vm *vm, const struct remap *what, uintptr_t *address)
{
    struct vm_mapping *mapping = vm_tree_find(vm, what->old);

    if (!mapping || mapping->start > what->old || mapping->end - what->old < what->old_size)
        return -EFAULT;
    if (what->old_size == 0 && !(mapping->flags & VM_SHARED))
        return -EINVAL;
    if (what->flags & VM_REMAP_FIXED || what->old_size == 0)
        return remap_move(vm, what, address);
    if (what->new_size <= what->old_size)
        return what->new_size == what->old_size
                   ? 0
                   : vm_remove(vm, what->old + what->new_size, what->old + what->old_size);
    if (what->old + what->old_size == mapping->end &&
        vm_remap_may_grow(mapping, what->new_size - what->old_size))
        return vm_remap_grow(vm, mapping, what->new_size - what->old_size);
    return what->flags & VM_REMAP_MAY_MOVE ? remap_move(vm, what, address) : -ENOMEM;
}

int vm_remap(struct vm *vm, uintptr_t *address, size_t old_size, size_t new_size, unsigned flags,
             uintptr_t new_address)
{
    struct remap what = {*address, new_address, vm_round_up(old_size), vm_round_up(new_size),
                         flags};
    int error = remap_check(&what);

    if (error != 0)
        return error;
    mutex_enter(&vm->lock);
    error = remap_locked(vm, &what, address);
    mutex_exit(&vm->lock);
    return error;
}
