/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a disk of virtio says of itself and of what it was asked (Virtual I/O Device Specification
 * 1.1, 5.2), and whether that can be. Nothing here moves data: see virtio_blk.c.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "drivers/virtio_pci.h"
#include "kernel/block/block.h"

#define VIRTIO_BLK_SECTOR 512u

/* 5.2.3: feature bits. */
#define VIRTIO_BLK_SIZE_MAX   (1ull << 1)
#define VIRTIO_BLK_RO         (1ull << 5)
#define VIRTIO_BLK_BLOCK_SIZE (1ull << 6)
#define VIRTIO_BLK_FLUSH      (1ull << 9)
#define VIRTIO_BLK_DISCARD    (1ull << 13)
#define VIRTIO_BLK_FEATURES                                                                        \
    (VIRTIO_BLK_SIZE_MAX | VIRTIO_BLK_RO | VIRTIO_BLK_BLOCK_SIZE | VIRTIO_BLK_FLUSH |              \
     VIRTIO_BLK_DISCARD)

/* 5.2.4: the configuration. */
#define VIRTIO_BLK_CONFIG_CAPACITY    0 /* in sectors, as all numbers here that name no bytes */
#define VIRTIO_BLK_CONFIG_SIZE_MAX    8 /* bytes in one descriptor */
#define VIRTIO_BLK_CONFIG_BLOCK_SIZE  20
#define VIRTIO_BLK_CONFIG_DISCARD_MAX 36

/* 5.2.6: the answer. */
#define VIRTIO_BLK_SAID_OK     0
#define VIRTIO_BLK_SAID_UNABLE 2

struct virtio_blk_geometry {
    uint64_t blocks;
    uint32_t block_size, max_blocks; /* that one request may have */
    uint32_t discard_max;            /* sectors */
    bool read_only;
};

/* Reads the device's configuration. NULL, or what it says that cannot be, for a sentence that
 * begins "the disk claims". */
const char *virtio_blk_geometry(const struct virtio_device *device,
                                struct virtio_blk_geometry *out);
/* The number of blocks now; false, and *BLOCKS as it was, if there cannot be so many. */
bool virtio_blk_blocks(const struct virtio_device *device, uint32_t block_size, uint64_t *blocks);
/*
 * Fills in REQUEST's result, when the device has answered SAID and has WRITTEN so many bytes of
 * the chain, whose descriptors named BYTES (sectors to be freed counted in bytes). False if it says
 * to have written more than the chain has room for: nothing of that is believed.
 */
bool virtio_blk_judge(struct block_request *request, uint8_t said, uint32_t written,
                      uint32_t bytes);

/*
 * Its serial number (5.2.6, GET_ID), which a device need not have. Its memory is the device's from
 * the question to the answer, or to a reset.
 */
#define VIRTIO_BLK_ID_BYTES  20
#define VIRTIO_BLK_ID_HEADER 16
struct virtio_blk_id {
    uint32_t ask, reserved;
    uint64_t sector;
    char text[VIRTIO_BLK_ID_BYTES]; /* a NUL ends what is shorter */
    uint8_t status;
};

/* Puts the question into QUEUE, which is empty and nobody else's, by its first three descriptors.
 * The caller notifies the device. */
void virtio_blk_id_ask(struct virtio_queue *queue, struct virtio_blk_id *id);
/*
 * Waits for the answer: 0, and SERIAL, of VIRTIO_BLK_ID_BYTES + 1 characters, is what the device
 * says, or as it was if the device knows none; -EIO: no answer that can be; -ETIMEDOUT: none in
 * time, and the device has to be reset. Thread context.
 */
int virtio_blk_id_wait(struct virtio_queue *queue, const struct virtio_blk_id *id,
                       uint64_t patience_ns, char *serial);
