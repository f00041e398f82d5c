/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Small objects. A page of one size class starts with a header; its free objects are a list, and
 * from its end on downwards lies, for each object, the number of who asked for it. Pages
 * with a free object are on the class's list; an empty page goes back to the page allocator unless
 * it is the class's last.
 */
#include "kernel/memory/kmem.h"
#include <stdbool.h>
#include <sys/queue.h>
#include "kernel/base/law.h"
#include "kernel/memory/page.h"
#include "kernel/base/panic.h"
#include "kernel/lock/spinlock.h"
#include "lib/format.h"
#include "lib/string.h"

#define HEADER    64
#define SMALLEST  5                     /* log2 of 32 bytes */
#define CLASSES   6                     /* 32 .. 1024 */
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

static LIST_HEAD(, slab) slabs[CLASSES];
static struct kmem_class_stats stats[CLASSES + 1];
static struct spinlock kmem_lock = SPINLOCK_INITIALIZER("kmem");
PAGE_OWNER(kmem_pages, "kmem");

#define PLACES_TRIED 16 /* of a caller, before it is one of the others */
static struct kmem_caller callers[KMEM_CALLERS];

/* The number of who calls from PLACE. Places are never taken out again; a table that is full costs
 * no more than one that is not. */
static uint16_t caller_number(uintptr_t place)
{
    unsigned n = 1 + (unsigned)(place / 4 % (KMEM_CALLERS - 1));

    for (unsigned tries = 1; tries <= PLACES_TRIED; tries++) {
        if (callers[n].place == 0)
            callers[n].place = place;
        if (callers[n].place == place)
            return (uint16_t)n;
        n = n + 1 < KMEM_CALLERS ? n + 1 : 1;
    }
    return 0;
}

/* Where it says whose OBJECT is. */
static uint16_t *caller_of(struct slab *slab, const void *object)
{
    size_t n = ((uintptr_t)object % PAGE_SIZE - HEADER) >> (slab->class + SMALLEST);

    return (uint16_t *)(void *)((char *)slab + PAGE_SIZE) - 1 - n;
}

static struct slab *slab_create(unsigned class)
{
    struct slab *slab = page_alloc_for(&kmem_pages, 0);

    if (!slab)
        return NULL;
    *slab = (struct slab){.mark = PAGE_MARK,
                          .class = (uint16_t)class,
                          .capacity = (uint16_t)((PAGE_SIZE - HEADER) /
                                                 ((1u << (class + SMALLEST)) + sizeof(uint16_t)))};
    LIST_INSERT_HEAD(&slabs[class], slab, link);
    stats[class].pages++;
    return slab;
}

static void *slab_alloc(unsigned class, uintptr_t place)
{
    struct slab *slab = LIST_FIRST(&slabs[class]);
    struct object *object;

    if (!slab)
        slab = slab_create(class);
    if (!slab) {
        stats[class].failures++;
        return NULL;
    }
    object = slab->free;
    if (object)
        slab->free = object->next;
    else
        object = (struct object *)((char *)slab + HEADER +
                                   ((size_t)slab->fresh++ << (class + SMALLEST)));
    if (++slab->in_use == slab->capacity)
        LIST_REMOVE(slab, link);
    stats[class].allocations++;
    stats[class].in_use++;
    *caller_of(slab, object) = caller_number(place);
    callers[*caller_of(slab, object)].in_use++;
    return object;
}

static void *large_alloc(size_t size)
{
    unsigned order = 0;
    void *block;

    while (order < PAGE_ORDERS && (PAGE_SIZE << order) < size)
        order++;
    block = order < PAGE_ORDERS ? page_alloc_for(&kmem_pages, order) : NULL;
    if (!block) {
        stats[CLASSES].failures++;
        return NULL;
    }
    stats[CLASSES].allocations++;
    stats[CLASSES].in_use++;
    stats[CLASSES].pages += 1ul << order;
    return block;
}

static void *allocate(size_t size, uintptr_t place)
{
    uintptr_t state = spinlock_acquire(&kmem_lock);
    void *object;

    if (size > 1ul << (SMALLEST + CLASSES - 1)) {
        object = large_alloc(size);
    } else {
        unsigned bits = size > 1 ? 64 - (unsigned)__builtin_clzl(size - 1) : 0;

        object = slab_alloc(bits < SMALLEST ? 0 : bits - SMALLEST, place);
    }
    spinlock_release(&kmem_lock, state);
    return object;
}

void *kmem_alloc(size_t size)
{
    return allocate(size, (uintptr_t)__builtin_return_address(0));
}

void *kmem_zalloc(size_t size)
{
    void *object = allocate(size, (uintptr_t)__builtin_return_address(0));

    if (object)
        memset(object, 0, size);
    return object;
}

static void slab_free(struct slab *slab, struct object *object)
{
    unsigned class = slab->class;

    if (slab->mark != PAGE_MARK || slab->in_use == 0 ||
        ((uintptr_t)object % PAGE_SIZE - HEADER) & ((1ul << (class + SMALLEST)) - 1))
        panic("kmem: %p is not an allocated object", (void *)object);
    callers[*caller_of(slab, object)].in_use--;
    object->next = slab->free;
    slab->free = object;
    if (slab->in_use-- == slab->capacity)
        LIST_INSERT_HEAD(&slabs[class], slab, link);
    stats[class].frees++;
    stats[class].in_use--;
    if (slab->in_use == 0 && (LIST_FIRST(&slabs[class]) != slab || LIST_NEXT(slab, link))) {
        LIST_REMOVE(slab, link);
        slab->mark = 0;
        stats[class].pages--;
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
        stats[CLASSES].frees++;
        stats[CLASSES].in_use--;
        stats[CLASSES].pages -= 1ul << page_order(object);
        page_free(object);
    } else {
        slab_free((struct slab *)((uintptr_t)object & ~(PAGE_SIZE - 1)), object);
    }
    spinlock_release(&kmem_lock, state);
}

size_t kmem_stats_get(struct kmem_class_stats *out, size_t max)
{
    uintptr_t state = spinlock_acquire(&kmem_lock);

    for (size_t i = 0; i <= CLASSES && i < max; i++) {
        out[i] = stats[i];
        out[i].size = i < CLASSES ? 1ul << (i + SMALLEST) : 0;
    }
    spinlock_release(&kmem_lock, state);
    return CLASSES + 1;
}

size_t kmem_callers_get(struct kmem_caller *out, size_t max)
{
    uintptr_t state = spinlock_acquire(&kmem_lock);
    size_t count = 0;

    for (size_t n = 0; n < KMEM_CALLERS; n++) {
        if (callers[n].place == 0 && callers[n].in_use == 0)
            continue;
        if (count < max)
            out[count] = callers[n];
        count++;
    }
    spinlock_release(&kmem_lock, state);
    return count;
}

/* Its subjects are the size classes. */
static void *next_class(void *subject)
{
    struct kmem_class_stats *class = subject;

    if (!class)
        return &stats[0];
    return class == &stats[CLASSES] ? NULL : class + 1;
}

static void name_class(const void *subject, char *buffer, size_t size)
{
    unsigned class = (unsigned)((const struct kmem_class_stats *)subject - stats);

    if (class < CLASSES)
        format(buffer, size, "%lu bytes", 1ul << (class + SMALLEST));
    else
        strlcpy(buffer, "whole pages", size);
}

static const struct law_subjects classes = {next_class, name_class};

static uint64_t handed_out(void *class)
{
    return ((const struct kmem_class_stats *)class)->allocations;
}

static uint64_t back_or_in_use(void *class)
{
    const struct kmem_class_stats *s = class;

    return s->frees + s->in_use;
}

static uint64_t *handed_out_word(void *class)
{
    return &((struct kmem_class_stats *)class)->allocations;
}

LAW(kmem_objects, .name = "kmem-objects", .subjects = &classes, .left = "allocated",
    .right = "freed + in use", .get_left = handed_out, .get_right = back_or_in_use,
    .word = handed_out_word);

static uint64_t pages_owned(void *unused)
{
    (void)unused;
    return kmem_pages.pages;
}

static uint64_t pages_of_classes(void *unused)
{
    uint64_t sum = 0;

    (void)unused;
    for (unsigned class = 0; class <= CLASSES; class ++)
        sum += stats[class].pages;
    return sum;
}

static uint64_t *owned_word(void *unused)
{
    (void)unused;
    return &kmem_pages.pages;
}

LAW(kmem_page_law, .name = "kmem-pages", .about = &kmem_pages, .left = "from the page allocator",
    .right = "of all classes", .get_left = pages_owned, .get_right = pages_of_classes,
    .word = owned_word);

static uint64_t objects_of_classes(void *unused)
{
    uint64_t sum = 0;

    (void)unused;
    for (unsigned class = 0; class < CLASSES; class ++)
        sum += stats[class].in_use;
    return sum;
}

static uint64_t objects_of_callers(void *unused)
{
    uint64_t sum = 0;

    (void)unused;
    for (unsigned n = 0; n < KMEM_CALLERS; n++)
        sum += callers[n].in_use;
    return sum;
}

static uint64_t *callers_word(void *unused)
{
    (void)unused;
    return &callers[0].in_use;
}

LAW(kmem_caller_law, .name = "kmem-callers", .about = callers, .left = "of all callers",
    .right = "of the size classes", .get_left = objects_of_callers, .get_right = objects_of_classes,
    .word = callers_word);
