/* SPDX-License-Identifier: BSD-2-Clause */
/* mmap, munmap and brk: where mappings come to lie, and within which limits. */
#include "kernel/vm/vm.h"
#include "kernel/vm/vm_private.h"
#include "lib/errno.h"

#define AT_ADDRESS (VM_FIXED | VM_NO_REPLACE)

/* Room for a stack at the top of the addresses. */
#define STACK_LEAST (128ul << 20)
#define STACK_MOST  (VM_TOP / 4)

uintptr_t vm_find_hole(struct vm *vm, uintptr_t hint, size_t size)
{
    const struct vm_mapping *next;
    uintptr_t hole;

    hint = vm_round_up(hint);
    if (hint >= VM_LOWEST && vm_is_range(hint, size)) {
        next = vm_tree_find(vm, hint);
        if (!next || (next->start >= hint + size &&
                      (!(next->flags & VM_GROWS_DOWN) || next->start - hint - size >= VM_GUARD)))
            return hint;
    }
    hole = vm_tree_find_hole(vm, size, VM_LOWEST, vm->search_end);
    return hole ? hole : vm_tree_find_hole(vm, size, VM_LOWEST, VM_TOP);
}

/* Checks what was asked for; *SIZE in whole pages afterwards. */
static int map_check(const struct vm_mapping *model, uintptr_t address, size_t *size,
                     unsigned flags)
{
    unsigned rights = model->rights;

    if (*size == 0 || rights & ~ASPACE_RIGHTS || model->offset % PAGE_SIZE)
        return -EINVAL;
    *size = vm_round_up(*size);
    if (*size == 0 || *size > ASPACE_USER_END - ASPACE_USER_START)
        return -ENOMEM;
    if (model->object && model->offset + *size < model->offset)
        return -EOVERFLOW;
    if ((rights & ASPACE_WRITE) && (flags & VM_READ_ONLY))
        return -EACCES;
    if (flags & AT_ADDRESS) {
        if (address % PAGE_SIZE)
            return -EINVAL;
        if (address < ASPACE_USER_START)
            return -EPERM;
        if (!vm_is_range(address, *size))
            return -ENOMEM;
    }
    return 0;
}

/* Where it is asked for, nothing is mapped afterwards. */
static int map_make_room(struct vm *vm, uintptr_t *address, size_t size, unsigned flags, bool data)
{
    uint64_t less = 0;

    if (flags & VM_NO_REPLACE) {
        if (vm_covered(vm, *address, *address + size, 0) > 0)
            return -EEXIST;
    } else if (flags & VM_FIXED) {
        less = vm_covered(vm, *address, *address + size, 0);
    }
    if (!vm_may_have(vm, size, data, less))
        return -ENOMEM;
    if (less > 0)
        return vm_remove(vm, *address, *address + size);
    if (!(flags & AT_ADDRESS))
        *address = vm_find_hole(vm, *address, size);
    return *address ? 0 : -ENOMEM;
}

static void vm_map_note_stack(struct vm *vm, uintptr_t end)
{
    uint64_t room = vm->limits.stack;

    room = room < STACK_LEAST ? STACK_LEAST : room;
    room = room > STACK_MOST ? STACK_MOST : room;
    if (end == VM_TOP)
        vm->search_end = VM_TOP - vm_round_up(room);
}

static int map_locked(struct vm *vm, uintptr_t *address, size_t size, unsigned flags,
                      const struct vm_mapping *model)
{
    struct vm_mapping *mapping;
    struct vm_mapping own = *model;
    int error = map_make_room(vm, address, size, flags, vm_is_data(model));

    if (error != 0)
        return error;
    if (vm->lock_future) {
        own.flags |= VM_LOCKED;
        flags |= VM_LOCKED;
    }
    mapping = vm_mapping_add(vm, &own, *address, *address + size);
    if (!mapping)
        return -ENOMEM;
    vm_mapping_merge(vm, mapping);
    if (flags & VM_GROWS_DOWN)
        vm_map_note_stack(vm, *address + size);
    if (flags & (VM_POPULATE | VM_LOCKED))
        vm_populate(vm, *address, *address + size);
    return 0;
}

int vm_map(struct vm *vm, uintptr_t *address, size_t size, unsigned rights, unsigned flags,
           struct vm_object *object, uint64_t offset)
{
    struct vm_mapping model = {.rights = (uint8_t)rights,
                               .flags = (uint8_t)(flags & VM_KEPT),
                               .object = object,
                               .offset = object ? offset : 0};
    bool own = !object && (flags & VM_SHARED);
    int error = rights > ASPACE_RIGHTS ? -EINVAL : map_check(&model, *address, &size, flags);

    if (error != 0)
        return error;
    if (own && !(model.object = vm_memory_create(size)))
        return -ENOMEM;
    mutex_enter(&vm->lock);
    error = map_locked(vm, address, size, flags, &model);
    mutex_exit(&vm->lock);
    if (own)
        model.object->ops->release(model.object);
    return error;
}

int vm_unmap(struct vm *vm, uintptr_t address, size_t size)
{
    int error;

    if (size == 0 || size > ASPACE_USER_END || address % PAGE_SIZE ||
        address > ASPACE_USER_END - vm_round_up(size))
        return -EINVAL;
    if (address < ASPACE_USER_START) { /* nothing is there */
        if (address + vm_round_up(size) <= ASPACE_USER_START)
            return 0;
        size -= ASPACE_USER_START - address;
        address = ASPACE_USER_START;
    }
    mutex_enter(&vm->lock);
    error = vm_remove(vm, address, address + vm_round_up(size));
    mutex_exit(&vm->lock);
    return error;
}

void vm_brk_begin(struct vm *vm, uintptr_t start)
{
    mutex_enter(&vm->lock);
    vm->brk_start = vm->brk_end = start;
    mutex_exit(&vm->lock);
}

/* The heap's pages up to END, from where it ends now. */
static int vm_map_brk_grow(struct vm *vm, uintptr_t end)
{
    static const struct vm_mapping model = {.rights = ASPACE_READ | ASPACE_WRITE};
    uintptr_t from = vm_round_up(vm->brk_end), to = vm_round_up(end);
    const struct vm_mapping *next = vm_tree_find(vm, from);
    uintptr_t guard = next && next->flags & VM_GROWS_DOWN ? VM_GUARD : 0;

    if (end > ASPACE_USER_END - PAGE_SIZE || end - vm->brk_start > vm->limits.data)
        return -ENOMEM;
    if (from == to)
        return 0;
    if (!vm_is_range(from, to - from) || (next && next->start < to + guard))
        return -ENOMEM;
    return map_locked(vm, &from, to - from, VM_FIXED, &model);
}

uintptr_t vm_brk(struct vm *vm, uintptr_t end)
{
    int error = 0;

    mutex_enter(&vm->lock);
    if (end < vm->brk_start)
        error = -EINVAL;
    else if (end > vm->brk_end)
        error = vm_map_brk_grow(vm, end);
    else if (vm_round_up(end) < vm_round_up(vm->brk_end))
        error = vm_remove(vm, vm_round_up(end), vm_round_up(vm->brk_end));
    if (error == 0)
        vm->brk_end = end;
    end = vm->brk_end;
    mutex_exit(&vm->lock);
    return end;
}
