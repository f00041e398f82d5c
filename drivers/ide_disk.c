/* SPDX-License-Identifier: BSD-2-Clause */
/* IDE disks (ATA/ATAPI-6, 8: READ DMA, WRITE DMA, FLUSH CACHE, IDENTIFY DEVICE). */
#include <arch/io.h>
#include "drivers/ide.h"
#include "lib/errno.h"
#include "lib/string.h"

#define BLOCK           512u
#define READ_DMA        0xc8
#define READ_DMA_EXT    0x25
#define WRITE_DMA       0xca
#define WRITE_DMA_EXT   0x35
#define FLUSH_CACHE     0xe7
#define FLUSH_CACHE_EXT 0xea
#define LBA28_BLOCKS    (1ull << 28)

/* IDENTIFY's words */
#define WORD_CAPABILITIES 49
#define CAPABLE_DMA       0x100
#define CAPABLE_LBA       0x200
#define WORD_BLOCKS28     60
#define WORD_COMMANDS     83
#define COMMANDS_VALID    0xc000
#define COMMANDS_ARE      0x4000
#define COMMANDS_LBA48    0x0400
#define WORD_BLOCKS48     100

static void ide_disk_put(const struct ide_channel *c, unsigned port, uint64_t value)
{
    io_write8((uint16_t)(c->command + port), (uint8_t)value);
}

static void ide_disk_put_address(const struct ide_channel *c, uint64_t count, uint64_t block)
{
    ide_disk_put(c, IDE_COUNT, count);
    ide_disk_put(c, IDE_LBA_LOW, block);
    ide_disk_put(c, IDE_LBA_MID, block >> 8);
    ide_disk_put(c, IDE_LBA_HIGH, block >> 16);
}

static void ide_disk_transfer(struct ide_drive *drive, const struct block_request *request)
{
    const struct ide_channel *c = drive->channel;
    uint64_t block = request->block;
    bool read = request->kind == BLOCK_READ;

    if (block + request->count > LBA28_BLOCKS) {
        ide_select(drive, IDE_USE_LBA);
        ide_disk_put_address(c, request->count >> 8, block >> 24);
        ide_disk_put_address(c, request->count, block);
        ide_disk_put(c, IDE_COMMAND, read ? READ_DMA_EXT : WRITE_DMA_EXT);
    } else {
        ide_select(drive, (uint8_t)(IDE_USE_LBA | block >> 24));
        ide_disk_put_address(c, request->count, block);
        ide_disk_put(c, IDE_COMMAND, read ? READ_DMA : WRITE_DMA);
    }
    ide_dma_go(c, request);
}

static int ide_disk_issue(struct ide_drive *drive, struct block_request *request)
{
    struct ide_channel *c = drive->channel;
    int error = 0;

    if (request->kind == BLOCK_FREE)
        return -ENOTSUP;
    if (ide_wait_short(c) < 0)
        return 0; /* it hangs: the request will time out, which resets it */
    if (request->kind == BLOCK_FLUSH) {
        ide_select(drive, IDE_USE_LBA);
        ide_disk_put(c, IDE_COMMAND, drive->lba48 ? FLUSH_CACHE_EXT : FLUSH_CACHE);
        return 0;
    }
    error = ide_dma_prepare(c, request);
    if (error == 0)
        ide_disk_transfer(drive, request);
    return error;
}

/* Everything else that a disk may be asked without data it answers by itself; for this it needs
 * what it keeps the data on. */
static int ide_disk_check(struct block_device *device)
{
    struct ide_drive *drive = ide_drive_of(device);
    struct ide_channel *c = drive->channel;
    int status;

    ide_own(c);
    ide_select(drive, IDE_USE_LBA);
    status = ide_wait(c);
    if (status >= 0) {
        ide_disk_put(c, IDE_COMMAND, FLUSH_CACHE);
        status = ide_wait(c);
    }
    ide_disown(c);
    return status < 0 || status & (IDE_STAT_ERR | IDE_STAT_DF) ? -EIO : 0;
}

static const struct ide_kind kind = {"disk", IDE_DISK, ide_disk_issue};
const struct block_driver ide_disk_driver = {"wd", ide_start, ide_reset, NULL, ide_disk_check};

bool ide_disk_prepare(struct ide_drive *drive, const uint16_t *words)
{
    struct block_device *device = &drive->device;
    uint64_t blocks = words[WORD_BLOCKS28] | (uint64_t)words[WORD_BLOCKS28 + 1] << 16;

    if ((~words[WORD_CAPABILITIES] & (CAPABLE_DMA | CAPABLE_LBA)) != 0)
        return false;
    drive->lba48 = (words[WORD_COMMANDS] & COMMANDS_VALID) == COMMANDS_ARE &&
                   words[WORD_COMMANDS] & COMMANDS_LBA48;
    if (drive->lba48)
        blocks = words[WORD_BLOCKS48] | (uint64_t)words[WORD_BLOCKS48 + 1] << 16 |
                 (uint64_t)words[WORD_BLOCKS48 + 2] << 32;
    drive->kind = &kind;
    *device = (struct block_device){.driver = &ide_disk_driver,
                                    .softc = drive,
                                    .controller = drive->channel->name,
                                    .handler = &drive->channel->handler,
                                    .block_size = BLOCK,
                                    .max_blocks = IDE_MAX_BYTES / BLOCK,
                                    .blocks = blocks,
                                    .depth = 1,
                                    .faults = IDE_DISK_FAULTS};
    ide_describe(device, words);
    strlcpy(device->vendor, "ATA", sizeof device->vendor); /* IDENTIFY has none */
    return blocks > 0;
}

int ide_disk_attach(struct ide_drive *drive)
{
    static const struct block_type type = {DEVSTAT_TYPE_DIRECT | DEVSTAT_TYPE_IF_IDE,
                                           DEVSTAT_PRIORITY_DISK, false};

    return block_attach(&drive->device, &type);
}
