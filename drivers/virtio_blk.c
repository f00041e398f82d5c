/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Disks of virtio (Virtual I/O Device Specification 1.1, 5.2): vd0 and so on. One queue; a request
 * is one chain of at most three descriptors, of which each slot has its own for ever: the header,
 * the caller's buffer, and a byte of status. So starting a request writes one descriptor, a header
 * and an index, and several started together cost one notification.
 */
#include <arch/memory.h>
#include "drivers/virtio_blk.h"
#include "kernel/block/block.h"
#include "kernel/interrupt/interrupt.h"
#include "kernel/memory/kmem.h"
#include "kernel/device/late.h"
#include "kernel/base/log.h"
#include "kernel/memory/page.h"
#include "lib/endian.h"
#include "lib/errno.h"
#include "lib/format.h"
#include "lib/string.h"

#define TYPE_BLOCK   2
#define TRANSITIONAL 0x1001 /* a block device that knows the legacy interface too */

/* 5.2.6: what is asked, and the answer. */
#define ASK_READ    0
#define ASK_WRITE   1
#define ASK_FLUSH   4
#define ASK_DISCARD 11
#define SAID_NOT    0xff /* nothing yet; ours */

#define SECTOR VIRTIO_BLK_SECTOR
#define DEPTH  64u
#define CHAIN  3u /* descriptors of a slot: header, data, status */

struct slot {
    struct {
        uint32_t ask, reserved;
        uint64_t sector;
    } header;
    struct {
        uint64_t sector;
        uint32_t sectors, flags;
    } discard;
    uint8_t status;
    uint8_t free_next;
    uint32_t bytes;                /* that its descriptors name, but of the header and the status */
    struct block_request *request; /* NULL: free */
} __attribute__((aligned(64)));

_Static_assert(DEPTH * sizeof(struct slot) == PAGE_SIZE, "slots fill a page");

struct virtio_disk {
    struct virtio_device device;
    struct virtio_queue queue; /* block.lock, as all that follows */
    struct slot *slots;
    uint8_t free_first; /* DEPTH: all are in use */
    bool live;          /* the device works, and its queue is worth a look */
    bool taking;        /* the queue is being emptied: notify afterwards */
    uint32_t discard_max;
    struct virtio_blk_id id;
    struct block_device block;
    struct interrupt_handler handler;
    struct evcnt notifications, strange;
};

static void virtio_blk_free_all_slots(struct virtio_disk *disk)
{
    for (unsigned i = 0; i < disk->block.depth; i++) {
        disk->slots[i].request = NULL;
        disk->slots[i].free_next = (uint8_t)(i + 1);
    }
    disk->slots[disk->block.depth - 1].free_next = DEPTH;
    disk->free_first = 0;
}

/* The first and the last descriptor of each slot never change. */
static void virtio_blk_prepare_descriptors(struct virtio_disk *disk)
{
    for (unsigned i = 0; i < disk->block.depth; i++) {
        struct slot *slot = &disk->slots[i];
        unsigned head = i * CHAIN;

        virtio_descriptor_set(&disk->queue, head, memory_physical(&slot->header),
                              sizeof slot->header, VIRTIO_NEXT, head + 1);
        virtio_descriptor_set(&disk->queue, head + 2, memory_physical(&slot->status), 1,
                              VIRTIO_WRITE, 0);
    }
}

/* Whether the device knows how to do this. */
static bool virtio_blk_can(const struct virtio_disk *disk, const struct block_request *request)
{
    switch (request->kind) {
    case BLOCK_FLUSH:
        return disk->device.features & VIRTIO_BLK_FLUSH;
    case BLOCK_FREE:
        return disk->device.features & VIRTIO_BLK_DISCARD &&
               block_bytes(request) / SECTOR <= disk->discard_max;
    default:
        return true;
    }
}

static void virtio_blk_fill(struct virtio_disk *disk, unsigned n, struct block_request *request)
{
    static const uint32_t asks[] = {[BLOCK_READ] = ASK_READ,
                                    [BLOCK_WRITE] = ASK_WRITE,
                                    [BLOCK_FLUSH] = ASK_FLUSH,
                                    [BLOCK_FREE] = ASK_DISCARD};
    struct slot *slot = &disk->slots[n];
    uint32_t bytes = (uint32_t)block_bytes(request);
    uint64_t sector = request->block * (disk->block.block_size / SECTOR);
    unsigned data = n * CHAIN + 1;

    slot->request = request;
    slot->status = SAID_NOT;
    slot->header.ask = cpu_to_le32(asks[request->kind]);
    slot->header.sector = 0;
    slot->bytes = 0;
    if (request->kind == BLOCK_FREE) {
        slot->discard.sector = cpu_to_le64(sector);
        slot->discard.sectors = cpu_to_le32(bytes / SECTOR);
        slot->discard.flags = 0;
        slot->bytes = bytes / SECTOR * SECTOR;
        virtio_descriptor_set(&disk->queue, data, memory_physical(&slot->discard),
                              sizeof slot->discard, VIRTIO_NEXT, data + 1);
    } else if (request->kind == BLOCK_FLUSH) {
        /* No data: the header's descriptor still leads here, so the status is here too. */
        virtio_descriptor_set(&disk->queue, data, memory_physical(&slot->status), 1, VIRTIO_WRITE,
                              0);
    } else {
        slot->header.sector = cpu_to_le64(sector);
        slot->bytes = bytes;
        virtio_descriptor_set(
            &disk->queue, data, memory_physical(request->buffer), bytes,
            request->kind == BLOCK_READ ? VIRTIO_NEXT | VIRTIO_WRITE : VIRTIO_NEXT, data + 1);
    }
}

static void virtio_blk_notify(struct virtio_disk *disk)
{
    if (virtio_queue_notify(&disk->queue))
        evcnt_incr(&disk->notifications);
}

/* Each slot may run, so there is one for each that block_next lets through. */
static void virtio_blk_start(struct block_device *block)
{
    struct virtio_disk *disk = block->softc;
    struct block_request *request;

    while (disk->live && disk->free_first != DEPTH && (request = block_next(block)) != NULL) {
        unsigned n = disk->free_first;

        if (!virtio_blk_can(disk, request)) {
            block_fail(request, -ENOTSUP);
            block_done(request);
            continue;
        }
        disk->free_first = disk->slots[n].free_next;
        virtio_blk_fill(disk, n, request);
        virtio_queue_put(&disk->queue, n * CHAIN);
    }
    if (!disk->taking)
        virtio_blk_notify(disk);
}

/* The answer to SLOT's request, of whose chain the device has written so many bytes. */
static void virtio_blk_conclude(struct virtio_disk *disk, struct slot *slot, uint32_t written)
{
    struct block_request *request = slot->request;

    if (!virtio_blk_judge(request, *(volatile uint8_t *)&slot->status, written, slot->bytes))
        evcnt_incr(&disk->strange);
    slot->request = NULL;
    slot->free_next = disk->free_first;
    disk->free_first = (uint8_t)(slot - disk->slots);
    block_done(request);
}

static void virtio_blk_take_answers(struct virtio_disk *disk)
{
    uint32_t head, written;

    disk->taking = true;
    while (disk->live && virtio_queue_take(&disk->queue, &head, &written)) {
        struct slot *slot = &disk->slots[head / CHAIN];

        if (head % CHAIN != 0 || head / CHAIN >= disk->block.depth || !slot->request)
            evcnt_incr(&disk->strange);
        else if (!disk->block.gone) /* else the request has ended already */
            virtio_blk_conclude(disk, slot, written);
    }
    disk->taking = false;
    virtio_blk_notify(disk);
}

/* The device has another size; what it cannot have is not believed. */
static void virtio_blk_read_size(struct virtio_disk *disk)
{
    if (!virtio_blk_blocks(&disk->device, disk->block.block_size, &disk->block.blocks))
        evcnt_incr(&disk->strange);
}

static int virtio_blk_interrupt(void *argument)
{
    struct virtio_disk *disk = argument;
    uint8_t why = virtio_pci_isr(&disk->device);
    uintptr_t state;

    if (why == 0 || why == VIRTIO_ISR_GONE)
        return 0;
    state = spinlock_acquire(&disk->block.lock);
    if (disk->live) {
        if (why & VIRTIO_ISR_CONFIG)
            virtio_blk_read_size(disk);
        virtio_blk_take_answers(disk);
    }
    spinlock_release(&disk->block.lock, state);
    return 1;
}

/* Agrees with the device and gives it its queue; what it had is forgotten. It is not live yet. */
static int virtio_blk_bring_up(struct virtio_disk *disk)
{
    int error = virtio_pci_reset(&disk->device, VIRTIO_BLK_FEATURES);

    if (error != 0)
        return error;
    virtio_queue_clear(&disk->queue);
    error = virtio_pci_queue_enable(&disk->device, 0, &disk->queue);
    if (error != 0)
        virtio_pci_fail(&disk->device);
    return error;
}

static bool virtio_blk_reset(struct block_device *block)
{
    struct virtio_disk *disk = block->softc;
    uintptr_t state = spinlock_acquire(&block->lock);
    int error;

    disk->live = false;
    spinlock_release(&block->lock, state);
    error = virtio_blk_bring_up(disk);
    if (error != 0)
        return false;
    state = spinlock_acquire(&block->lock);
    virtio_blk_free_all_slots(disk);
    disk->live = true;
    virtio_pci_go(&disk->device);
    spinlock_release(&block->lock, state);
    return true;
}

/* What has lost its medium says so by its size, but may not interrupt for that. */
static int virtio_blk_check(struct block_device *block)
{
    return virtio_config64(&((struct virtio_disk *)block->softc)->device,
                           VIRTIO_BLK_CONFIG_CAPACITY) > 0
               ? 0
               : -ENODEV;
}

static const struct block_driver driver = {
    .name = "vd", .start = virtio_blk_start, .reset = virtio_blk_reset, .check = virtio_blk_check};

/* What the device says of itself: 0, or -EINVAL if that cannot be, and the log has it. */
static int virtio_blk_read_geometry(struct virtio_disk *disk)
{
    struct block_device *block = &disk->block;
    struct virtio_blk_geometry geometry;
    const struct pci_device *pci = disk->device.pci;
    const char *lie = virtio_blk_geometry(&disk->device, &geometry);

    if (lie != NULL) {
        log_printf("virtio: the disk at %02x:%02x.%u claims %s", pci->bus, pci->device,
                   pci->function, lie);
        return -EINVAL;
    }
    disk->discard_max = geometry.discard_max;
    block->driver = &driver;
    block->softc = disk;
    block->block_size = geometry.block_size;
    block->blocks = geometry.blocks;
    block->max_blocks = geometry.max_blocks;
    block->read_only = geometry.read_only;
    block->faults = 1u << BLOCK_FAULT_ILLEGAL;
    strlcpy(block->model, "virtio disk", sizeof block->model);
    strlcpy(block->vendor, "VirtIO", sizeof block->vendor);
    return 0;
}

/* The queue, as long as the device lets it be, and a slot for each chain that fits in. */
static int virtio_blk_make_queue(struct virtio_disk *disk)
{
    uint16_t size = virtio_pci_queue_limit(&disk->device, 0);

    if (size > VIRTIO_QUEUE_MAX)
        size = VIRTIO_QUEUE_MAX;
    if (size < CHAIN || (size & (size - 1)) != 0)
        return -ENOTSUP;
    disk->block.depth = size / CHAIN < DEPTH ? size / CHAIN : DEPTH;
    disk->slots = page_alloc(0);
    if (!disk->slots)
        return -ENOMEM;
    memset(disk->slots, 0, PAGE_SIZE);
    if (virtio_queue_alloc(&disk->queue, size) != 0) {
        page_free(disk->slots);
        return -ENOMEM;
    }
    virtio_blk_free_all_slots(disk);
    return virtio_pci_queue_enable(&disk->device, 0, &disk->queue);
}

/* The first request of all. A disk that does not answer begins anew. */
static int virtio_blk_ask_serial(struct virtio_disk *disk)
{
    int error;

    virtio_blk_id_ask(&disk->queue, &disk->id);
    virtio_pci_go(&disk->device);
    virtio_blk_notify(disk);
    error = virtio_blk_id_wait(&disk->queue, &disk->id, BLOCK_TIMEOUT_NS, disk->block.serial);
    if (error == -EIO)
        evcnt_incr(&disk->strange);
    if (error != -ETIMEDOUT)
        return 0;
    log_printf("%s: does not answer when it is asked for its serial number", disk->block.name);
    return virtio_blk_bring_up(disk);
}

static int virtio_blk_attach(struct virtio_disk *disk, struct interrupt_line *line)
{
    static const struct block_type type = {DEVSTAT_TYPE_DIRECT | DEVSTAT_TYPE_IF_OTHER,
                                           DEVSTAT_PRIORITY_DISK, true};
    struct block_device *block = &disk->block;
    int error;

    block->handler = &disk->handler;
    error = block_attach(block, &type);
    if (error != 0)
        return error;
    evcnt_attach_dynamic(&disk->notifications, EVCNT_TYPE_MISC, NULL, block->name, "notifications");
    evcnt_attach_dynamic(&disk->strange, EVCNT_TYPE_MISC, NULL, block->name, "strange answers");
    error =
        interrupt_establish(line, IPL_VM, virtio_blk_interrupt, disk, block->name, &disk->handler);
    if (error == 0)
        error = virtio_blk_ask_serial(disk);
    if (error != 0) {
        block_gone(block);
        return error;
    }
    virtio_blk_prepare_descriptors(disk);
    disk->live = true;
    virtio_pci_go(&disk->device);
    return 0;
}

static int virtio_blk_try_device(const struct pci_device *pci)
{
    struct interrupt_line *line = pci_line(pci);
    struct virtio_disk *disk = kmem_zalloc(sizeof *disk);
    int error;

    if (!disk)
        return -ENOMEM;
    error = line ? virtio_pci_open(&disk->device, pci) : -ENXIO;
    if (error == 0)
        error = virtio_pci_reset(&disk->device, VIRTIO_BLK_FEATURES);
    if (error == 0)
        error = virtio_blk_read_geometry(disk);
    if (error == 0)
        error = virtio_blk_make_queue(disk);
    if (error == 0)
        error = virtio_blk_attach(disk, line);
    /* What has failed half-way keeps its memory: the device may know of it. */
    if (error != 0 && disk->device.common)
        virtio_pci_fail(&disk->device);
    return error;
}

static void virtio_blk_probe(void)
{
    const struct pci_device *pci;

    for (size_t n = 0; (pci = pci_device(n)) != NULL; n++) {
        int error;

        if (pci->vendor_id != VIRTIO_VENDOR ||
            (pci->device_id != VIRTIO_MODERN + TYPE_BLOCK && pci->device_id != TRANSITIONAL))
            continue;
        error = virtio_blk_try_device(pci);
        if (error != 0)
            log_printf("virtio: the disk at %02x:%02x.%u cannot be used: error %d", pci->bus,
                       pci->device, pci->function, -error);
    }
}

LATE(3, virtio_blk_probe);
