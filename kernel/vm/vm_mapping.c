/* SPDX-License-Identifier: BSD-2-Clause */
/* Mappings one by one: made, split, joined, dropped, with the sums of struct vm kept. */
#include "kernel/memory/kmem.h"
#include "kernel/vm/vm_private.h"
#include "lib/errno.h"

static void mapping_account(struct vm *vm, const struct vm_mapping *mapping, bool more)
{
    uint64_t size = mapping->end - mapping->start;

    size = more ? size : -size;
    vm->size += size;
    if (vm_is_data(mapping))
        vm->data += size;
    if (mapping->flags & VM_LOCKED)
        vm->locked += size;
}

struct vm_mapping *vm_mapping_add(struct vm *vm, const struct vm_mapping *model, uintptr_t start,
                                  uintptr_t end)
{
    struct vm_mapping *mapping = vm->count < VM_MOST ? kmem_alloc(sizeof *mapping) : NULL;

    if (!mapping)
        return NULL;
    *mapping = *model;
    mapping->start = start;
    mapping->end = end;
    if (mapping->object)
        mapping->object->ops->hold(mapping->object);
    vm_tree_insert(vm, mapping);
    mapping_account(vm, mapping, true);
    return mapping;
}

void vm_mapping_drop(struct vm *vm, struct vm_mapping *mapping)
{
    mapping_account(vm, mapping, false);
    vm_tree_remove(vm, mapping);
    if (mapping->object)
        mapping->object->ops->release(mapping->object);
    kmem_free(mapping);
}

void vm_mapping_resize(struct vm *vm, struct vm_mapping *mapping, uintptr_t start, uintptr_t end)
{
    mapping_account(vm, mapping, false);
    mapping->start = start;
    mapping->end = end;
    mapping_account(vm, mapping, true);
    vm_tree_changed(vm, mapping);
}

void vm_mapping_set(struct vm *vm, struct vm_mapping *mapping, unsigned rights, unsigned flags)
{
    mapping_account(vm, mapping, false);
    mapping->rights = (uint8_t)rights;
    mapping->flags = (uint16_t)flags;
    mapping_account(vm, mapping, true);
}

static bool vm_mapping_is_alike(const struct vm_mapping *low, const struct vm_mapping *high)
{
    return low->end == high->start && low->rights == high->rights && low->flags == high->flags &&
           low->object == high->object &&
           (!low->object || low->offset + (low->end - low->start) == high->offset);
}

/* LOW takes over what HIGH has. */
static void vm_mapping_join(struct vm *vm, struct vm_mapping *low, struct vm_mapping *high)
{
    uintptr_t end = high->end;

    vm_mapping_drop(vm, high);
    vm_mapping_resize(vm, low, low->start, end);
}

struct vm_mapping *vm_mapping_merge(struct vm *vm, struct vm_mapping *mapping)
{
    struct vm_mapping *next = TAILQ_NEXT(mapping, link);
    struct vm_mapping *before = TAILQ_PREV(mapping, vm_mappings, link);

    if (next && vm_mapping_is_alike(mapping, next))
        vm_mapping_join(vm, mapping, next);
    if (before && vm_mapping_is_alike(before, mapping)) {
        vm_mapping_join(vm, before, mapping);
        mapping = before;
    }
    return mapping;
}

static int vm_mapping_split_at(struct vm *vm, uintptr_t at)
{
    struct vm_mapping *low = vm_tree_find(vm, at), *high;
    uintptr_t end;

    if (!low || low->start >= at)
        return 0;
    end = low->end;
    vm_mapping_resize(vm, low, low->start, at);
    high = vm_mapping_add(vm, low, at, end);
    if (!high) {
        vm_mapping_resize(vm, low, low->start, end);
        return -ENOMEM;
    }
    if (high->object)
        high->offset += at - low->start;
    return 0;
}

int vm_clip(struct vm *vm, uintptr_t start, uintptr_t end)
{
    int error = vm_mapping_split_at(vm, start);

    return error == 0 ? vm_mapping_split_at(vm, end) : error;
}

int vm_remove(struct vm *vm, uintptr_t start, uintptr_t end)
{
    struct vm_mapping *mapping, *next;
    int error = vm_clip(vm, start, end);
    bool any = false;

    if (error != 0)
        return error;
    for (mapping = vm_tree_find(vm, start); mapping && mapping->start < end; mapping = next) {
        next = TAILQ_NEXT(mapping, link);
        vm_mapping_drop(vm, mapping);
        any = true;
    }
    if (any)
        vm_drop_pages(vm, start, end);
    return 0;
}

uint64_t vm_covered(struct vm *vm, uintptr_t start, uintptr_t end, unsigned flags)
{
    const struct vm_mapping *mapping = vm_tree_find(vm, start);
    uint64_t sum = 0;

    for (; mapping && mapping->start < end; mapping = TAILQ_NEXT(mapping, link))
        if ((mapping->flags & flags) == flags)
            sum += (mapping->end < end ? mapping->end : end) -
                   (mapping->start > start ? mapping->start : start);
    return sum;
}

bool vm_may_have(const struct vm *vm, uint64_t more, bool data, uint64_t less)
{
    return vm->size - less + more <= vm->limits.space &&
           (!data || vm->data + more <= vm->limits.data || more == 0);
}
