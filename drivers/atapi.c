/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CD-ROM drives behind IDE: packets of SCSI commands (ATA/ATAPI-6, 8.27 PACKET; SFF-8020i). Data is
 * read by DMA; what is asked about the medium comes through the data port.
 */
#include <arch/io.h>
#include "drivers/ide.h"
#include "lib/endian.h"
#include "lib/errno.h"

#define BLOCK          2048u
#define COMMAND_PACKET 0xa0
#define FEATURE_DMA    0x01
#define PACKET_BYTES   12
#define SCSI_READY     0x00 /* TEST UNIT READY */
#define SCSI_SENSE     0x03 /* REQUEST SENSE */
#define SCSI_CAPACITY  0x25 /* READ CAPACITY */
#define SCSI_READ      0x28 /* READ(10) */
#define SENSE_BYTES    18
#define READY_TRIES    4
#define WORD_CAPABLE   49
#define CAPABLE_DMA    0x100
#define TYPE_CD        0x0500 /* bits 12-8 of word 0: device type */
#define TYPE_MASK      0x1f00

static void atapi_put(const struct ide_channel *c, unsigned port, unsigned value)
{
    io_write8((uint16_t)(c->command + port), (uint8_t)value);
}

/* Sends a packet; the drive is told to move at most BYTES at a time. 0 or -EIO. */
static int atapi_send(struct ide_drive *drive, const uint8_t *packet, unsigned bytes,
                      unsigned features)
{
    const struct ide_channel *c = drive->channel;
    int status;

    ide_select(drive, 0);
    atapi_put(c, IDE_FEATURES, features);
    atapi_put(c, IDE_LBA_MID, bytes);
    atapi_put(c, IDE_LBA_HIGH, bytes >> 8);
    atapi_put(c, IDE_COMMAND, COMMAND_PACKET);
    status = ide_wait_short(c);
    if (status < 0 || !(status & IDE_STAT_DRQ))
        return -EIO;
    for (unsigned i = 0; i < PACKET_BYTES; i += 2)
        io_write16((uint16_t)(c->command + IDE_DATA),
                   (uint16_t)(packet[i] | (unsigned)packet[i + 1] << 8));
    return 0;
}

static int atapi_issue(struct ide_drive *drive, struct block_request *request)
{
    struct ide_channel *c = drive->channel;
    uint32_t block = (uint32_t)request->block;
    uint8_t packet[PACKET_BYTES] = {SCSI_READ,
                                    0,
                                    (uint8_t)(block >> 24),
                                    (uint8_t)(block >> 16),
                                    (uint8_t)(block >> 8),
                                    (uint8_t)block,
                                    0,
                                    (uint8_t)(request->count >> 8),
                                    (uint8_t)request->count};
    int error;

    if (request->kind != BLOCK_READ)
        return -ENOTSUP;
    if (ide_wait_short(c) < 0)
        return 0; /* it hangs: the request will time out, which resets it */
    error = ide_dma_prepare(c, request);
    if (error == 0)
        error = atapi_send(drive, packet, BLOCK, FEATURE_DMA);
    if (error == 0)
        ide_dma_go(c, request);
    return error;
}

/* A command of the channel's owner, whose answer comes through the data port: the bytes read, or
 * -EIO. */
static int atapi_ask(struct ide_drive *drive, const uint8_t *packet, uint8_t *answer, unsigned size)
{
    const struct ide_channel *c = drive->channel;
    unsigned got = 0;
    int status;

    if (ide_wait(c) < 0 || atapi_send(drive, packet, size, 0) != 0)
        return -EIO;
    while ((status = ide_wait(c)) >= 0 && status & IDE_STAT_DRQ) {
        unsigned bytes = io_read8((uint16_t)(c->command + IDE_LBA_MID)) |
                         (unsigned)io_read8((uint16_t)(c->command + IDE_LBA_HIGH)) << 8;

        if (bytes == 0 || bytes > size - got)
            return -EIO;
        ide_read_bytes(c, answer + got, bytes);
        got += bytes;
    }
    return status < 0 || status & IDE_STAT_ERR ? -EIO : (int)got;
}

/* Whether there is a medium. A drive whose medium was changed says once that there is none, and
 * once that it was changed, before it answers; asking what is wrong takes that note. */
static bool atapi_ready(struct ide_drive *drive)
{
    static const uint8_t test[PACKET_BYTES] = {SCSI_READY};
    static const uint8_t sense[PACKET_BYTES] = {SCSI_SENSE, 0, 0, 0, SENSE_BYTES};
    uint8_t answer[SENSE_BYTES];

    for (unsigned i = 0; i < READY_TRIES; i++) {
        if (atapi_ask(drive, test, NULL, 0) >= 0)
            return true;
        if (atapi_ask(drive, sense, answer, sizeof answer) < 0)
            return false;
    }
    return false;
}

static uint64_t atapi_capacity(struct ide_drive *drive)
{
    static const uint8_t packet[PACKET_BYTES] = {SCSI_CAPACITY};
    uint32_t answer[2]; /* last block, block size; big-endian */

    if (atapi_ask(drive, packet, (uint8_t *)answer, sizeof answer) != sizeof answer ||
        be32_to_cpu(answer[1]) != BLOCK)
        return 0;
    return (uint64_t)be32_to_cpu(answer[0]) + 1;
}

static int atapi_open(struct block_device *device)
{
    struct ide_drive *drive = ide_drive_of(device);
    uint64_t blocks;
    uintptr_t state;

    ide_own(drive->channel);
    blocks = atapi_ready(drive) ? atapi_capacity(drive) : 0;
    ide_disown(drive->channel);
    state = spinlock_acquire(&device->lock);
    device->blocks = blocks;
    spinlock_release(&device->lock, state);
    return blocks > 0 ? 0 : -ENODEV;
}

static const struct ide_kind kind = {"CD-ROM", IDE_PACKET, atapi_issue};
const struct block_driver atapi_driver = {"cd", ide_start, ide_reset, atapi_open, NULL};

bool atapi_prepare(struct ide_drive *drive, const uint16_t *words)
{
    struct block_device *device = &drive->device;

    if ((words[0] & TYPE_MASK) != TYPE_CD || !(words[WORD_CAPABLE] & CAPABLE_DMA))
        return false;
    drive->kind = &kind;
    *device = (struct block_device){.driver = &atapi_driver,
                                    .softc = drive,
                                    .controller = drive->channel->name,
                                    .handler = &drive->channel->handler,
                                    .block_size = BLOCK,
                                    .max_blocks = IDE_MAX_BYTES / BLOCK,
                                    .depth = 1,
                                    .read_only = true,
                                    .faults = IDE_PACKET_FAULTS};
    ide_describe(device, words);
    return true;
}

int atapi_attach(struct ide_drive *drive)
{
    static const struct block_type type = {DEVSTAT_TYPE_CDROM | DEVSTAT_TYPE_IF_IDE,
                                           DEVSTAT_PRIORITY_CD, false};

    return block_attach(&drive->device, &type);
}
