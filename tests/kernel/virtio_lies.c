/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Self-tests of what drivers believe of a device of virtio: configurations and answers that cannot
 * be, in memory of the test's own, which is the device's registers.
 */
#include "drivers/virtio_blk.h"
#include "kernel/memory/kmem.h"
#include "kernel/memory/page.h"
#include "lib/endian.h"
#include "lib/errno.h"
#include "lib/string.h"
#include "tests/kernel/selftest.h"

#define CONFIG_BYTES 60 /* 5.2.4 of the specification */

static uint8_t common[64] __attribute__((aligned(8))),
    config[CONFIG_BYTES] __attribute__((aligned(8)));

static void put32(unsigned offset, uint32_t value)
{
    *(uint32_t *)(void *)(config + offset) = cpu_to_le32(value);
}

/* A disk that says this; 0 as BLOCK_SIZE and UINT32_MAX as SIZE_MAX: nothing of it. */
static struct virtio_device said(uint64_t capacity, uint32_t size_max, uint32_t block_size)
{
    struct virtio_device device = {
        .common = common, .config = config, .config_size = sizeof config};

    memset(config, 0, sizeof config);
    put32(0, (uint32_t)capacity);
    put32(4, (uint32_t)(capacity >> 32));
    put32(8, size_max);
    put32(20, block_size);
    put32(36, 77);
    if (size_max != UINT32_MAX)
        device.features |= VIRTIO_BLK_SIZE_MAX;
    if (block_size != 0)
        device.features |= VIRTIO_BLK_BLOCK_SIZE;
    return device;
}

struct disk {
    uint64_t capacity;
    uint32_t size_max, block_size;
    uint64_t blocks; /* that are found, each of SIZE; 0: it is refused, for WHY */
    uint32_t size, most;
    const char *why;
};

static int one_disk(const struct disk *disk)
{
    struct virtio_device device = said(disk->capacity, disk->size_max, disk->block_size);
    struct virtio_blk_geometry found;
    const char *lie = virtio_blk_geometry(&device, &found);

    if (disk->why) {
        SELFTEST_CHECK(lie != NULL);
        SELFTEST_CHECK(strncmp(lie, disk->why, strlen(disk->why)) == 0);
        return 0;
    }
    SELFTEST_CHECK(lie == NULL);
    SELFTEST_EQUAL(found.blocks, disk->blocks);
    SELFTEST_EQUAL(found.block_size, disk->size);
    SELFTEST_EQUAL(found.max_blocks, disk->most);
    SELFTEST_EQUAL(found.discard_max, 77);
    SELFTEST_CHECK(!found.read_only);
    return 0;
}

#define MOST ((PAGE_SIZE << (PAGE_ORDERS - 1)) / 512)

SELFTEST(virtio_lies_size, "virtio-lies-size", "a disk of virtio whose size cannot be is refused")
{
    static const struct disk disks[] = {
        {4096, UINT32_MAX, 0, 4096, 512, MOST, NULL},
        {0, UINT32_MAX, 0, 0, 512, MOST, NULL}, /* no medium */
        {(1ull << 54) - 1, UINT32_MAX, 0, (1ull << 54) - 1, 512, MOST, NULL},
        {1ull << 54, UINT32_MAX, 0, 0, 0, 0, "a capacity"},
        {1ull << 55, UINT32_MAX, 0, 0, 0, 0, "a capacity"},
        {1ull << 55, UINT32_MAX, 4096, 0, 0, 0, "a capacity"},
        {UINT64_MAX, UINT32_MAX, 0, 0, 0, 0, "a capacity"},
        {4096, 0, 0, 0, 0, 0, "a size_max"},
        {4096, 1, 0, 0, 0, 0, "a size_max"},
        {4096, 511, 0, 0, 0, 0, "a size_max"},
        {4096, 512, 0, 4096, 512, 1, NULL},
        {4096, 1023, 0, 4096, 512, 1, NULL},
        {4096, 4095, 4096, 0, 0, 0, "a size_max"},
        {4096, 8192, 4096, 512, 4096, 2, NULL},
        {4096, 0xfffffffe, 1024, 2048, 1024, MOST / 2, NULL},
        {4096, UINT32_MAX, 3, 4096, 512, MOST, NULL},
        {4096, UINT32_MAX, 768, 4096, 512, MOST, NULL},
        {4096, UINT32_MAX, 0x80000000, 4096, 512, MOST, NULL},
    };

    for (size_t i = 0; i < sizeof disks / sizeof disks[0]; i++)
        if (one_disk(&disks[i]) != 0)
            return 1;
    return 0;
}

SELFTEST(virtio_lies_resize, "virtio-lies-resize", "a new size that cannot be changes nothing")
{
    struct virtio_device device = said(1ull << 55, UINT32_MAX, 0);
    uint64_t blocks = 9;

    SELFTEST_CHECK(!virtio_blk_blocks(&device, 512, &blocks));
    SELFTEST_EQUAL(blocks, 9);
    device = said(16, UINT32_MAX, 0);
    SELFTEST_CHECK(virtio_blk_blocks(&device, 4096, &blocks));
    SELFTEST_EQUAL(blocks, 2);
    return 0;
}

struct answer {
    enum block_kind kind;
    uint8_t said;
    uint32_t written;
    bool believed;
    int error;
    uint32_t resid, moved;
};

SELFTEST(virtio_lies_written, "virtio-lies-written",
         "an answer that says to have written more than there is room for is an error")
{
    static const struct answer answers[] = {
        {BLOCK_READ, 0, 4097, true, 0, 0, 4096},
        {BLOCK_READ, 0, 4098, false, EIO, 4096, 0},
        {BLOCK_READ, 0, 0xffffffff, false, EIO, 4096, 0},
        {BLOCK_READ, 2, 0xffffffff, false, EIO, 4096, 0},
        {BLOCK_READ, 0, 4096, true, EIO, 1, 4095},
        {BLOCK_READ, 0, 1, true, EIO, 4096, 0},
        {BLOCK_READ, 0, 0, true, EIO, 4096, 0},
        {BLOCK_READ, 1, 1, true, EIO, 4096, 0},
        {BLOCK_READ, 2, 1, true, ENOTSUP, 4096, 0},
        {BLOCK_READ, 0xff, 0, true, EIO, 4096, 0},
        {BLOCK_WRITE, 0, 1, true, 0, 0, 4096},
        {BLOCK_WRITE, 0, 0, true, 0, 0, 4096},
        {BLOCK_WRITE, 0, 2, false, EIO, 4096, 0},
        {BLOCK_WRITE, 0, 0xffffffff, false, EIO, 4096, 0},
        {BLOCK_WRITE, 1, 1, true, EIO, 4096, 0},
        {BLOCK_FREE, 0, 1, true, 0, 0, 4096},
        {BLOCK_FREE, 2, 1, true, ENOTSUP, 4096, 0},
        {BLOCK_FREE, 0, 4097, false, EIO, 4096, 0},
    };
    struct block_device device = {.block_size = 512};

    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
        const struct answer *answer = &answers[i];
        struct block_request request = {.device = &device, .kind = answer->kind, .count = 8};

        if (virtio_blk_judge(&request, answer->said, answer->written, 4096) != answer->believed)
            return selftest_fail("answer %u is not judged", (unsigned)i);
        SELFTEST_EQUAL(-request.error, answer->error);
        if (answer->error)
            SELFTEST_EQUAL(request.fault,
                           answer->error == ENOTSUP ? BLOCK_FAULT_ILLEGAL : BLOCK_FAULT_UNTOLD);
        SELFTEST_EQUAL(request.resid, answer->resid);
        SELFTEST_EQUAL(request.moved, answer->moved);
    }
    return 0;
}

struct name {
    const char *text;
    uint32_t head, written;
    uint8_t said;
    int error;
    const char *serial;
};

/* The disk's answer to QUEUE's first question, as the used ring has it (2.6.8). */
static void answer(struct virtio_queue *queue, struct virtio_blk_id *id, const struct name *name)
{
    volatile uint32_t *ring = (volatile uint32_t *)(volatile void *)queue->used + 1;

    for (unsigned i = 0; i < VIRTIO_BLK_ID_BYTES && (i == 0 || name->text[i - 1] != '\0'); i++)
        id->text[i] = name->text[i];
    id->status = name->said;
    ring[0] = cpu_to_le32(name->head);
    ring[1] = cpu_to_le32(name->written);
    ((volatile uint16_t *)(volatile void *)queue->used)[1] = cpu_to_le16(1);
}

static int one_name(struct virtio_queue *queue, struct virtio_blk_id *id, const struct name *name)
{
    char serial[VIRTIO_BLK_ID_BYTES + 1] = "";

    virtio_queue_clear(queue);
    virtio_blk_id_ask(queue, id);
    SELFTEST_EQUAL(le32_to_cpu(id->ask), 8); /* VIRTIO_BLK_T_GET_ID */
    SELFTEST_EQUAL(queue->offered, 1);
    SELFTEST_EQUAL(virtio_blk_id_wait(queue, id, 0, serial), -ETIMEDOUT);
    answer(queue, id, name);
    SELFTEST_EQUAL(virtio_blk_id_wait(queue, id, 0, serial), -name->error);
    if (strcmp(serial, name->serial) != 0)
        return selftest_fail("\"%s\" is taken for \"%s\"", name->serial, serial);
    return 0;
}

SELFTEST(virtio_lies_serial, "virtio-lies-serial",
         "a disk of virtio that does not tell its serial number has none, and is used")
{
    static const struct name names[] = {
        {"QX17", 0, 21, 0, 0, "QX17"},
        {"twenty characters ok", 0, 21, 0, 0, "twenty characters ok"},
        {"QX17  ", 0, 21, 0, 0, "QX17"},
        {"", 0, 21, 0, 0, ""},
        {"a\033[2Jb\n", 0, 21, 0, 0, "a?[2Jb?"},
        {"QX17", 0, 1, 1, 0, ""},
        {"QX17", 0, 1, 2, 0, ""},
        {"QX17", 0, 22, 0, EIO, ""},
        {"QX17", 0, 0xffffffff, 0, EIO, ""},
        {"QX17", 1, 21, 0, EIO, ""},
    };
    struct virtio_queue queue;
    struct virtio_blk_id *id = kmem_zalloc(sizeof *id);
    int result = 0;

    if (!id || virtio_queue_alloc(&queue, 16) != 0) {
        kmem_free(id);
        return selftest_fail("no memory");
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0] && result == 0; i++)
        result = one_name(&queue, id, &names[i]);
    virtio_queue_free(&queue);
    kmem_free(id);
    return result;
}
