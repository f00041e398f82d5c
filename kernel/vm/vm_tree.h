/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The mappings of a struct vm: a tree balanced by height, each of whose nodes knows from where to
 * where its subtree reaches and the largest hole in it, and a list in the order of addresses.
 * Everything costs by the logarithm of their number. Under the vm's lock.
 */
#pragma once

#include <stdint.h>
#include <sys/queue.h>
#include "kernel/vm/vm.h"

struct vm_mapping {
    uintptr_t start, end;
    uint8_t rights;
    uint16_t flags; /* VM_SHARED and what follows it */
    uint8_t height;
    struct vm_object *object; /* held; NULL: memory that is 0 */
    uint64_t offset;
    TAILQ_ENTRY(vm_mapping) link;
    struct vm_mapping *left, *right;
    uintptr_t low, high; /* of the subtree */
    size_t gap;
};

/* MAPPING, where nothing is. */
void vm_tree_insert(struct vm *vm, struct vm_mapping *mapping);
void vm_tree_remove(struct vm *vm, struct vm_mapping *mapping);
/* MAPPING's start or end has changed, its place among the others has not. */
void vm_tree_changed(struct vm *vm, const struct vm_mapping *mapping);
/* The first that ends above ADDRESS; NULL: none does. */
struct vm_mapping *vm_tree_find(struct vm *vm, uintptr_t address);
/* The highest address in [floor, ceiling - size] from which on SIZE bytes are free; 0: none. */
uintptr_t vm_tree_find_hole(const struct vm *vm, size_t size, uintptr_t floor, uintptr_t ceiling);
