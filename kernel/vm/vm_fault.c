/* SPDX-License-Identifier: BSD-2-Clause */
/* Faults: what belongs at an address, and how it comes there. See vm_fault.h. */
#include "kernel/vm/vm_fault.h"
#include "kernel/interrupt/trap.h"
#include "kernel/vm/vm_count.h"
#include "kernel/vm/vm_private.h"
#include "lib/errno.h"

struct fault {
    struct vm *vm;
    const struct vm_mapping *mapping;
    uintptr_t address; /* of the page */
    unsigned access;
    enum vm_kind kind; /* what it took, when it is done */
    bool slept;        /* a device was asked */
};

/* The stack above ADDRESS, if it may reach down to there, does. */
static struct vm_mapping *vm_fault_grow_stack(struct vm *vm, struct vm_mapping *stack,
                                              uintptr_t address)
{
    const struct vm_mapping *below = TAILQ_PREV(stack, vm_mappings, link);
    uintptr_t room = below ? below->end : ASPACE_USER_START;

    if (!(stack->flags & VM_GROWS_DOWN) || stack->end - address > vm->limits.stack ||
        address < room + VM_GUARD || !vm_may_have(vm, stack->start - address, false, 0))
        return NULL;
    vm_mapping_resize(vm, stack, address, stack->end);
    return stack;
}

static enum vm_fault vm_fault_find_mapping(struct fault *fault)
{
    struct vm_mapping *mapping = vm_tree_find(fault->vm, fault->address);

    if (mapping && mapping->start > fault->address)
        mapping = vm_fault_grow_stack(fault->vm, mapping, fault->address);
    if (!mapping)
        return VM_FAULT_UNMAPPED;
    fault->mapping = mapping;
    if (mapping->rights == 0 || (fault->access & ~ASPACE_READ & ~mapping->rights))
        return VM_FAULT_RIGHTS;
    return VM_FAULT_DONE;
}

/* Maps PAGE, which is held for it. */
static enum vm_fault vm_fault_put(const struct fault *fault, void *page, unsigned rights)
{
    if (aspace_map(fault->vm->aspace, fault->address, memory_physical(page), PAGE_SIZE, rights) ==
        0)
        return VM_FAULT_DONE;
    page_release(page);
    return VM_FAULT_MEMORY;
}

static enum vm_fault vm_fault_bring_zeroed(struct fault *fault)
{
    void *page = vm_page_alloc();

    if (!page)
        return VM_FAULT_MEMORY;
    vm_page_zero(page);
    fault->kind = VM_KIND_ZEROED;
    return vm_fault_put(fault, page, fault->mapping->rights);
}

/* The page of the object, held. */
static enum vm_fault vm_fault_ask_object(struct fault *fault, bool write, void **page)
{
    const struct vm_mapping *mapping = fault->mapping;
    uint64_t offset = mapping->offset + (fault->address - mapping->start);

    switch (mapping->object->ops->page(mapping->object, offset / PAGE_SIZE, write, page,
                                       &fault->slept)) {
    case 0:
        return VM_FAULT_DONE;
    case -ENOMEM:
        return VM_FAULT_MEMORY;
    default:
        return VM_FAULT_BEYOND;
    }
}

static enum vm_fault vm_fault_bring_of_object(struct fault *fault)
{
    bool write = fault->access == ASPACE_WRITE, shared = fault->mapping->flags & VM_SHARED;
    unsigned rights = fault->mapping->rights;
    void *page, *copy;
    enum vm_fault result = vm_fault_ask_object(fault, write && shared, &page);

    if (result != VM_FAULT_DONE)
        return result;
    fault->kind = VM_KIND_OBJECT;
    if (!write || shared)
        return vm_fault_put(fault, page, write ? rights : rights & ~ASPACE_WRITE);
    fault->kind = VM_KIND_PROMOTED;
    copy = vm_page_alloc();
    if (copy)
        vm_page_copy(copy, page);
    page_release(page);
    return copy ? vm_fault_put(fault, copy, rights) : VM_FAULT_MEMORY;
}

/* A page of a private mapping is written to, which others may have too. */
static enum vm_fault vm_fault_own(struct fault *fault, void *page)
{
    struct aspace *aspace = fault->vm->aspace;
    void *copy;

    if (page_references(page) == 1) {
        fault->kind = VM_KIND_THERE;
        aspace_protect(aspace, fault->address, PAGE_SIZE, fault->mapping->rights);
        return VM_FAULT_DONE;
    }
    copy = vm_page_alloc();
    if (!copy)
        return VM_FAULT_MEMORY;
    vm_page_copy(copy, page);
    aspace_replace(aspace, fault->address, memory_physical(copy), fault->mapping->rights);
    page_release(page);
    fault->kind = VM_KIND_COPIED;
    return VM_FAULT_DONE;
}

/* A page of a shared mapping is written to for the first time; the object has to know. */
static enum vm_fault vm_fault_write_shared(struct fault *fault)
{
    uint64_t old;
    void *page;
    enum vm_fault result = vm_fault_ask_object(fault, true, &page);

    if (result != VM_FAULT_DONE)
        return result;
    old = aspace_replace(fault->vm->aspace, fault->address, memory_physical(page),
                         fault->mapping->rights);
    page_release(memory_pointer(old));
    fault->kind = VM_KIND_OBJECT;
    return VM_FAULT_DONE;
}

static enum vm_fault vm_fault_resolve(struct fault *fault)
{
    unsigned rights, access = fault->access | ASPACE_READ;
    enum vm_fault result = vm_fault_find_mapping(fault);
    uint64_t physical;

    if (result != VM_FAULT_DONE)
        return result;
    if (aspace_lookup(fault->vm->aspace, fault->address, &physical, &rights) != 0)
        return fault->mapping->object ? vm_fault_bring_of_object(fault)
                                      : vm_fault_bring_zeroed(fault);
    if ((rights & access) == access) { /* another thread was here first */
        fault->kind = VM_KIND_THERE;
        return VM_FAULT_DONE;
    }
    return fault->mapping->flags & VM_SHARED ? vm_fault_write_shared(fault)
                                             : vm_fault_own(fault, memory_pointer(physical));
}

enum vm_fault vm_fault_locked(struct vm *vm, uintptr_t address, unsigned access)
{
    struct fault fault = {.vm = vm, .address = address & ~(PAGE_SIZE - 1), .access = access};
    enum vm_fault result = VM_FAULT_UNMAPPED;

    if (address >= ASPACE_USER_START && address < ASPACE_USER_END)
        result = vm_fault_resolve(&fault);
    if (result == VM_FAULT_DONE)
        vm_count_fault(fault.kind, fault.slept);
    else
        vm_count_fault(result == VM_FAULT_MEMORY ? VM_KIND_NO_MEMORY : VM_KIND_REFUSED, false);
    return result;
}

enum vm_fault vm_fault(struct vm *vm, uintptr_t address, unsigned access)
{
    enum vm_fault result;

    mutex_enter(&vm->lock);
    result = vm_fault_locked(vm, address, access);
    mutex_exit(&vm->lock);
    return result;
}

int vm_populate(struct vm *vm, uintptr_t start, uintptr_t end)
{
    for (; start < end; start += PAGE_SIZE) {
        const struct vm_mapping *mapping = vm_tree_find(vm, start);
        enum vm_fault result;

        if (!mapping || mapping->start > start || mapping->rights == 0)
            continue;
        if (aspace_lookup(vm->aspace, start, NULL, NULL) == 0)
            continue;
        result = vm_fault_locked(vm, start, vm_is_data(mapping) ? ASPACE_WRITE : ASPACE_READ);
        if (result != VM_FAULT_DONE)
            return result == VM_FAULT_MEMORY ? -ENOMEM : -EFAULT;
    }
    return 0;
}

static unsigned vm_fault_trap_access(const struct trap *trap)
{
    if (trap->write)
        return ASPACE_WRITE;
    return trap->execute ? ASPACE_EXECUTE : ASPACE_READ;
}

bool vm_fault_trap(const struct trap *trap)
{
    struct vm *vm = vm_current();

    return vm && vm_fault(vm, trap->address, vm_fault_trap_access(trap)) == VM_FAULT_DONE;
}

enum vm_fault vm_fault_cause(const struct trap *trap)
{
    struct fault fault = {.address = trap->address & ~(PAGE_SIZE - 1),
                          .access = vm_fault_trap_access(trap)};
    enum vm_fault result = VM_FAULT_UNMAPPED;

    fault.vm = vm_current();
    if (!fault.vm || trap->address < ASPACE_USER_START || trap->address >= ASPACE_USER_END)
        return result;
    mutex_enter(&fault.vm->lock);
    result = vm_fault_resolve(&fault);
    if (result == VM_FAULT_DONE)
        vm_count_fault(fault.kind, fault.slept);
    mutex_exit(&fault.vm->lock);
    return result;
}
