/* SPDX-License-Identifier: BSD-2-Clause */
/* The tree of mappings: see vm_tree.h. Two subtrees of a node differ by one in height at most. */
#include "kernel/vm/vm_tree.h"

typedef struct vm_mapping node;

static int vm_tree_height(const node *at)
{
    return at ? at->height : 0;
}

static uintptr_t vm_tree_max(uintptr_t a, uintptr_t b)
{
    return a > b ? a : b;
}

/* All that AT knows of its subtree. */
static void vm_tree_update(node *at)
{
    const node *left = at->left, *right = at->right;
    size_t gap = 0;

    at->low = at->start;
    at->high = at->end;
    if (left) {
        at->low = left->low;
        gap = vm_tree_max(left->gap, at->start - left->high);
    }
    if (right) {
        at->high = right->high;
        gap = vm_tree_max(gap, vm_tree_max(right->gap, right->low - at->end));
    }
    at->gap = gap;
    at->height = (uint8_t)(1 + vm_tree_max((uintptr_t)vm_tree_height(left),
                                           (uintptr_t)vm_tree_height(right)));
}

static node *vm_tree_rotate_right(node *at)
{
    node *top = at->left;

    at->left = top->right;
    top->right = at;
    vm_tree_update(at);
    vm_tree_update(top);
    return top;
}

static node *vm_tree_rotate_left(node *at)
{
    node *top = at->right;

    at->right = top->left;
    top->left = at;
    vm_tree_update(at);
    vm_tree_update(top);
    return top;
}

/* The subtree of AT, one of whose subtrees has grown or shrunk by one. */
static node *vm_tree_balance(node *at)
{
    int difference = vm_tree_height(at->left) - vm_tree_height(at->right);

    if (difference > 1) {
        if (vm_tree_height(at->left->left) < vm_tree_height(at->left->right))
            at->left = vm_tree_rotate_left(at->left);
        return vm_tree_rotate_right(at);
    }
    if (difference < -1) {
        if (vm_tree_height(at->right->right) < vm_tree_height(at->right->left))
            at->right = vm_tree_rotate_right(at->right);
        return vm_tree_rotate_left(at);
    }
    vm_tree_update(at);
    return at;
}

static node *vm_tree_insert_at(node *at, node *new)
{
    if (!at)
        return new;
    if (new->start < at->start)
        at->left = vm_tree_insert_at(at->left, new);
    else
        at->right = vm_tree_insert_at(at->right, new);
    return vm_tree_balance(at);
}

void vm_tree_insert(struct vm *vm, node *mapping)
{
    node *next = vm_tree_find(vm, mapping->start);

    mapping->left = mapping->right = NULL;
    vm_tree_update(mapping);
    vm->root = vm_tree_insert_at(vm->root, mapping);
    if (next)
        TAILQ_INSERT_BEFORE(next, mapping, link);
    else
        TAILQ_INSERT_TAIL(&vm->mappings, mapping, link);
    vm->count++;
}

/* The subtree of AT without its first node, which is *FIRST. */
static node *vm_tree_take_first(node *at, node **first)
{
    if (!at->left) {
        *first = at;
        return at->right;
    }
    at->left = vm_tree_take_first(at->left, first);
    return vm_tree_balance(at);
}

static node *vm_tree_remove_from(node *at, const node *old)
{
    node *top;

    if (old->start < at->start) {
        at->left = vm_tree_remove_from(at->left, old);
        return vm_tree_balance(at);
    }
    if (old != at) {
        at->right = vm_tree_remove_from(at->right, old);
        return vm_tree_balance(at);
    }
    if (!at->right)
        return at->left;
    at->right = vm_tree_take_first(at->right, &top);
    top->right = at->right;
    top->left = at->left;
    return vm_tree_balance(top);
}

void vm_tree_remove(struct vm *vm, node *mapping)
{
    vm->root = vm_tree_remove_from(vm->root, mapping);
    TAILQ_REMOVE(&vm->mappings, mapping, link);
    vm->count--;
    if (vm->last == mapping)
        vm->last = NULL;
}

static void vm_tree_update_path(node *at, const node *to)
{
    if (at != to)
        vm_tree_update_path(to->start < at->start ? at->left : at->right, to);
    vm_tree_update(at);
}

void vm_tree_changed(struct vm *vm, const node *mapping)
{
    vm_tree_update_path(vm->root, mapping);
}

node *vm_tree_find(struct vm *vm, uintptr_t address)
{
    node *best = vm->last;

    if (best && address >= best->start && address < best->end)
        return best;
    best = NULL;
    for (node *at = vm->root; at;)
        if (at->end > address) {
            best = at;
            at = at->left;
        } else {
            at = at->right;
        }
    if (best)
        vm->last = best;
    return best;
}

static uintptr_t vm_tree_clamp_down(uintptr_t value, uintptr_t least)
{
    return value > least ? value - least : 0;
}

/* Whether there may be SIZE bytes from FLOOR to CEILING; not, if all of AT lies between. */
static bool vm_tree_may_have(const node *at, size_t size, uintptr_t floor, uintptr_t ceiling)
{
    return at->gap >= size || vm_tree_clamp_down(ceiling, vm_tree_max(at->high, floor)) >= size ||
           vm_tree_clamp_down(at->low < ceiling ? at->low : ceiling, floor) >= size;
}

static uintptr_t tree_find_hole(const node *at, size_t size, uintptr_t floor, uintptr_t ceiling)
{
    uintptr_t found = 0;

    if (ceiling < floor || ceiling - floor < size)
        return 0;
    if (!at)
        return ceiling - size;
    if (!vm_tree_may_have(at, size, floor, ceiling))
        return 0;
    if (at->end < ceiling)
        found = tree_find_hole(at->right, size, vm_tree_max(at->end, floor), ceiling);
    if (!found && at->start > floor)
        found = tree_find_hole(at->left, size, floor, at->start < ceiling ? at->start : ceiling);
    return found;
}

uintptr_t vm_tree_find_hole(const struct vm *vm, size_t size, uintptr_t floor, uintptr_t ceiling)
{
    return tree_find_hole(vm->root, size, floor, ceiling);
}
