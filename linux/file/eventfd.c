/* SPDX-License-Identifier: BSD-2-Clause */
/* eventfd(2): a number that is added to by writing and taken by reading. */
#include "fs/file/file.h"
#include "fs/file/poll.h"
#include "kernel/memory/kmem.h"
#include "linux/program/program_private.h"

#define EFD_SEMAPHORE 1u
#define EVENTFD_MOST  (UINT64_MAX - 1)

struct eventfd {
    struct spinlock lock;
    uint64_t count;
    bool semaphore; /* a read takes 1 */
    struct wait_queue readers, writers;
    struct poll_source source;
};

/* Until there is something: what it takes; -EAGAIN, -EINTR. */
static int eventfd_take(struct eventfd *event, bool wait, uint64_t *value)
{
    uintptr_t state = spinlock_acquire(&event->lock);
    int error = 0;

    while (event->count == 0 && error == 0)
        error = !wait ? -EAGAIN
                      : wait_interruptible(&event->readers, &event->lock, &state, WAIT_FOREVER);
    if (event->count != 0) {
        error = 0;
        *value = event->semaphore ? 1 : event->count;
        event->count -= *value;
        wait_wake_all(&event->writers);
    }
    spinlock_release(&event->lock, state);
    return error;
}

static long eventfd_read(struct file *file, struct uio *uio, uint64_t *offset)
{
    struct eventfd *event = file->data;
    uint64_t value;
    int error;

    (void)offset;
    if (uio->left < sizeof value)
        return -EINVAL;
    error = eventfd_take(event, !(file_flags(file) & O_NONBLOCK), &value);
    if (error != 0)
        return error;
    poll_source_wake(&event->source, POLL_WRITE);
    return uio_put(uio, &value, sizeof value) == sizeof value ? (long)sizeof value : -EFAULT;
}

static int eventfd_add(struct eventfd *event, bool wait, uint64_t value)
{
    uintptr_t state = spinlock_acquire(&event->lock);
    int error = 0;

    while (EVENTFD_MOST - event->count < value && error == 0)
        error = !wait ? -EAGAIN
                      : wait_interruptible(&event->writers, &event->lock, &state, WAIT_FOREVER);
    if (EVENTFD_MOST - event->count >= value) {
        error = 0;
        event->count += value;
        wait_wake_all(&event->readers);
    }
    spinlock_release(&event->lock, state);
    return error;
}

static long eventfd_write(struct file *file, struct uio *uio, uint64_t *offset)
{
    struct eventfd *event = file->data;
    uint64_t value;
    int error;

    (void)offset;
    if (uio->left < sizeof value)
        return -EINVAL;
    if (uio_get(uio, &value, sizeof value) != sizeof value)
        return -EFAULT;
    if (value == UINT64_MAX)
        return -EINVAL;
    error = eventfd_add(event, !(file_flags(file) & O_NONBLOCK), value);
    if (error == 0)
        poll_source_wake(&event->source, POLL_READ);
    return error != 0 ? error : (long)sizeof value;
}

static uint32_t eventfd_poll(struct file *file, uint32_t events, struct poll_entry *entry)
{
    struct eventfd *event = file->data;
    uint64_t count;

    poll_source_watch(&event->source, entry);
    count = __atomic_load_n(&event->count, __ATOMIC_SEQ_CST);
    return ((count > 0 ? POLL_READ : 0) | (count < EVENTFD_MOST ? POLL_WRITE : 0)) & events;
}

static void eventfd_close(struct file *file)
{
    kmem_free(file->data);
}

static const struct file_ops eventfd_ops = {.read = eventfd_read,
                                            .write = eventfd_write,
                                            .poll = eventfd_poll,
                                            .close = eventfd_close,
                                            .anonymous = "eventfd",
                                            .begins = true};

static long eventfd_open(uint32_t count, uint32_t flags)
{
    struct eventfd *event;
    struct file *file;

    if (flags & ~(EFD_SEMAPHORE | ABI_O_CLOEXEC | ABI_O_NONBLOCK))
        return -EINVAL;
    event = kmem_zalloc(sizeof *event);
    if (!event)
        return -ENOMEM;
    spinlock_init(&event->lock, "eventfd");
    event->count = count;
    event->semaphore = flags & EFD_SEMAPHORE;
    wait_queue_init(&event->readers);
    wait_queue_init(&event->writers);
    poll_source_init(&event->source);
    file = file_create(&eventfd_ops, O_RDWR | (flags & ABI_O_NONBLOCK ? O_NONBLOCK : 0), event);
    if (!file) {
        kmem_free(event);
        return -ENOMEM;
    }
    return call_file_add(file, 0, flags & ABI_O_CLOEXEC);
}

CALL(eventfd)
{
    return eventfd_open(ARG_U32(0), 0);
}

CALL(eventfd2)
{
    return eventfd_open(ARG_U32(0), ARG_U32(1));
}
