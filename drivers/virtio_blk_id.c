/* SPDX-License-Identifier: BSD-2-Clause */
/* How a disk of virtio is asked for its serial number: see virtio_blk.h. */
#include <arch/memory.h>
#include "drivers/virtio_blk.h"
#include "kernel/thread/thread.h"
#include "kernel/time/clock.h"
#include "lib/endian.h"
#include "lib/errno.h"

#define ASK_ID 8u /* 5.2.6: VIRTIO_BLK_T_GET_ID */
#define NAP_NS 1000000ull

void virtio_blk_id_ask(struct virtio_queue *queue, struct virtio_blk_id *id)
{
    *id = (struct virtio_blk_id){.ask = cpu_to_le32(ASK_ID)};
    virtio_descriptor_set(queue, 0, memory_physical(id), VIRTIO_BLK_ID_HEADER, VIRTIO_NEXT, 1);
    virtio_descriptor_set(queue, 1, memory_physical(id->text), VIRTIO_BLK_ID_BYTES,
                          VIRTIO_NEXT | VIRTIO_WRITE, 2);
    virtio_descriptor_set(queue, 2, memory_physical(&id->status), 1, VIRTIO_WRITE, 0);
    virtio_queue_interrupts(queue, false);
    virtio_queue_put(queue, 0);
}

/* Up to the first NUL, or all; what is no printable character is shown as one. */
static void virtio_blk_id_copy(char *serial, const char *text)
{
    unsigned used = 0;

    for (; used < VIRTIO_BLK_ID_BYTES && text[used] != '\0'; used++)
        serial[used] = text[used] >= ' ' && text[used] <= '~' ? text[used] : '?';
    while (used > 0 && serial[used - 1] == ' ')
        used--;
    serial[used] = '\0';
}

int virtio_blk_id_wait(struct virtio_queue *queue, const struct virtio_blk_id *id,
                       uint64_t patience_ns, char *serial)
{
    uint64_t deadline = clock_now() + patience_ns;
    uint32_t head, written;

    while (!virtio_queue_take(queue, &head, &written)) {
        if (clock_now() >= deadline)
            return -ETIMEDOUT;
        thread_sleep(NAP_NS);
    }
    virtio_queue_interrupts(queue, true);
    if (head != 0 || written > VIRTIO_BLK_ID_BYTES + 1)
        return -EIO;
    if (*(const volatile uint8_t *)&id->status == VIRTIO_BLK_SAID_OK)
        virtio_blk_id_copy(serial, id->text);
    return 0;
}
