/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of kernel/vm/ share. All under the vm's lock. */
#pragma once

#include "kernel/memory/page.h"
#include "kernel/vm/vm.h"
#include "kernel/vm/vm_fault.h"
#include "kernel/vm/vm_tree.h"

#define VM_KEPT                                                                                    \
    (VM_SHARED | VM_GROWS_DOWN | VM_READ_ONLY | VM_LOCKED | VM_NO_FORK |                           \
     VM_WIPE_FORK) /* flags of a mapping */

/* One reference more or less; whether none is left. Any context. */
bool vm_reference(uint32_t *count, bool more);

/* Pages of processes. */
void *vm_page_alloc(void); /* not cleared */
/* How many there are of memory objects. */
uint64_t vm_memory_all_pages(void);
/* Unmaps and releases what is in the range. */
void vm_drop_pages(struct vm *vm, uintptr_t start, uintptr_t end);
void vm_page_zero(void *page);
void vm_page_copy(void *to, const void *from);

static inline uintptr_t vm_round_up(uintptr_t size)
{
    return (size + PAGE_SIZE - 1) & ~(PAGE_SIZE - 1);
}

/* Whether [address, address + size) are a user's, both in whole pages. */
static inline bool vm_is_range(uintptr_t address, size_t size)
{
    return address % PAGE_SIZE == 0 && address >= ASPACE_USER_START &&
           size <= ASPACE_USER_END - ASPACE_USER_START && address <= ASPACE_USER_END - size;
}

static inline bool vm_is_data(const struct vm_mapping *mapping)
{
    return (mapping->rights & ASPACE_WRITE) && !(mapping->flags & (VM_SHARED | VM_GROWS_DOWN));
}

/* A mapping like MODEL (NULL: out of memory), from START to END, put into the tree; its object is
 * held once more. */
struct vm_mapping *vm_mapping_add(struct vm *vm, const struct vm_mapping *model, uintptr_t start,
                                  uintptr_t end);
/* Takes MAPPING away with what it holds; its pages are the caller's to see to. */
void vm_mapping_drop(struct vm *vm, struct vm_mapping *mapping);
/* Its bounds are others now, its offset is the caller's to see to. */
void vm_mapping_resize(struct vm *vm, struct vm_mapping *mapping, uintptr_t start, uintptr_t end);
/* Sets rights and flags. */
void vm_mapping_set(struct vm *vm, struct vm_mapping *mapping, unsigned rights, unsigned flags);
/* One mapping of MAPPING and its neighbour below, above, where they are alike; returns it. */
struct vm_mapping *vm_mapping_merge(struct vm *vm, struct vm_mapping *mapping);

/* No mapping reaches over START, nor over END: 0, -ENOMEM. */
int vm_clip(struct vm *vm, uintptr_t start, uintptr_t end);
/* munmap. */
int vm_remove(struct vm *vm, uintptr_t start, uintptr_t end);
/* Whether MORE bytes are within the limits, of private writable memory if DATA, when LESS go. */
bool vm_may_have(const struct vm *vm, uint64_t more, bool data, uint64_t less);
/* Where SIZE bytes are free, near HINT if that can be; 0: nowhere. */
uintptr_t vm_find_hole(struct vm *vm, uintptr_t hint, size_t size);
/* How many bytes of the range are mapped, with all of FLAGS. */
uint64_t vm_covered(struct vm *vm, uintptr_t start, uintptr_t end, unsigned flags);
/* Brings the pages of the range that are allowed anything, as far as there is memory: 0, -ENOMEM,
 * -EFAULT. */
int vm_populate(struct vm *vm, uintptr_t start, uintptr_t end);
void vm_note_resident(struct vm *vm);
/* Adds and takes away FLAGS of the mappings in the range: 0, -ENOMEM (a hole, or no memory). */
int vm_set_flags(struct vm *vm, uintptr_t address, size_t size, unsigned add, unsigned less);
/* vm_fault with the lock held. */
enum vm_fault vm_fault_locked(struct vm *vm, uintptr_t address, unsigned access);
