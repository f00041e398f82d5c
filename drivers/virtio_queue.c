/* SPDX-License-Identifier: BSD-2-Clause */
/* Split virtqueues. Sections are those of the Virtual I/O Device Specification 1.1. */
#include "drivers/virtio_queue.h"
#include "kernel/memory/page.h"
#include "lib/endian.h"
#include "lib/errno.h"
#include "lib/string.h"

#define USED_NO_NOTIFY         0x1u /* 2.6.10 */
#define AVAILABLE_NO_INTERRUPT 0x1u /* 2.6.7 */

struct virtio_available { /* 2.6.6 */
    uint16_t flags, index;
    uint16_t ring[VIRTIO_QUEUE_MAX];
};

struct virtio_used { /* 2.6.8 */
    uint16_t flags, index;
    struct {
        uint32_t head, written;
    } ring[VIRTIO_QUEUE_MAX];
};

/* One block of memory: each part on a page of its own. */
#define ORDER           2
#define AVAILABLE_PLACE PAGE_SIZE
#define USED_PLACE      (2 * PAGE_SIZE)

_Static_assert(VIRTIO_QUEUE_MAX * sizeof(struct virtio_descriptor) <= PAGE_SIZE, "descriptors");
_Static_assert(sizeof(struct virtio_used) <= PAGE_SIZE, "used ring");

int virtio_queue_alloc(struct virtio_queue *queue, uint16_t size)
{
    char *memory = page_alloc(ORDER);

    if (!memory)
        return -ENOMEM;
    memset(memory, 0, PAGE_SIZE << ORDER);
    *queue = (struct virtio_queue){
        .size = size,
        .descriptors = (struct virtio_descriptor *)(void *)memory,
        .available = (struct virtio_available *)(void *)(memory + AVAILABLE_PLACE),
        .used = (struct virtio_used *)(void *)(memory + USED_PLACE)};
    return 0;
}

void virtio_queue_free(struct virtio_queue *queue)
{
    page_free(queue->descriptors);
    queue->descriptors = NULL;
}

void virtio_queue_clear(struct virtio_queue *queue)
{
    memset(queue->available, 0, 2 * PAGE_SIZE);
    queue->offered = queue->told = queue->seen = 0;
}

void virtio_descriptor_set(struct virtio_queue *queue, unsigned n, uint64_t physical,
                           uint32_t length, uint16_t flags, unsigned next)
{
    queue->descriptors[n] =
        (struct virtio_descriptor){cpu_to_le64(physical), cpu_to_le32(length), cpu_to_le16(flags),
                                   cpu_to_le16((uint16_t)next)};
}

/* 2.6.13: the index is the last thing that is written. */
void virtio_queue_put(struct virtio_queue *queue, unsigned head)
{
    queue->available->ring[queue->offered & (queue->size - 1u)] = cpu_to_le16((uint16_t)head);
    queue->offered++;
    __atomic_store_n(&queue->available->index, cpu_to_le16(queue->offered), __ATOMIC_RELEASE);
}

/* 2.6.13.4: the flag is read after the index has been written, or both sides might wait. */
bool virtio_queue_notify(struct virtio_queue *queue)
{
    if (queue->told == queue->offered)
        return false;
    queue->told = queue->offered;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (le16_to_cpu(queue->used->flags) & USED_NO_NOTIFY)
        return false;
    *(volatile uint16_t *)queue->notify = cpu_to_le16(queue->number);
    return true;
}

bool virtio_queue_take(struct virtio_queue *queue, uint32_t *head, uint32_t *written)
{
    unsigned place = queue->seen & (queue->size - 1u);

    if (le16_to_cpu(queue->used->index) == queue->seen)
        return false;
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    *head = le32_to_cpu(queue->used->ring[place].head);
    *written = le32_to_cpu(queue->used->ring[place].written);
    queue->seen++;
    return true;
}

/* 2.6.7: the device looks at the flag after it has written its index, so we do it the other way
 * round, or both sides might wait. */
bool virtio_queue_interrupts(struct virtio_queue *queue, bool wanted)
{
    queue->available->flags = cpu_to_le16((uint16_t)(wanted ? 0 : AVAILABLE_NO_INTERRUPT));
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return le16_to_cpu(queue->used->index) != queue->seen;
}
