/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * IDE: a channel with its two drives, disks (ide_disk.c) or CD-ROMs (atapi.c), as T13's ATA/ATAPI-6
 * describes them, with bus-master DMA (Intel "Programming Interface for Bus Master IDE
 * Controller", 1.0). One command at a time for both drives.
 *
 * Locks: a drive's block device first, then the channel's.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "drivers/ide_stats.h"
#include "kernel/block/block.h"
#include "kernel/interrupt/interrupt.h"

/* Offsets from a channel's command ports. */
#define IDE_DATA      0
#define IDE_FEATURES  1
#define IDE_ERROR     1
#define IDE_COUNT     2
#define IDE_LBA_LOW   3
#define IDE_LBA_MID   4
#define IDE_LBA_HIGH  5
#define IDE_DEVICE    6
#define IDE_COMMAND   7
#define IDE_STATUS    7
#define IDE_SLAVE     0x10 /* in IDE_DEVICE */
#define IDE_USE_LBA   0x40
#define IDE_STAT_ERR  0x01
#define IDE_STAT_DRQ  0x08
#define IDE_STAT_DF   0x20
#define IDE_STAT_BUSY 0x80

/* The bus master's status. */
#define IDE_MASTER_ACTIVE    0x01
#define IDE_MASTER_ERROR     0x02
#define IDE_MASTER_INTERRUPT 0x04

#define IDE_MAX_BYTES 65536u /* per request */
#define IDE_PRDS      16u

/* A piece of memory, as the controller reads it: little-endian, within 64 KiB, even. */
struct ide_prd {
    uint32_t address, count;
};
#define IDE_PRD_LAST 0x80000000u

struct ide_channel;
struct ide_drive;

enum ide_protocol { IDE_DISK, IDE_PACKET };

struct ide_kind {
    const char *name;
    enum ide_protocol protocol;
    /* Gives the drive its command; channel's lock. An error: it was not given. */
    int (*issue)(struct ide_drive *drive, struct block_request *request);
};

struct ide_drive {
    struct block_device device;
    struct ide_channel *channel;
    const struct ide_kind *kind;
    bool attached;
    bool lba48;
    uint8_t select; /* 0 or IDE_SLAVE */
};

struct ide_channel {
    struct spinlock lock; /* guards the ports and what follows */
    const char *name;     /* "ide0" */
    uint16_t command, control, master;
    struct block_request *active; /* its drive has a command */
    unsigned ending;      /* requests that have ended, but the block layer is not yet told */
    unsigned wanted;      /* threads that want the channel for themselves */
    bool owned;           /* one has it */
    struct ide_prd *prds; /* IDE_PRDS */
    char *bounce;         /* for buffers that the controller cannot reach; or NULL */
    struct ide_stats stats;
    struct interrupt_handler handler;
    struct ide_drive drive[2];
};

/* --- ide_outcome.c --- */

/* What the kinds of drives can tell of an error. */
#define IDE_DISK_FAULTS                                                                            \
    (1u << BLOCK_FAULT_MEDIA | 1u << BLOCK_FAULT_NOT_READY | 1u << BLOCK_FAULT_ILLEGAL |           \
     1u << BLOCK_FAULT_TRANSPORT)
#define IDE_PACKET_FAULTS (IDE_DISK_FAULTS | 1u << BLOCK_FAULT_RECOVERED)

struct ide_outcome {
    int error; /* 0 or -EIO */
    enum block_fault fault;
};

/* From the drive's status and error registers and the bus master's status at the end of a command
 * that moves data. ERROR counts only with IDE_STAT_ERR. */
struct ide_outcome ide_outcome(enum ide_protocol protocol, uint8_t status, uint8_t error,
                               uint8_t master);

/* --- ide_channel.c --- */

extern const struct block_driver ide_disk_driver, atapi_driver;

void ide_start(struct block_device *device);
bool ide_reset(struct block_device *device);
int ide_interrupt(void *channel);

static inline struct ide_drive *ide_drive_of(struct block_device *device)
{
    return device->softc;
}

/* The channel for a thread alone, its drives' interrupts off; waits until no command is under way.
 */
void ide_own(struct ide_channel *channel);
void ide_disown(struct ide_channel *channel);
/* The rest are for its owner, or under the channel's lock. */
void ide_select(const struct ide_drive *drive, uint8_t bits);
/* Resets both drives; false if they stay busy. Owner only. */
bool ide_soft_reset(struct ide_channel *channel);
/* Waits until the drive is not busy; its status, or -ETIMEDOUT. Owner only: sleeps. */
int ide_wait(const struct ide_channel *channel);
/* The same for a moment. Any context. */
int ide_wait_short(const struct ide_channel *channel);
/* From the data port: bytes as they come, or the numbers that IDENTIFY gives. */
void ide_read_bytes(const struct ide_channel *channel, void *buffer, size_t bytes);
void ide_read_numbers(const struct ide_channel *channel, uint16_t *numbers, size_t count);

/* DMA for REQUEST: prepare before the command, go after it. -ENOMEM: the buffer cannot be reached.
 */
int ide_dma_prepare(struct ide_channel *channel, struct block_request *request);
void ide_dma_go(const struct ide_channel *channel, const struct block_request *request);

/* The model, revision and serial number of DEVICE, from all of IDENTIFY's words. */
void ide_describe(struct block_device *device, const uint16_t *words);

/* --- drives: looked for by the channel's owner; IDENTIFY's words. Attached later. --- */

#define IDE_WORDS 256
bool ide_disk_prepare(struct ide_drive *drive, const uint16_t *words);
bool atapi_prepare(struct ide_drive *drive, const uint16_t *words);
int ide_disk_attach(struct ide_drive *drive);
int atapi_attach(struct ide_drive *drive);
