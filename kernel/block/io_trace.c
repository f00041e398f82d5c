/* SPDX-License-Identifier: BSD-2-Clause */
/* A ring that is allocated when tracing is first turned on, and then stays. */
#include "kernel/block/io_trace.h"
#include "kernel/memory/kmem.h"
#include "lib/errno.h"

volatile int io_trace_enabled;
static struct io_trace_entry *ring; /* and what follows: under trace_lock */
static uint64_t count;
static struct spinlock trace_lock = SPINLOCK_INITIALIZER("iotrace");

int io_trace_on(void)
{
    struct io_trace_entry *fresh = NULL;
    uintptr_t state;

    if (!ring)
        fresh = kmem_zalloc(IO_TRACE_ENTRIES * sizeof *ring);
    state = spinlock_acquire(&trace_lock);
    if (!ring) {
        ring = fresh;
        fresh = NULL;
    }
    io_trace_enabled = ring != NULL;
    spinlock_release(&trace_lock, state);
    kmem_free(fresh);
    return ring ? 0 : -ENOMEM;
}

void io_trace_off(void)
{
    io_trace_enabled = 0;
}

void io_trace_clear(void)
{
    uintptr_t state = spinlock_acquire(&trace_lock);

    count = 0;
    spinlock_release(&trace_lock, state);
}

uint64_t io_trace_count(void)
{
    uintptr_t state = spinlock_acquire(&trace_lock);
    uint64_t result = count;

    spinlock_release(&trace_lock, state);
    return result;
}

bool io_trace_get(uint64_t n, struct io_trace_entry *entry)
{
    uintptr_t state = spinlock_acquire(&trace_lock);
    bool there = n < count && count - n <= IO_TRACE_ENTRIES;

    if (there)
        *entry = ring[n % IO_TRACE_ENTRIES];
    spinlock_release(&trace_lock, state);
    return there;
}

void io_trace_record(const struct block_request *request)
{
    uintptr_t state = spinlock_acquire(&trace_lock);

    if (io_trace_enabled) {
        ring[count % IO_TRACE_ENTRIES] =
            (struct io_trace_entry){.device = request->device->name,
                                    .number = request->number,
                                    .block = request->block,
                                    .submitted = request->submitted,
                                    .started = request->started,
                                    .ended = request->ended,
                                    .bytes = (uint32_t)block_bytes(request),
                                    .resid = request->resid,
                                    .count = request->count,
                                    .waiting = request->waiting,
                                    .running = request->running,
                                    .error = request->error,
                                    .kind = request->kind};
        count++;
    }
    spinlock_release(&trace_lock, state);
}
