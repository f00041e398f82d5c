/* SPDX-License-Identifier: BSD-2-Clause */
/* The threads of dd. The calling one waits for them, shows how far they are, and stops them at ^C.
 */
#include "shell/commands/dd/block_copy.h"

#include "kernel/time/clock.h"
#include "kernel/memory/kmem.h"
#include "kernel/thread/thread.h"
#include "lib/errno.h"
#include "lib/string.h"
#include "shell/output.h"

#define PROGRESS_NS 500000000ull

struct work {
    struct block_copy *copy;
    struct spinlock lock; /* guards what follows, and the results in copy */
    struct wait_queue ended;
    uint64_t next; /* byte of the next record */
    unsigned running;
    bool stop;
};

void block_pattern(char *buffer, size_t bytes, uint64_t seed, uint64_t at)
{
    uint64_t number = 0;

    for (size_t i = 0; i < bytes; i++, at++) {
        if (i == 0 || at % 8 == 0) {
            number = seed + at / 8 + 0x9e3779b97f4a7c15u;
            number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9u;
            number = (number ^ number >> 27) * 0x94d049bb133111ebu;
            number ^= number >> 31;
        }
        buffer[i] = (char)(number >> at % 8 * 8);
    }
}

static void block_copy_fail(struct work *work, struct block_device *device, enum block_kind kind,
                            uint64_t block, uint32_t count, int error)
{
    struct block_copy *copy = work->copy;
    uintptr_t state = spinlock_acquire(&work->lock);

    work->stop = true;
    if (copy->error == 0) {
        copy->error = error;
        copy->error_name = device ? device->name : NULL;
        copy->error_kind = kind;
        copy->error_block = block;
        copy->error_count = count;
    }
    spinlock_release(&work->lock, state);
}

/* Moves BYTES between BUFFER and byte AT of a device, in requests that the device takes. */
static bool block_copy_transfer(struct work *work, struct block_device *device,
                                enum block_kind kind, char *buffer, uint64_t at, size_t bytes)
{
    uint64_t block = at / device->block_size;
    size_t left = bytes / device->block_size;

    while (left > 0) {
        uint32_t count = (uint32_t)(left < device->max_blocks ? left : device->max_blocks);
        int error = block_io(device, kind, block, count, buffer);

        if (error != 0) {
            block_copy_fail(work, device, kind, block, count, error);
            return false;
        }
        buffer += (size_t)count * device->block_size;
        block += count;
        left -= count;
    }
    return true;
}

static bool block_copy_move(struct work *work, char *buffer, uint64_t at, size_t bytes)
{
    struct block_copy *copy = work->copy;
    const struct block_place *from = &copy->from, *to = &copy->to;
    bool full = bytes == copy->record;
    uintptr_t state;

    if (from->kind == BLOCK_PLACE_PATTERN)
        block_pattern(buffer, bytes, from->seed, at);
    else if (from->kind == BLOCK_PLACE_DEVICE &&
             !block_copy_transfer(work, from->device, BLOCK_READ, buffer, from->offset + at, bytes))
        return false;
    state = spinlock_acquire(&work->lock);
    full ? copy->full_in++ : copy->part_in++;
    spinlock_release(&work->lock, state);
    if (to->kind == BLOCK_PLACE_DEVICE &&
        !block_copy_transfer(work, to->device, BLOCK_WRITE, buffer, to->offset + at, bytes))
        return false;
    state = spinlock_acquire(&work->lock);
    full ? copy->full_out++ : copy->part_out++;
    copy->moved += bytes;
    spinlock_release(&work->lock, state);
    return true;
}

/* The next record, and how long it is; 0: none. */
static size_t block_copy_take(struct work *work, uint64_t *at)
{
    struct block_copy *copy = work->copy;
    uintptr_t state = spinlock_acquire(&work->lock);
    uint64_t left = work->stop ? 0 : copy->bytes - work->next;
    size_t bytes = left < copy->record ? (size_t)left : copy->record;

    *at = work->next;
    work->next += bytes;
    spinlock_release(&work->lock, state);
    return bytes;
}

static void block_copy_job(void *argument)
{
    struct work *work = argument;
    char *buffer = kmem_zalloc(work->copy->record);
    uintptr_t state;
    uint64_t at;
    size_t bytes;

    if (!buffer)
        block_copy_fail(work, NULL, BLOCK_READ, 0, 0, -ENOMEM);
    while (buffer && (bytes = block_copy_take(work, &at)) > 0)
        if (!block_copy_move(work, buffer, at, bytes))
            break;
    kmem_free(buffer);
    state = spinlock_acquire(&work->lock);
    work->running--;
    wait_wake_all(&work->ended);
    spinlock_release(&work->lock, state);
}

static void block_copy_show(const struct block_copy *copy, uint64_t moved, uint64_t ns)
{
    uint64_t rate = ns / 1000 == 0 ? 0 : moved * 1000 / (ns / 1000);

    if (copy->progress)
        shell_printf("\r%lu of %lu bytes, %lu s, %lu kB/s \033[K", (unsigned long)moved,
                     (unsigned long)copy->bytes, (unsigned long)(ns / 1000000000),
                     (unsigned long)rate);
}

/* Waits for the end of all jobs. */
static void block_copy_attend(struct work *work, uint64_t begin)
{
    struct block_copy *copy = work->copy;
    uint64_t next = begin + PROGRESS_NS;
    bool shown = false;
    uintptr_t state = spinlock_acquire(&work->lock);

    while (work->running > 0) {
        int result = work->stop ? wait_sleep(&work->ended, &work->lock, &state, WAIT_FOREVER)
                                : wait_interruptible(&work->ended, &work->lock, &state, next);

        if (result == -EINTR || shell_interrupted()) {
            work->stop = true;
            if (copy->error == 0)
                copy->error = -EINTR;
        }
        if (clock_now() >= next && work->running > 0) {
            uint64_t moved = copy->moved;

            spinlock_release(&work->lock, state);
            next = clock_now() + PROGRESS_NS;
            block_copy_show(copy, moved, next - PROGRESS_NS - begin);
            shown = copy->progress;
            state = spinlock_acquire(&work->lock);
        }
    }
    spinlock_release(&work->lock, state);
    if (shown)
        shell_printf("\r\033[K");
}

void block_copy(struct block_copy *copy)
{
    struct work work = {.copy = copy, .lock = SPINLOCK_INITIALIZER("dd")};
    struct thread *threads[BLOCK_COPY_JOBS_MAX];
    uint64_t begin = clock_now();
    unsigned started = 0;

    wait_queue_init(&work.ended);
    for (; started < copy->jobs; started++) {
        uintptr_t state = spinlock_acquire(&work.lock);
        int error;

        work.running++;
        spinlock_release(&work.lock, state);
        error =
            thread_create("dd", THREAD_PRIORITY_NORMAL, block_copy_job, &work, &threads[started]);
        if (error != 0) {
            state = spinlock_acquire(&work.lock);
            work.running--;
            spinlock_release(&work.lock, state);
            block_copy_fail(&work, NULL, BLOCK_READ, 0, 0, error);
            break;
        }
    }
    block_copy_attend(&work, begin);
    while (started > 0)
        thread_join(threads[--started]);
    if (copy->error == 0 && copy->flush && copy->to.kind == BLOCK_PLACE_DEVICE) {
        int error = block_io(copy->to.device, BLOCK_FLUSH, 0, 0, NULL);

        if (error != 0)
            block_copy_fail(&work, copy->to.device, BLOCK_FLUSH, 0, 0, error);
    }
    copy->ns = clock_now() - begin;
}
