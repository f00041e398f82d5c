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
struct place {
    struct place *next;
    uintptr_t address;
};

static struct spinlock stack_lock = SPINLOCK_INITIALIZER("stacks");
PAGE_OWNER(stack_pages, "stacks");
static char *kept[KEPT_MOST];
static unsigned kept_count;
static struct place *places;

static uintptr_t place_take(void)
{
    uintptr_t state = spinlock_acquire(&stack_lock), address;
    struct place *place = places;

    if (place)
        places = place->next;
    spinlock_release(&stack_lock, state);
    if (!place)
        return aspace_place(THREAD_STACK_SIZE);
    address = place->address;
    kmem_free(place);
    return address;
}

/* Without memory for that they are not used again: there are many. */
static void place_give(uintptr_t address)
{
    struct place *place = kmem_alloc(sizeof *place);
    uintptr_t state;

    if (!place)
        return;
    place->address = address;
    state = spinlock_acquire(&stack_lock);
    place->next = places;
    places = place;
    spinlock_release(&stack_lock, state);
}

static char *make(void)
{
    void *block =
        page_alloc_for(&stack_pages, (unsigned)__builtin_ctz(THREAD_STACK_SIZE / PAGE_SIZE));
    uintptr_t address = block ? place_take() : 0;

    if (address && aspace_map(&aspace_kernel, address, memory_physical(block), THREAD_STACK_SIZE,
                              ASPACE_READ | ASPACE_WRITE) == 0)
        return (char *)address;
    if (address)
        place_give(address);
    if (block)
        page_free(block);
    return NULL;
}

char *stack_alloc(void)
{
    uintptr_t state = spinlock_acquire(&stack_lock);
    char *stack = kept_count ? kept[--kept_count] : NULL;

    spinlock_release(&stack_lock, state);
    return stack ? stack : make();
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
    place_give((uintptr_t)stack);
}
