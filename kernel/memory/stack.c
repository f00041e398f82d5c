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

/* Addresses of a stack: in `ranges` while there is no memory behind them. In `unused` it is an
 * empty record, of which there is one for each stack in use, so that giving addresses back takes
 * none. */
struct stack_range {
    struct stack_range *next;
    uintptr_t address;
};

static struct spinlock stack_lock = SPINLOCK_INITIALIZER("stacks");
PAGE_OWNER(stack_pages, "stacks");
static char *kept[KEPT_MOST];
static unsigned kept_count;
static struct stack_range *ranges, *unused;

/* The first of FROM becomes TO's. NULL: there is none. */
static struct stack_range *stack_range_move(struct stack_range **from, struct stack_range **to)
{
    struct stack_range *range = *from;

    if (range) {
        *from = range->next;
        range->next = *to;
        *to = range;
    }
    return range;
}

/* 0: out of memory, or of addresses. */
static uintptr_t stack_range_new(void)
{
    struct stack_range *record = kmem_alloc(sizeof *record);
    uintptr_t address = record ? aspace_reserve(THREAD_STACK_SIZE) : 0, state;

    if (!address) {
        kmem_free(record);
        return 0;
    }
    record->next = NULL;
    state = spinlock_acquire(&stack_lock);
    stack_range_move(&record, &unused);
    spinlock_release(&stack_lock, state);
    return address;
}

static uintptr_t stack_range_take(void)
{
    uintptr_t state = spinlock_acquire(&stack_lock), address = 0;
    struct stack_range *range = stack_range_move(&ranges, &unused);

    if (range)
        address = range->address;
    spinlock_release(&stack_lock, state);
    return address ? address : stack_range_new();
}

static void stack_range_give(uintptr_t address)
{
    uintptr_t state = spinlock_acquire(&stack_lock);

    stack_range_move(&unused, &ranges)->address = address;
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
