/* SPDX-License-Identifier: BSD-2-Clause */
/* What programs ask of the samples of perf_event_open(2): to map them, to wait for them, how many
 * and how often. */
#include "fs/file/file.h"
#include "lib/errno.h"
#include "linux/program/call.h"
#include "linux/perf/perf_private.h"

#define PAGE 4096u

/* The ring that is mapped already, or a new one; with perf_lock. */
static int perf_ring_for(struct perf_event *event, unsigned pages, bool write)
{
    struct perf_ring *ring;

    if (event->ring && perf_ring_is_mapped(event->ring))
        return perf_ring_pages(event->ring) == pages ? 0 : -EINVAL;
    ring = perf_ring_create(pages, !write);
    if (!ring)
        return -ENOMEM;
    if (event->flags & PERF_WATERMARK)
        perf_ring_set_watermark(ring, event->wakeup);
    perf_set_ring(event, ring);
    return 0;
}

int perf_map(struct file *file, uint64_t offset, uint64_t size, bool write, struct vm_object **out)
{
    struct perf_event *event = file->data;
    uint64_t pages = (size + PAGE - 1) / PAGE - 1;
    int error;

    if (offset != 0 || pages & (pages - 1) || event->flags & PERF_INHERIT)
        return -EINVAL;
    if (pages > PERF_RING_PAGES)
        return -ENOMEM;
    if (pages > PERF_RING_PAGES_USER && !program_is_root(task_current()->program))
        return -EPERM;
    mutex_enter(&perf_lock);
    error = perf_ring_for(event, (unsigned)pages, write);
    if (error == 0)
        *out = perf_ring_object(event->ring);
    mutex_exit(&perf_lock);
    return error;
}

/* Samples are announced once. */
uint32_t perf_poll(struct file *file, uint32_t events, struct poll_entry *entry)
{
    struct perf_event *event = file->data;
    uint32_t found = 0;
    uintptr_t state;

    poll_source_watch(&event->source, entry);
    state = spinlock_acquire(&perf_sampling_lock);
    if (!event->task || !event->ring)
        found = POLLHUP;
    else if (event->ready)
        found = POLLIN | POLLRDNORM;
    event->ready = false;
    spinlock_release(&perf_sampling_lock, state);
    return found & (events | POLLHUP);
}

long perf_refresh(struct perf_event *event, uint64_t more)
{
    uintptr_t state;

    if (event->period == 0 || event->flags & PERF_INHERIT)
        return -EINVAL;
    state = spinlock_acquire(&perf_sampling_lock);
    event->limit += (int32_t)more > 0 ? more : 0;
    spinlock_release(&perf_sampling_lock, state);
    return 0;
}

long perf_set_period(struct perf_event *event, const void *user)
{
    uint64_t period;

    if (copyin(user, &period, sizeof period) != 0)
        return -EFAULT;
    if (event->period == 0 || period == 0 || period >> 63 != 0)
        return -EINVAL;
    mutex_enter(&perf_lock);
    perf_drop_counter(event);
    event->period = period;
    if (event->task)
        perf_update(event->leader);
    mutex_exit(&perf_lock);
    return 0;
}

static long perf_share_ring(struct perf_event *event, struct perf_event *other)
{
    if (!other->ring || other == event || other->task != event->task ||
        (event->ring && perf_ring_is_mapped(event->ring)))
        return -EINVAL;
    perf_set_ring(event, perf_ring_hold(other->ring));
    return 0;
}

long perf_set_output(struct perf_event *event, int descriptor)
{
    struct file *file = descriptor == -1 ? NULL : call_file(descriptor);
    struct perf_event *other = file ? perf_of_file(file) : NULL;
    long error = 0;

    if (descriptor != -1 && !other) {
        file_release(file);
        return file ? -EINVAL : -EBADF;
    }
    mutex_enter(&perf_lock);
    if (other)
        error = perf_share_ring(event, other);
    else
        perf_set_ring(event, NULL);
    mutex_exit(&perf_lock);
    file_release(file);
    return error;
}

long perf_pause(struct perf_event *event, bool pause)
{
    uintptr_t state = spinlock_acquire(&perf_sampling_lock);
    long error = event->ring ? 0 : -EINVAL;

    if (event->ring)
        perf_ring_pause(event->ring, pause);
    spinlock_release(&perf_sampling_lock, state);
    return error;
}

void perf_tell_page(struct perf_event *event, const struct perf_count *count)
{
    uintptr_t state;

    if (!event->ring)
        return;
    state = spinlock_acquire(&perf_sampling_lock);
    if (event->ring)
        perf_ring_tell(event->ring, count);
    spinlock_release(&perf_sampling_lock, state);
}
