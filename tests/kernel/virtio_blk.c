/* SPDX-License-Identifier: BSD-2-Clause */
/* Self-tests of drivers/virtio_blk.c with a disk that may be overwritten: run when they are named.
 */
#include <arch/interrupt_flag.h>
#include "kernel/block/block.h"
#include "kernel/cpu/ipl.h"
#include "kernel/memory/kmem.h"
#include "kernel/device/late.h"
#include "kernel/memory/page.h"
#include "tests/kernel/selftest.h"
#include "kernel/thread/thread.h"
#include "lib/errno.h"
#include "lib/string.h"
#include "tests/kernel/until.h"

#define REQUESTS 160u
#define LOST     5u
#define WORDS    (PAGE_SIZE / sizeof(uint64_t))
#define LONG     3600000000000ull /* ns: what takes as long as that is lost */

struct batch {
    struct block_request requests[REQUESTS];
    uint64_t *buffers[REQUESTS];
};

/* Different in each word of each page, and in each round. */
static uint64_t pattern(unsigned page, unsigned word, unsigned round)
{
    return ((uint64_t)round << 56 | (uint64_t)page << 24 | word) * 0x9e3779b97f4a7c15ull;
}

/* Submits all before the first ends: on the CPU to which the disk's line goes, and with interrupts
 * off. 0, or an error. */
static int submit(struct batch *batch, struct block_device *disk, enum block_kind kind)
{
    uint32_t blocks = (uint32_t)(PAGE_SIZE / disk->block_size);
    uint32_t affinity = thread_affinity(thread_current());
    int refused = 0;
    uintptr_t state;

    thread_set_affinity(thread_current(), 1);
    state = interrupts_save();
    for (unsigned i = 0; i < REQUESTS; i++) {
        batch->requests[i] = (struct block_request){.device = disk,
                                                    .kind = kind,
                                                    .block = (uint64_t)i * blocks,
                                                    .count = blocks,
                                                    .buffer = batch->buffers[i]};
        refused |= block_submit(&batch->requests[i]);
    }
    spl_restore(state);
    thread_set_affinity(thread_current(), affinity);
    return refused;
}

/* Waits for all: an error, or the most that ran at a time. */
static int finish(struct batch *batch)
{
    uint32_t most = 0;
    int error = 0;

    for (unsigned i = 0; i < REQUESTS; i++) {
        int each = block_wait(&batch->requests[i]);

        if (each != 0 || batch->requests[i].resid != 0)
            error = each ? each : -EIO;
        if (batch->requests[i].running > most)
            most = batch->requests[i].running;
    }
    return error ? error : (int)most;
}

static int transfer(struct batch *batch, struct block_device *disk, enum block_kind kind)
{
    int refused = submit(batch, disk, kind);

    return refused ? refused : finish(batch);
}

static int check_rounds(struct batch *batch, struct block_device *disk)
{
    int most = 0;

    for (unsigned round = 1; round <= 3; round++) {
        for (unsigned i = 0; i < REQUESTS; i++)
            for (unsigned word = 0; word < WORDS; word++)
                batch->buffers[i][word] = pattern(i, word, round);
        most = transfer(batch, disk, BLOCK_WRITE);
        SELFTEST_CHECK(most > 0);
        SELFTEST_EQUAL(block_io(disk, BLOCK_FLUSH, 0, 0, NULL), 0);
        for (unsigned i = 0; i < REQUESTS; i++)
            memset(batch->buffers[i], 0xee, PAGE_SIZE);
        most = transfer(batch, disk, BLOCK_READ);
        SELFTEST_CHECK(most > 0);
        for (unsigned i = 0; i < REQUESTS; i++)
            for (unsigned word = 0; word < WORDS; word++)
                SELFTEST_EQUAL(batch->buffers[i][word], pattern(i, word, round));
    }
    SELFTEST_EQUAL(most, disk->depth);
    SELFTEST_CHECK(disk->depth >= 32);
    return selftest_note("%u at a time", disk->depth);
}

/* Runs BODY with the buffers of a batch, on vd0. */
static int with_batch(int (*body)(struct batch *, struct block_device *))
{
    struct block_device *disk;
    struct batch *batch;
    unsigned made = 0;
    int result;

    late_start();
    disk = block_find("vd0");
    if (!disk || disk->blocks * disk->block_size < REQUESTS * PAGE_SIZE)
        return selftest_skip("no vd0 that is large enough");
    batch = kmem_zalloc(sizeof *batch);
    if (!batch)
        return selftest_fail("no memory");
    while (made < REQUESTS && (batch->buffers[made] = page_alloc(0)) != NULL)
        made++;
    result = made == REQUESTS ? body(batch, disk) : selftest_fail("no memory");
    while (made-- > 0)
        page_free(batch->buffers[made]);
    kmem_free(batch);
    return result;
}

SELFTEST_ONLY_NAMED(virtio_queue, "virtio-queue",
                    "vd0 is written and read with a full queue (what was on it is lost)")
{
    return with_batch(check_rounds);
}

static void set_timeout(struct block_device *disk, uint64_t timeout)
{
    uintptr_t state = spinlock_acquire(&disk->lock);

    disk->timeout = timeout;
    spinlock_release(&disk->lock, state);
}

static const struct block_driver *real;

/* What is given to the disk again after its reset has time, however slow the host is. */
static bool reset_once(struct block_device *disk)
{
    set_timeout(disk, LONG);
    return real->reset(disk);
}

/* When all but the lost ones have been answered, it is too late for those. */
static int transfer_late(struct batch *batch, struct block_device *disk)
{
    uint64_t end = until_deadline();
    unsigned answered;
    uintptr_t state;
    int refused = submit(batch, disk, BLOCK_WRITE);

    if (refused)
        return refused;
    do {
        thread_sleep(1000000);
        answered = 0;
        for (unsigned i = 0; i < REQUESTS; i++)
            answered += batch->requests[i].finished;
    } while (answered < REQUESTS - LOST && clock_now() < end);
    state = spinlock_acquire(&disk->lock);
    disk->timeout = 0;
    timer_set(&disk->watch, clock_now(), disk->watch.function);
    spinlock_release(&disk->lock, state);
    return finish(batch);
}

/* Some answers are lost: the disk is reset in the middle of its work, and all of it is done. */
static int virtio_blk_check_reset(struct batch *batch, struct block_device *disk)
{
    static struct block_driver driver;
    uint64_t resets = evcnt_value(&disk->stats.resets), timeout = disk->timeout;
    uintptr_t state;
    unsigned again = 0;
    int most;

    for (unsigned i = 0; i < REQUESTS; i++)
        for (unsigned word = 0; word < WORDS; word++)
            batch->buffers[i][word] = pattern(i, word, 4);
    real = disk->driver;
    driver = *real;
    driver.reset = reset_once;
    state = spinlock_acquire(&disk->lock);
    disk->driver = &driver;
    disk->timeout = LONG;
    disk->inject_lost = LOST;
    spinlock_release(&disk->lock, state);
    most = transfer_late(batch, disk);
    disk->driver = real;
    for (unsigned i = 0; i < REQUESTS; i++) {
        again += batch->requests[i].tries > 1;
        memset(batch->buffers[i], 0, PAGE_SIZE);
    }
    set_timeout(disk, timeout);
    SELFTEST_CHECK(most > 0);
    SELFTEST_EQUAL(again, LOST);
    SELFTEST_EQUAL(evcnt_value(&disk->stats.resets), resets + 1);
    SELFTEST_CHECK(transfer(batch, disk, BLOCK_READ) > 0);
    for (unsigned i = 0; i < REQUESTS; i++)
        for (unsigned word = 0; word < WORDS; word++)
            SELFTEST_EQUAL(batch->buffers[i][word], pattern(i, word, 4));
    return selftest_note("%u requests were given again", again);
}

SELFTEST_ONLY_NAMED(virtio_reset, "virtio-reset",
                    "vd0 loses answers, is reset and does the rest (what was on it is lost)")
{
    return with_batch(virtio_blk_check_reset);
}

SELFTEST_ONLY_NAMED(virtio_free, "virtio-free", "vd0 is told that blocks are free (they are lost)")
{
    struct block_device *disk;
    int error;

    late_start();
    disk = block_find("vd0");
    if (!disk)
        return selftest_skip("no vd0");
    error = block_io(disk, BLOCK_FREE, 0, 8, NULL);
    SELFTEST_CHECK(error == 0 || error == -ENOTSUP);
    return selftest_note(error ? "it does not care" : "done");
}
