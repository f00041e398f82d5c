/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory that is an object: pages found by their index, in tables of 512 as deep as the highest
 * index so far needs.
 */
#include "kernel/memory/kmem.h"
#include "kernel/vm/vm_private.h"
#include "lib/errno.h"
#include "lib/string.h"

#define WIDTH 9
#define WORDS (1u << WIDTH)

PAGE_OWNER(memory_pages, "memory objects");

struct vm_memory {
    struct vm_object object; /* first */
    uint32_t references;     /* vm_reference */
    kmutex_t lock;
    uint64_t size, pages;
    unsigned height; /* of tables; 0: ROOT is page 0 itself */
    void *root;
};

uint64_t vm_memory_all_pages(void)
{
    return memory_pages.pages;
}

static struct vm_memory *memory_of(struct vm_object *object)
{
    return (struct vm_memory *)object;
}

static void *vm_memory_new_page(void)
{
    void *page = page_alloc_for(&memory_pages, 0);

    if (page)
        vm_page_zero(page);
    return page;
}

/* As deep as INDEX needs; whether there was memory. */
static bool vm_memory_deepen(struct vm_memory *memory, uint64_t index)
{
    while (memory->height * WIDTH < 64 && index >> memory->height * WIDTH != 0) {
        void **table = memory->root ? vm_memory_new_page() : NULL;

        if (memory->root && !table)
            return false;
        if (table) {
            table[0] = memory->root;
            memory->root = table;
        }
        memory->height++;
    }
    return true;
}

/* The page INDEX, made if it is missing; NULL: no memory. */
static void *vm_memory_page_make(struct vm_memory *memory, uint64_t index)
{
    void **slot = &memory->root;

    if (!vm_memory_deepen(memory, index))
        return NULL;
    for (unsigned level = memory->height;; level--) {
        if (!*slot) {
            *slot = vm_memory_new_page();
            if (*slot && level == 0)
                memory->pages++;
        }
        if (level == 0 || !*slot)
            return *slot;
        slot = (void **)*slot + (index >> (level - 1) * WIDTH & (WORDS - 1));
    }
}

/* Frees pages from index FIRST on of what is behind SLOT, a table of LEVEL or a page. */
static void vm_memory_free_from(struct vm_memory *memory, void **slot, unsigned level,
                                uint64_t first)
{
    unsigned from;

    if (!*slot)
        return;
    if (level > 0) {
        from = (unsigned)(first >> (level - 1) * WIDTH);
        for (unsigned i = from; i < WORDS; i++)
            vm_memory_free_from(memory, (void **)*slot + i, level - 1,
                                i == from ? first & ((1ull << (level - 1) * WIDTH) - 1) : 0);
    } else {
        memory->pages--;
    }
    if (first == 0) {
        page_release(*slot);
        *slot = NULL;
    }
}

static int memory_page(struct vm_object *object, uint64_t index, bool write, void **page,
                       bool *slept)
{
    struct vm_memory *memory = memory_of(object);
    int error = 0;

    (void)write;
    (void)slept;
    mutex_enter(&memory->lock);
    if (index >= vm_round_up(memory->size) / PAGE_SIZE)
        error = -ENXIO;
    else if ((*page = vm_memory_page_make(memory, index)) == NULL || !page_hold(*page))
        error = -ENOMEM;
    mutex_exit(&memory->lock);
    return error;
}

static void memory_hold(struct vm_object *object)
{
    vm_reference(&memory_of(object)->references, true);
}

static void memory_release(struct vm_object *object)
{
    struct vm_memory *memory = memory_of(object);

    if (!vm_reference(&memory->references, false))
        return;
    vm_memory_free_from(memory, &memory->root, memory->height, 0);
    mutex_destroy(&memory->lock);
    kmem_free(memory);
}

static uint64_t memory_size(struct vm_object *object)
{
    return memory_of(object)->size;
}

static void memory_name(struct vm_object *object, struct vm_object_name *out)
{
    (void)object;
    strlcpy(out->name, "/dev/zero (deleted)", sizeof out->name); /* as Linux calls it */
}

static const struct vm_object_ops memory_ops = {.page = memory_page,
                                                .hold = memory_hold,
                                                .release = memory_release,
                                                .size = memory_size,
                                                .name = memory_name};

struct vm_object *vm_memory_create(uint64_t size)
{
    struct vm_memory *memory = kmem_zalloc(sizeof *memory);

    if (!memory)
        return NULL;
    memory->object.ops = &memory_ops;
    memory->references = 1;
    memory->size = size;
    mutex_init(&memory->lock, "vm memory");
    return &memory->object;
}

/* What the last page has behind the end becomes 0. */
static void vm_memory_clear_rest(struct vm_memory *memory)
{
    uint64_t index = memory->size / PAGE_SIZE;
    size_t offset = memory->size % PAGE_SIZE;
    void *at = memory->root;

    if (offset == 0 || index >> memory->height * WIDTH != 0)
        return;
    for (unsigned level = memory->height; at && level > 0; level--)
        at = ((void **)at)[index >> (level - 1) * WIDTH & (WORDS - 1)];
    if (at)
        memset((char *)at + offset, 0, PAGE_SIZE - offset);
}

void vm_memory_resize(struct vm_object *object, uint64_t size)
{
    struct vm_memory *memory = memory_of(object);
    uint64_t first = vm_round_up(size) / PAGE_SIZE;

    mutex_enter(&memory->lock);
    if (size < memory->size && first >> memory->height * WIDTH == 0)
        vm_memory_free_from(memory, &memory->root, memory->height, first);
    memory->size = size;
    vm_memory_clear_rest(memory);
    mutex_exit(&memory->lock);
}

uint64_t vm_memory_pages(const struct vm_object *object)
{
    return ((const struct vm_memory *)object)->pages;
}
