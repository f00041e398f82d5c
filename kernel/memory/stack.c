/* SPDX-License-Identifier: BSD-2-Clause */
/* Which stacks there are for new threads; see stack.h. */
#include "kernel/memory/stack.h"
#include <arch/aspace.h>
#include <stdbool.h>
#include <stdint.h>
#include "kernel/memory/kmem.h"
#include "kernel/memory/page.h"
#include "kernel/lock/spinlock.h"
#include "kernel/thread/thread.h"

#define KEPT_MOST 8

/* Addresses of a stack behind which there is no memory. */
struct stack_range {
    struct stack_range *next;
    uintptr_t address;
};

static struct spinlock stack_lock = SPINLOCK_INITIALIZER("stacks");
PAGE_OWNER(stack_pages, "stacks");
static char *kept[KEPT_MOST];
static unsigned kept_count;
static struct stack_range *ranges;

static uintptr_t stack_range_take(void)
{
    uintptr_t state = spinlock_acquire(&stack_lock), address;
    struct stack_range *range = ranges;

    if (range)
        ranges = range->next;
    spinlock_release(&stack_lock, state);
    if (!range)
        return aspace_reserve(THREAD_STACK_SIZE);
    address = range->address;
    kmem_free(range);
    return address;
}

/* Without memory for that they are not used again: there are many. */
static void stack_range_give(uintptr_t address)
{
    struct stack_range *range = kmem_alloc(sizeof *range);
    uintptr_t state;

    if (!range)
        return;
    range->address = address;
    state = spinlock_acquire(&stack_lock);
    range->next = ranges;
    ranges = range;
    spinlock_release(&stack_lock, state);
}

static char *stack_make(void)
{
    void *block =
        page_alloc_for(&stack_pages, (unsigned)__builtin_ctz(THREAD_STACK_SIZE / PAGE_SIZE));
    uintptr_t address = block ? stack_range_take() : 0;

    if (address && aspace_map(&aspace_kernel, address, memory_physical(block), THREAD_STACK_SIZE,
                              ASPACE_READ | ASPACE_WRITE) == 0)
        return (char *)address;
    if (address)
        stack_range_give(address);
    if (block)
        page_free(block);
    return NULL;
}

char *stack_alloc(void)
{
    uintptr_t state = spinlock_acquire(&stack_lock);
    char *stack = kept_count ? kept[--kept_count] : NULL;

    spinlock_release(&stack_lock, state);
    return stack ? stack : stack_make();
}

void stack_free(char *stack)
{
    uintptr_t state = spinlock_acquire(&stack_lock);
    bool keep = kept_count < KEPT_MOST;
    uint64_t block;

    if (keep)
        kept[kept_count++] = stack;
    spinlock_release(&stack_lock, state);
    if (keep)
        return;
    aspace_lookup(&aspace_kernel, (uintptr_t)stack, &block, NULL);
    aspace_unmap(&aspace_kernel, (uintptr_t)stack, THREAD_STACK_SIZE, NULL, NULL);
    page_free(memory_pointer(block));
    stack_range_give((uintptr_t)stack);
}
