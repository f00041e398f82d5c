/* SPDX-License-Identifier: BSD-2-Clause */
/* Rings of perf_event_open(2). */
#include "kernel/memory/kmem.h"
#include "kernel/memory/page.h"
#include "kernel/time/clock.h"
#include "lib/errno.h"
#include "lib/string.h"
#include "linux/perf/perf_private.h"

#define PAGE 4096u

struct perf_ring {
    struct vm_object object; /* first */
    struct vm_object *memory;
    uint32_t references; /* events' and mappings' */
    uint32_t mappings;
    uint64_t size; /* of records, bytes */
    uint64_t head, told, watermark;
    bool overwrite, paused;
    unsigned pages; /* with the first */
    uint8_t *page[];
};

static struct perf_ring *perf_ring_of(struct vm_object *object)
{
    return (struct perf_ring *)object;
}

static struct abi_perf_page *perf_ring_first(struct perf_ring *ring)
{
    return (struct abi_perf_page *)(void *)ring->page[0];
}

static int perf_ring_page(struct vm_object *object, uint64_t index, bool write, void **page,
                          bool *slept)
{
    struct vm_object *memory = perf_ring_of(object)->memory;

    return memory->ops->page(memory, index, write, page, slept);
}

/* True if there are no more. */
static bool perf_ring_count(uint32_t *count, int more)
{
    static struct spinlock lock = SPINLOCK_INITIALIZER("performance rings");
    uintptr_t state = spinlock_acquire(&lock);
    bool last = (*count += (uint32_t)more) == 0;

    spinlock_release(&lock, state);
    return last;
}

static void perf_ring_map(struct vm_object *object)
{
    (void)perf_ring_count(&perf_ring_of(object)->mappings, 1);
    perf_ring_hold(perf_ring_of(object));
}

static void perf_ring_unmap(struct vm_object *object)
{
    (void)perf_ring_count(&perf_ring_of(object)->mappings, -1);
    perf_ring_release(perf_ring_of(object));
}

static uint64_t perf_ring_size(struct vm_object *object)
{
    return perf_ring_of(object)->pages * (uint64_t)PAGE;
}

static void perf_ring_name(struct vm_object *object, struct vm_object_name *out)
{
    (void)object;
    strlcpy(out->name, "anon_inode:[perf_event]", sizeof out->name);
}

static const struct vm_object_ops perf_ring_ops = {.page = perf_ring_page,
                                                   .hold = perf_ring_map,
                                                   .release = perf_ring_unmap,
                                                   .size = perf_ring_size,
                                                   .name = perf_ring_name};

struct perf_ring *perf_ring_hold(struct perf_ring *ring)
{
    (void)perf_ring_count(&ring->references, 1);
    return ring;
}

void perf_ring_release(struct perf_ring *ring)
{
    if (!ring || !perf_ring_count(&ring->references, -1))
        return;
    for (unsigned i = 0; i < ring->pages; i++)
        if (ring->page[i])
            page_release(ring->page[i]);
    ring->memory->ops->release(ring->memory);
    kmem_free(ring);
}

static bool perf_ring_fill(struct perf_ring *ring)
{
    bool slept = false;
    void *page;

    for (unsigned i = 0; i < ring->pages; i++) {
        if (ring->memory->ops->page(ring->memory, i, true, &page, &slept) != 0)
            return false;
        ring->page[i] = page;
    }
    return true;
}

struct perf_ring *perf_ring_create(unsigned pages, bool overwrite)
{
    struct perf_ring *ring = kmem_zalloc(sizeof *ring + (pages + 1) * sizeof *ring->page);
    struct abi_perf_page *first;

    if (!ring)
        return NULL;
    ring->object.ops = &perf_ring_ops;
    ring->references = 1;
    ring->pages = pages + 1;
    ring->size = pages * (uint64_t)PAGE;
    ring->overwrite = overwrite;
    ring->watermark = ring->size / 2;
    ring->memory = vm_memory_create(perf_ring_size(&ring->object));
    if (!ring->memory) {
        kmem_free(ring);
        return NULL;
    }
    if (!perf_ring_fill(ring)) {
        perf_ring_release(ring);
        return NULL;
    }
    first = perf_ring_first(ring);
    first->size = offsetof(struct abi_perf_page, reserved);
    first->data_offset = PAGE;
    first->data_size = ring->size;
    return ring;
}

struct vm_object *perf_ring_object(struct perf_ring *ring)
{
    perf_ring_map(&ring->object);
    return &ring->object;
}

bool perf_ring_is_mapped(const struct perf_ring *ring)
{
    return __atomic_load_n(&ring->mappings, __ATOMIC_RELAXED) != 0;
}

unsigned perf_ring_pages(const struct perf_ring *ring)
{
    return ring->pages - 1;
}

void perf_ring_set_watermark(struct perf_ring *ring, uint64_t bytes)
{
    if (bytes != 0)
        ring->watermark = bytes;
}

void perf_ring_pause(struct perf_ring *ring, bool pause)
{
    ring->paused = pause;
}

/* The program writes the tail, whatever it likes. */
static bool perf_ring_has_room(struct perf_ring *ring, unsigned size)
{
    uint64_t tail = __atomic_load_n(&perf_ring_first(ring)->tail, __ATOMIC_ACQUIRE);
    uint64_t used = ring->head - tail;

    if (ring->paused || size > ring->size || !perf_ring_is_mapped(ring))
        return false;
    return ring->overwrite || (used <= ring->size && ring->size - used >= size);
}

bool perf_ring_put(struct perf_ring *ring, const void *record, unsigned size)
{
    const uint8_t *from = record;

    if (!perf_ring_has_room(ring, size))
        return false;
    while (size > 0) {
        uint64_t at = ring->head & (ring->size - 1);
        unsigned piece = PAGE - (unsigned)(at % PAGE);

        if (piece > size)
            piece = size;
        memcpy(ring->page[1 + at / PAGE] + at % PAGE, from, piece);
        ring->head += piece;
        from += piece;
        size -= piece;
    }
    __atomic_store_n(&perf_ring_first(ring)->head, ring->head, __ATOMIC_RELEASE);
    return true;
}

bool perf_ring_is_due(struct perf_ring *ring)
{
    if (ring->head - ring->told <= ring->watermark)
        return false;
    ring->told = ring->head;
    return true;
}

/* The lock is odd meanwhile, as who reads the page expects. */
void perf_ring_tell(struct perf_ring *ring, const struct perf_count *count)
{
    struct abi_perf_page *first = perf_ring_first(ring);

    first->lock++;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    first->offset = (int64_t)count->value;
    first->enabled = clock_cycles_to_ns(count->enabled);
    first->running = clock_cycles_to_ns(count->running);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    first->lock++;
}
