/* SPDX-License-Identifier: BSD-2-Clause */
/* What both kinds of IDE drives share: the channel, its interrupt, its DMA, its reset. */
#include "drivers/ide.h"
#include <arch/io.h>
#include <arch/memory.h>
#include "kernel/time/clock.h"
#include "kernel/thread/thread.h"
#include "lib/endian.h"
#include "lib/errno.h"
#include "lib/string.h"

#define WORD_SERIAL    10 /* IDENTIFY's */
#define SERIAL_WORDS   10
#define WORD_REVISION  23
#define REVISION_WORDS 4
#define WORD_MODEL     27
#define MODEL_WORDS    20

#define CONTROL_NO_INTERRUPT 0x02
#define CONTROL_RESET        0x04

#define MASTER_COMMAND 0
#define MASTER_STATUS  2
#define MASTER_TABLE   4
#define COMMAND_START  0x01
#define COMMAND_READ   0x08 /* into memory */
#define STATUS_KEEP    0x60 /* the drives can DMA: set by whoever set them up */

#define REACH       0x100000000ull /* the controller's addresses have 32 bits */
#define BOUNDARY    0x10000u
#define PATIENCE_NS 5000000000ull
#define SHORT_TURNS 100000u
#define NAP_NS      1000000ull

static uint8_t ide_channel_alternate_status(const struct ide_channel *c)
{
    return io_read8(c->control);
}

void ide_select(const struct ide_drive *drive, uint8_t bits)
{
    struct ide_channel *c = drive->channel;

    io_write8((uint16_t)(c->command + IDE_DEVICE), (uint8_t)(0xa0 | drive->select | bits));
    for (unsigned i = 0; i < 4; i++) /* 400 ns, until its status is the drive's */
        ide_channel_alternate_status(c);
}

int ide_wait_short(const struct ide_channel *c)
{
    for (unsigned i = 0; i < SHORT_TURNS; i++) {
        uint8_t status = ide_channel_alternate_status(c);

        if (!(status & IDE_STAT_BUSY))
            return status;
    }
    return -ETIMEDOUT;
}

int ide_wait(const struct ide_channel *c)
{
    uint64_t deadline = clock_now() + PATIENCE_NS;

    for (;;) {
        uint8_t status = ide_channel_alternate_status(c);

        if (!(status & IDE_STAT_BUSY))
            return status;
        if (clock_now() >= deadline)
            return -ETIMEDOUT;
        thread_sleep(NAP_NS);
    }
}

void ide_read_numbers(const struct ide_channel *c, uint16_t *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        numbers[i] = io_read16((uint16_t)(c->command + IDE_DATA));
}

void ide_read_bytes(const struct ide_channel *c, void *buffer, size_t bytes)
{
    uint8_t *to = buffer;

    for (size_t i = 0; i + 1 < bytes; i += 2) {
        uint16_t pair = io_read16((uint16_t)(c->command + IDE_DATA));

        to[i] = (uint8_t)pair;
        to[i + 1] = (uint8_t)(pair >> 8);
    }
}

/* A string of IDENTIFY's, NUMBERS words long, without the blanks at its end. */
static void ide_text(char *out, size_t size, const uint16_t *words, size_t numbers)
{
    size_t used = 0;

    for (size_t i = 0; i < numbers * 2 && used + 1 < size; i++)
        out[used++] = (char)(words[i / 2] >> (i % 2 ? 0 : 8));
    while (used > 0 && (out[used - 1] == ' ' || out[used - 1] == '\0'))
        used--;
    out[used] = '\0';
}

void ide_describe(struct block_device *device, const uint16_t *words)
{
    ide_text(device->serial, sizeof device->serial, &words[WORD_SERIAL], SERIAL_WORDS);
    ide_text(device->revision, sizeof device->revision, &words[WORD_REVISION], REVISION_WORDS);
    ide_text(device->model, sizeof device->model, &words[WORD_MODEL], MODEL_WORDS);
}

/* --- DMA --- */

static bool ide_channel_reachable(const void *buffer, size_t bytes)
{
    return memory_physical(buffer) + bytes <= REACH;
}

static char *ide_channel_dma_buffer(const struct ide_channel *c,
                                    const struct block_request *request)
{
    return ide_channel_reachable(request->buffer, block_bytes(request)) ? request->buffer
                                                                        : c->bounce;
}

int ide_dma_prepare(struct ide_channel *c, struct block_request *request)
{
    size_t bytes = block_bytes(request);
    char *buffer = ide_channel_dma_buffer(c, request);
    uint64_t address;
    unsigned used = 0;

    if (!buffer)
        return -ENOMEM;
    if (buffer == c->bounce && request->kind == BLOCK_WRITE)
        memcpy(buffer, request->buffer, bytes);
    address = memory_physical(buffer);
    while (bytes > 0) {
        size_t size = BOUNDARY - address % BOUNDARY;

        size = size < bytes ? size : bytes;
        bytes -= size;
        request->moved += size;
        c->prds[used++] = (struct ide_prd){
            cpu_to_le32((uint32_t)address),
            cpu_to_le32((uint32_t)(size & (BOUNDARY - 1)) | (bytes == 0 ? IDE_PRD_LAST : 0))};
        address += size;
    }
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    io_write8((uint16_t)(c->master + MASTER_COMMAND), 0);
    io_write32((uint16_t)(c->master + MASTER_TABLE), (uint32_t)memory_physical(c->prds));
    return 0;
}

void ide_dma_go(const struct ide_channel *c, const struct block_request *request)
{
    uint8_t direction = request->kind == BLOCK_READ ? COMMAND_READ : 0;

    io_write8((uint16_t)(c->master + MASTER_COMMAND), direction);
    io_write8((uint16_t)(c->master + MASTER_COMMAND), direction | COMMAND_START);
}

/* Stops it and takes note of the interrupt; what its status was. */
static uint8_t ide_channel_dma_stop(const struct ide_channel *c)
{
    uint8_t status = io_read8((uint16_t)(c->master + MASTER_STATUS));

    io_write8((uint16_t)(c->master + MASTER_COMMAND), 0);
    io_write8((uint16_t)(c->master + MASTER_STATUS),
              (uint8_t)((status & STATUS_KEEP) | IDE_MASTER_ERROR | IDE_MASTER_INTERRUPT));
    return status;
}

/* --- requests --- */

static struct ide_drive *ide_channel_other_drive(const struct ide_drive *drive)
{
    return &drive->channel->drive[drive->select ? 0 : 1];
}

/* When a request has ended and there are two drives, the interrupt handler decides who is next. */
static bool ide_channel_may_start(const struct ide_drive *drive)
{
    const struct ide_channel *c = drive->channel;

    return !c->active && !c->owned && c->wanted == 0 &&
           (c->ending == 0 || !ide_channel_other_drive(drive)->attached);
}

void ide_start(struct block_device *device)
{
    struct ide_drive *drive = ide_drive_of(device);
    struct ide_channel *c = drive->channel;
    struct block_request *request;

    spinlock_lock(&c->lock);
    while (ide_channel_may_start(drive) && (request = block_next(device)) != NULL) {
        int error;

        c->active = request;
        ide_stats_make(&c->stats, request);
        error = drive->kind->issue(drive, request);
        if (error == 0) {
            ide_stats_go(&c->stats, request);
            break;
        }
        ide_stats_refuse(&c->stats, request);
        c->active = NULL;
        block_fail(request, error);
        block_done(request);
    }
    spinlock_unlock(&c->lock);
}

static void ide_channel_kick(struct ide_drive *drive)
{
    if (drive->attached)
        block_kick(&drive->device);
}

static void ide_channel_finish(struct ide_channel *c, struct block_request *request,
                               struct ide_outcome outcome)
{
    struct block_device *device = request->device;
    struct ide_drive *drive = ide_drive_of(device);
    size_t bytes = block_bytes(request);
    bool failed = outcome.error != 0;
    uintptr_t state;

    if (!failed && request->kind == BLOCK_READ && ide_channel_dma_buffer(c, request) == c->bounce)
        memcpy(request->buffer, c->bounce, bytes);
    state = spinlock_acquire(&device->lock);
    request->error = outcome.error;
    request->fault = outcome.fault;
    request->resid = failed ? (uint32_t)bytes : 0;
    if (failed)
        request->moved = 0;
    else if (outcome.fault == BLOCK_FAULT_RECOVERED)
        block_recovered(request);
    block_done(request);
    spinlock_release(&device->lock, state);
    state = spinlock_acquire(&c->lock);
    c->ending--;
    spinlock_release(&c->lock, state);
    if (ide_channel_other_drive(drive)->attached) {
        ide_channel_kick(ide_channel_other_drive(drive));
        ide_channel_kick(drive);
    }
}

/* The active request's; STATUS and MASTER have been read. The channel's lock. */
static struct ide_outcome ide_channel_outcome_of(const struct ide_channel *c, uint8_t status,
                                                 uint8_t master)
{
    uint8_t error = status & IDE_STAT_ERR ? io_read8((uint16_t)(c->command + IDE_ERROR)) : 0;

    return ide_outcome(ide_drive_of(c->active->device)->kind->protocol, status, error, master);
}

int ide_interrupt(void *argument)
{
    struct ide_channel *c = argument;
    uintptr_t state = spinlock_acquire(&c->lock);
    struct block_request *request = c->active;
    struct ide_outcome outcome = {.error = 0};
    uint8_t master, status;

    master = io_read8((uint16_t)(c->master + MASTER_STATUS));
    if (!(master & IDE_MASTER_INTERRUPT)) {
        spinlock_release(&c->lock, state);
        return 0;
    }
    status = io_read8((uint16_t)(c->command + IDE_STATUS)); /* the drive takes its interrupt back */
    if (request && status & IDE_STAT_BUSY) { /* something else, such as another medium */
        io_write8((uint16_t)(c->master + MASTER_STATUS),
                  (uint8_t)((master & STATUS_KEEP) | IDE_MASTER_INTERRUPT));
        request = NULL;
    } else {
        ide_channel_dma_stop(c);
    }
    if (request) {
        outcome = ide_channel_outcome_of(c, status, master);
        ide_stats_end(&c->stats, request, outcome.error ? 0 : block_bytes(request));
        c->active = NULL;
        c->ending++;
    }
    spinlock_release(&c->lock, state);
    if (request)
        ide_channel_finish(c, request, outcome);
    return 1;
}

/* --- the channel for one thread --- */

static void ide_channel_own(struct ide_channel *c, bool idle)
{
    uintptr_t state = spinlock_acquire(&c->lock);

    c->wanted++;
    while (c->owned || c->ending > 0 || (idle && c->active)) {
        spinlock_release(&c->lock, state);
        thread_sleep(NAP_NS);
        state = spinlock_acquire(&c->lock);
    }
    c->wanted--;
    c->owned = true;
    kstat_timer_start(&c->stats.owned);
    io_write8(c->control, CONTROL_NO_INTERRUPT);
    spinlock_release(&c->lock, state);
}

void ide_own(struct ide_channel *c)
{
    ide_channel_own(c, true);
}

void ide_disown(struct ide_channel *c)
{
    uintptr_t state = spinlock_acquire(&c->lock);

    io_read8((uint16_t)(c->command + IDE_STATUS));
    ide_channel_dma_stop(c);
    io_write8(c->control, 0);
    c->owned = false;
    kstat_timer_stop(&c->stats.owned);
    spinlock_release(&c->lock, state);
    ide_channel_kick(&c->drive[0]);
    ide_channel_kick(&c->drive[1]);
}

bool ide_soft_reset(struct ide_channel *c)
{
    io_write8(c->control, CONTROL_RESET | CONTROL_NO_INTERRUPT);
    thread_sleep(NAP_NS);
    io_write8(c->control, CONTROL_NO_INTERRUPT);
    thread_sleep(2 * NAP_NS);
    return ide_wait(c) >= 0;
}

/* Resets both drives; the other one's request, if it has one, is tried again as well. */
bool ide_reset(struct block_device *device)
{
    struct ide_channel *c = ide_drive_of(device)->channel;
    struct block_request *active;
    uintptr_t state;
    bool alive;

    ide_channel_own(c, false);
    state = spinlock_acquire(&c->lock);
    active = c->active;
    if (active)
        ide_stats_take_back(&c->stats, active);
    c->active = NULL;
    ide_channel_dma_stop(c);
    spinlock_release(&c->lock, state);
    alive = ide_soft_reset(c);
    if (active) {
        state = spinlock_acquire(&c->lock);
        ide_stats_refuse(&c->stats, active);
        spinlock_release(&c->lock, state);
    }
    if (active && active->device != device) {
        state = spinlock_acquire(&active->device->lock);
        block_retry(active, -ETIMEDOUT);
        spinlock_release(&active->device->lock, state);
    }
    ide_disown(c);
    return alive;
}
