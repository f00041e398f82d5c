/* SPDX-License-Identifier: BSD-2-Clause */
/* mq_timedsend, mq_timedreceive, mq_notify, mq_getsetattr. */
#include "fs/file/file.h"
#include "kernel/memory/kmem.h"
#include "kernel/time/clock.h"
#include "lib/string.h"
#include "linux/ipc/mqueue.h"
#include "linux/program/program_private.h"

#define PRIORITIES 32768u

/* The queue of a descriptor that is open for WANTED (O_WRONLY, O_RDONLY; O_ACCMODE: whatever), with
 * its file held; NULL: -EBADF. */
static struct mqueue *mqueue_get(int descriptor, uint32_t wanted, struct file **file)
{
    struct mqueue *queue;
    uint32_t mode;

    *file = call_file(descriptor);
    if (!*file)
        return NULL;
    queue = mqueue_of(*file);
    mode = file_flags(*file) & O_ACCMODE;
    if (queue && (wanted == O_ACCMODE || mode == O_RDWR || mode == wanted))
        return queue;
    file_release(*file);
    return NULL;
}

/* An absolute time of the wall clock at USER, or NULL. */
static int mqueue_deadline(const void *user, uint64_t *deadline)
{
    uint64_t ns;
    int error = user ? call_timespec_in(user, &ns) : 0;

    *deadline = WAIT_FOREVER;
    if (user && error == 0)
        *deadline = ns > clock_boot_time() ? ns - clock_boot_time() : 0;
    return error;
}

/* Until QUEUE has changed: 0, -EAGAIN, -ETIMEDOUT, -EINTR. */
static int mqueue_wait(struct mqueue *queue, const struct file *file, uint64_t deadline)
{
    if (file->flags & O_NONBLOCK)
        return -EAGAIN;
    return cv_timedwait_sig(&queue->changed, &mqueue_mutex, deadline);
}

static int mqueue_put(struct mqueue *queue, const struct file *file, uint64_t deadline,
                      struct mqueue_message *message)
{
    struct mqueue_message *before;
    int error = 0;

    while (queue->count >= queue->most && error == 0)
        error = mqueue_wait(queue, file, deadline);
    if (error != 0)
        return error;
    before = TAILQ_LAST(&queue->messages, mqueue_messages);
    while (before && before->priority < message->priority)
        before = TAILQ_PREV(before, mqueue_messages, link);
    if (before)
        TAILQ_INSERT_AFTER(&queue->messages, before, message, link);
    else
        TAILQ_INSERT_HEAD(&queue->messages, message, link);
    queue->bytes += message->size;
    if (queue->count++ == 0 && queue->readers == 0)
        mqueue_notify(queue);
    cv_broadcast(&queue->changed);
    poll_source_wake(&queue->source, POLL_READ);
    return 0;
}

/* What ARG(1) and ARG(2) say, as a message; NULL with *ERROR. */
static struct mqueue_message *mqueue_message_in(struct trap_frame *frame, int *error)
{
    struct mqueue_message *message = kmem_alloc(sizeof *message + ARG(2));

    *error = message ? copyin(ARG_PTR(1), message->data, ARG(2)) : -ENOMEM;
    if (*error != 0) {
        kmem_free(message);
        return NULL;
    }
    message->size = ARG(2);
    message->priority = ARG_U32(3);
    return message;
}

static int mqueue_send(struct trap_frame *frame, struct mqueue *queue, const struct file *file,
                       uint64_t deadline)
{
    struct mqueue_message *message;
    int error;

    if (ARG(2) > queue->size)
        return -EMSGSIZE;
    message = mqueue_message_in(frame, &error);
    if (!message)
        return error;
    mutex_enter(&mqueue_mutex);
    error = mqueue_put(queue, file, deadline, message);
    mutex_exit(&mqueue_mutex);
    if (error != 0)
        kmem_free(message);
    return error;
}

CALL(mq_timedsend)
{
    struct mqueue *queue;
    struct file *file;
    uint64_t deadline;
    int error = mqueue_deadline(ARG_PTR(4), &deadline);

    if (ARG(3) >= PRIORITIES)
        return -EINVAL;
    if (error != 0)
        return error;
    queue = mqueue_get(ARG_INT(0), O_WRONLY, &file);
    if (!queue)
        return -EBADF;
    error = mqueue_send(frame, queue, file, deadline);
    file_release(file);
    return call_restartable(error);
}

/* The most urgent message; NULL with *ERROR. */
static struct mqueue_message *mqueue_take(struct mqueue *queue, const struct file *file,
                                          uint64_t deadline, int *error)
{
    struct mqueue_message *message;

    *error = 0;
    queue->readers++;
    while (queue->count == 0 && *error == 0)
        *error = mqueue_wait(queue, file, deadline);
    queue->readers--;
    if (queue->count == 0)
        return NULL;
    message = TAILQ_FIRST(&queue->messages);
    TAILQ_REMOVE(&queue->messages, message, link);
    queue->bytes -= message->size;
    queue->count--;
    cv_broadcast(&queue->changed);
    poll_source_wake(&queue->source, POLL_WRITE);
    return message;
}

static long mqueue_receive(struct trap_frame *frame, struct mqueue *queue, const struct file *file,
                           uint64_t deadline)
{
    struct mqueue_message *message;
    long result;
    int error;

    if (ARG(2) < queue->size)
        return -EMSGSIZE;
    mutex_enter(&mqueue_mutex);
    message = mqueue_take(queue, file, deadline, &error);
    mutex_exit(&mqueue_mutex);
    if (!message)
        return error;
    result = copyout(message->data, ARG_PTR(1), message->size);
    if (result == 0 && ARG(3) != 0)
        result = copyout(&message->priority, ARG_PTR(3), sizeof message->priority);
    if (result == 0)
        result = (long)message->size;
    kmem_free(message);
    return result;
}

CALL(mq_timedreceive)
{
    struct mqueue *queue;
    struct file *file;
    uint64_t deadline;
    long result = mqueue_deadline(ARG_PTR(4), &deadline);

    if (result != 0)
        return result;
    queue = mqueue_get(ARG_INT(0), O_RDONLY, &file);
    if (!queue)
        return -EBADF;
    result = mqueue_receive(frame, queue, file, deadline);
    file_release(file);
    return call_restartable(result);
}

static int mqueue_set_notification(struct mqueue *queue, struct file *file,
                                   const struct abi_sigevent *event)
{
    uint32_t self = task_current()->program->id;

    if (!event) {
        if (queue->notified && queue->notified_id == self)
            queue->notified = NULL;
        return 0;
    }
    if (queue->notified)
        return -EBUSY;
    queue->notified = file;
    queue->notified_id = self;
    queue->notification = *event;
    return 0;
}

CALL(mq_notify)
{
    struct abi_sigevent event;
    struct mqueue *queue;
    struct file *file;
    int error;

    if (ARG(1) != 0) {
        if (copyin(ARG_PTR(1), &event, sizeof event) != 0)
            return -EFAULT;
        if ((event.notify != SIGEV_NONE && event.notify != SIGEV_SIGNAL) ||
            (event.notify == SIGEV_SIGNAL && (event.signo < 0 || event.signo > ABI_SIGNALS)))
            return -EINVAL; /* a thread's needs a netlink socket */
    }
    queue = mqueue_get(ARG_INT(0), O_ACCMODE, &file);
    if (!queue)
        return -EBADF;
    mutex_enter(&mqueue_mutex);
    error = mqueue_set_notification(queue, file, ARG(1) != 0 ? &event : NULL);
    mutex_exit(&mqueue_mutex);
    file_release(file);
    return error;
}

CALL(mq_getsetattr)
{
    struct abi_mq new, old;
    struct mqueue *queue;
    struct file *file;

    if (ARG(1) != 0) {
        if (copyin(ARG_PTR(1), &new, sizeof new) != 0)
            return -EFAULT;
        if (new.flags & ~(int64_t)ABI_O_NONBLOCK)
            return -EINVAL;
    }
    queue = mqueue_get(ARG_INT(0), O_ACCMODE, &file);
    if (!queue)
        return -EBADF;
    memset(&old, 0, sizeof old);
    mutex_enter(&mqueue_mutex);
    old.flags = file_flags(file) & O_NONBLOCK ? ABI_O_NONBLOCK : 0;
    old.most = (int64_t)queue->most;
    old.size = (int64_t)queue->size;
    old.count = (int64_t)queue->count;
    mutex_exit(&mqueue_mutex);
    if (ARG(1) != 0)
        file_set_flags(file, (file_flags(file) & ~O_NONBLOCK) | (new.flags ? O_NONBLOCK : 0));
    file_release(file);
    return ARG(2) != 0 ? copyout(&old, ARG_PTR(2), sizeof old) : 0;
}
