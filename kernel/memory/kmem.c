/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Small objects. A page of one size class starts with a header; its free objects are a list, and
 * from its end on downwards lies, for each object, the number of who asked for it. Pages
 * with a free object are on the class's list; an empty page goes back to the page allocator unless
 * it is the class's last.
 */
#include "kernel/memory/kmem_private.h"
#include <stdbool.h>
#include <sys/queue.h>
#include "kernel/base/panic.h"
#include "kernel/lock/spinlock.h"
#include "lib/section.h"
#include "lib/string.h"

#define HEADER    64
#define PAGE_MARK 0x6b6d656d70616765ull /* "kmempage" */

struct object {
    struct object *next;
};

struct slab {
    uint64_t mark;
    uint16_t class, in_use, fresh, capacity; /* fresh: objects never handed out yet */
    struct object *free;
    LIST_ENTRY(slab) link;
};

static LIST_HEAD(, slab) slabs[KMEM_CLASSES];
SHARED_BSS struct kmem_class_stats kmem_classes[KMEM_CLASSES + 1];
static struct spinlock kmem_lock = SPINLOCK_INITIALIZER("kmem");
PAGE_OWNER(kmem_pages, "kmem");
struct page_owner *const kmem_page_owner = &kmem_pages;

#define CALLERS_TRIED 16 /* of a caller, before it is one of the others */
SHARED_BSS struct kmem_caller kmem_callers[KMEM_CALLERS];

/* The number of who calls from PC. Callers are never taken out again; a table that is full costs
 * no more than one that is not. */
static uint16_t kmem_caller_number(uintptr_t pc)
{
    unsigned n =
        (uint32_t)(pc / 4) * 2654435769u >> (32 - KMEM_CALLER_BITS); /* Fibonacci hashing */

    n += n == 0; /* that one is the others' */
    for (unsigned tries = 1; tries <= CALLERS_TRIED; tries++) {
        if (kmem_callers[n].pc == 0)
            kmem_callers[n].pc = pc;
        if (kmem_callers[n].pc == pc)
            return (uint16_t)n;
        n = n + 1 < KMEM_CALLERS ? n + 1 : 1;
    }
    return 0;
}

/* Where it says whose OBJECT is. */
static uint16_t *kmem_caller_of(struct slab *slab, const void *object)
{
    size_t n = ((uintptr_t)object % PAGE_SIZE - HEADER) >> (slab->class + KMEM_SMALLEST);

    return (uint16_t *)(void *)((char *)slab + PAGE_SIZE) - 1 - n;
}

static struct slab *kmem_slab_create(unsigned class)
{
    struct slab *slab = page_alloc_for(&kmem_pages, 0);

    if (!slab)
        return NULL;
    *slab =
        (struct slab){.mark = PAGE_MARK,
                      .class = (uint16_t)class,
                      .capacity = (uint16_t)((PAGE_SIZE - HEADER) /
                                             ((1u << (class + KMEM_SMALLEST)) + sizeof(uint16_t)))};
    LIST_INSERT_HEAD(&slabs[class], slab, link);
    kmem_classes[class].pages++;
    return slab;
}

static void *kmem_slab_alloc(unsigned class, uintptr_t pc)
{
    struct slab *slab = LIST_FIRST(&slabs[class]);
    struct object *object;

    if (!slab)
        slab = kmem_slab_create(class);
    if (!slab) {
        kmem_classes[class].failures++;
        return NULL;
    }
    object = slab->free;
    if (object)
        slab->free = object->next;
    else
        object = (struct object *)((char *)slab + HEADER +
                                   ((size_t)slab->fresh++ << (class + KMEM_SMALLEST)));
    if (++slab->in_use == slab->capacity)
        LIST_REMOVE(slab, link);
    kmem_classes[class].allocations++;
    kmem_classes[class].in_use++;
    *kmem_caller_of(slab, object) = kmem_caller_number(pc);
    kmem_callers[*kmem_caller_of(slab, object)].in_use++;
    return object;
}

static void *kmem_large_alloc(size_t size)
{
    unsigned order = 0;
    void *block;

    while (order < PAGE_ORDERS && (PAGE_SIZE << order) < size)
        order++;
    block = order < PAGE_ORDERS ? page_alloc_for(&kmem_pages, order) : NULL;
    if (!block) {
        kmem_classes[KMEM_CLASSES].failures++;
        return NULL;
    }
    kmem_classes[KMEM_CLASSES].allocations++;
    kmem_classes[KMEM_CLASSES].in_use++;
    kmem_classes[KMEM_CLASSES].pages += 1ul << order;
    return block;
}

/* The smallest class whose objects have SIZE bytes. */
static unsigned kmem_class_of(size_t size)
{
    if (size <= 1ul << KMEM_SMALLEST)
        return 0;
    return 32 - (unsigned)__builtin_clz((uint32_t)size - 1) - KMEM_SMALLEST;
}

static void *kmem_allocate(size_t size, uintptr_t pc)
{
    uintptr_t state = spinlock_acquire(&kmem_lock);
    void *object;

    if (size > 1ul << (KMEM_SMALLEST + KMEM_CLASSES - 1)) {
        object = kmem_large_alloc(size);
    } else {
        object = kmem_slab_alloc(kmem_class_of(size), pc);
    }
    spinlock_release(&kmem_lock, state);
    return object;
}

void *kmem_alloc(size_t size)
{
    return kmem_allocate(size, (uintptr_t)__builtin_return_address(0));
}

void *kmem_zalloc(size_t size)
{
    void *object = kmem_allocate(size, (uintptr_t)__builtin_return_address(0));

    if (object)
        memset(object, 0, size);
    return object;
}

static void kmem_slab_free(struct slab *slab, struct object *object)
{
    unsigned class = slab->class;

    if (slab->mark != PAGE_MARK || slab->in_use == 0 ||
        ((uintptr_t)object % PAGE_SIZE - HEADER) & ((1ul << (class + KMEM_SMALLEST)) - 1))
        panic("kmem: %p is not an allocated object", (void *)object);
    kmem_callers[*kmem_caller_of(slab, object)].in_use--;
    object->next = slab->free;
    slab->free = object;
    if (slab->in_use-- == slab->capacity)
        LIST_INSERT_HEAD(&slabs[class], slab, link);
    kmem_classes[class].frees++;
    kmem_classes[class].in_use--;
    if (slab->in_use == 0 && (LIST_FIRST(&slabs[class]) != slab || LIST_NEXT(slab, link))) {
        LIST_REMOVE(slab, link);
        slab->mark = 0;
        kmem_classes[class].pages--;
        page_free(slab);
    }
}

void kmem_free(void *object)
{
    uintptr_t state;

    if (!object)
        return;
    state = spinlock_acquire(&kmem_lock);
    if ((uintptr_t)object % PAGE_SIZE == 0) {
        kmem_classes[KMEM_CLASSES].frees++;
        kmem_classes[KMEM_CLASSES].in_use--;
        kmem_classes[KMEM_CLASSES].pages -= 1ul << page_order(object);
        page_free(object);
    } else {
        kmem_slab_free((struct slab *)((uintptr_t)object & ~(PAGE_SIZE - 1)), object);
    }
    spinlock_release(&kmem_lock, state);
}

size_t kmem_stats_get(struct kmem_class_stats *out, size_t max)
{
    uintptr_t state = spinlock_acquire(&kmem_lock);

    for (size_t i = 0; i <= KMEM_CLASSES && i < max; i++) {
        out[i] = kmem_classes[i];
        out[i].size = i < KMEM_CLASSES ? 1ul << (i + KMEM_SMALLEST) : 0;
    }
    spinlock_release(&kmem_lock, state);
    return KMEM_CLASSES + 1;
}

size_t kmem_callers_get(struct kmem_caller *out, size_t max)
{
    uintptr_t state = spinlock_acquire(&kmem_lock);
    size_t count = 0;

    for (size_t n = 0; n < KMEM_CALLERS; n++) {
        if (kmem_callers[n].pc == 0 && kmem_callers[n].in_use == 0)
            continue;
        if (count < max)
            out[count] = kmem_callers[n];
        count++;
    }
    spinlock_release(&kmem_lock, state);
    return count;
}
