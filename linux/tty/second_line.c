/* SPDX-License-Identifier: BSD-2-Clause */
/* See second_line.h. Input comes in frames: a byte with a length, then so many bytes; 0 ends it. */
#include "linux/tty/second_line.h"
#include <arch/copy.h>
#include "fs/file/file.h"
#include "fs/file/poll.h"
#include "kernel/console/console.h"
#include "kernel/console/stream.h"
#include "kernel/thread/thread.h"
#include "lib/errno.h"
#include "linux/tty/tty.h"

/* Said once, before anything else: what was sent earlier is lost. */
#define READY "\005"

static kmutex_t lock; /* the reader's */
static unsigned left; /* of the frame */
static bool ended, ready;
static struct poll_source source;

static long second_line_read_byte(struct stream *stream, unsigned char *byte)
{
    return stream_read(stream, (char *)byte, 1);
}

/* At least one byte; 0: the end; -EINTR. */
static long second_line_take(struct stream *stream, char *buffer, size_t size)
{
    unsigned char length;
    long got;

    if (left == 0 && !ended) {
        got = second_line_read_byte(stream, &length);
        if (got < 0)
            return got;
        left = length;
        ended = length == 0;
    }
    if (ended || size == 0)
        return 0;
    got = stream_read(stream, buffer, size < left ? size : left);
    if (got > 0)
        left -= (unsigned)got;
    return got;
}

/* How much can be read without waiting; a frame begins, or the end is seen. With the lock. */
static size_t second_line_waiting(struct stream *stream)
{
    size_t waiting = stream_waiting(stream);

    if (left == 0 && !ended && waiting > 0) {
        (void)second_line_take(stream, NULL, 0);
        waiting--;
    }
    return ended ? 0 : waiting < left ? waiting : left;
}

static long second_line_read(struct file *file, struct uio *uio, uint64_t *offset)
{
    bool waits = !(file_flags(file) & O_NONBLOCK);
    char buffer[256] = {0};
    long got = -EAGAIN;

    (void)offset;
    if (uio->left == 0)
        return 0;
    if (waits)
        mutex_enter(&lock);
    else if (!mutex_tryenter(&lock))
        return got;
    if (waits || second_line_waiting(file->data) > 0 || ended)
        got = second_line_take(file->data, buffer,
                               uio->left < sizeof buffer ? uio->left : sizeof buffer);
    if (left > 0 || ended)
        poll_source_wake(&source, POLL_READ | POLLHUP);
    mutex_exit(&lock);
    if (got > 0 && uio_put(uio, buffer, (size_t)got) == 0)
        return -EFAULT;
    return got;
}

static long second_line_write(struct file *file, struct uio *uio, uint64_t *offset)
{
    char buffer[256];
    long moved = 0;
    size_t got;

    (void)offset;
    while (uio->left > 0 && (got = uio_get(uio, buffer, sizeof buffer)) > 0) {
        stream_write(file->data, buffer, got);
        moved += (long)got;
        if (uio->left > 0 && thread_interrupted())
            break;
    }
    return moved == 0 && uio->left > 0 ? -EFAULT : moved;
}

static void second_line_came(void)
{
    poll_source_wake(&source, POLL_READ);
}

static uint32_t second_line_poll(struct file *file, uint32_t events, struct poll_entry *entry)
{
    uint32_t now = 0;

    poll_source_watch(&source, entry);
    if (mutex_tryenter(&lock)) {
        now = second_line_waiting(file->data) > 0 ? POLL_READ : ended ? POLLHUP : 0;
        mutex_exit(&lock);
    }
    return now & (events | POLLHUP);
}

static long second_line_control(struct file *file, uint32_t command, uintptr_t argument, bool user)
{
    int32_t count = 0;

    (void)user;
    if (command != FIONREAD)
        return -ENOTTY;
    if (mutex_tryenter(&lock)) {
        count = (int32_t)second_line_waiting(file->data);
        mutex_exit(&lock);
    }
    return copyout(&count, (void *)argument, sizeof count);
}

static int second_line_stat(struct file *file, struct file_stat *out)
{
    (void)file;
    *out = (struct file_stat){.mode = S_IFIFO | 0600, .links = 1, .block_size = 4096};
    return 0;
}

/* Of its own direction only. */
static int second_line_reopen(struct file *file, uint32_t flags, struct file **out)
{
    if ((flags & O_ACCMODE) != (file_flags(file) & O_ACCMODE))
        return -EACCES;
    *out = file_create(file->ops, flags & (O_ACCMODE | O_NONBLOCK), file->data);
    return *out ? 0 : -ENOMEM;
}

static const struct file_ops input_ops = {
    .reopen = second_line_reopen,
    .read = second_line_read,
    .poll = second_line_poll,
    .ioctl = second_line_control,
    .stat = second_line_stat,
};
static const struct file_ops output_ops = {
    .reopen = second_line_reopen, .write = tty_write_plain, .stat = second_line_stat};
static const struct file_ops error_ops = {
    .reopen = second_line_reopen, .write = second_line_write, .stat = second_line_stat};

bool second_line_files(struct file *files[3])
{
    struct stream *stream = stream_get();

    if (!stream)
        return false;
    if (!ready) {
        mutex_init(&lock, "standard input");
        poll_source_init(&source);
        stream_set_listener(stream, second_line_came);
        stream_write(stream, READY, 1);
    }
    ready = true;
    files[0] = file_create(&input_ops, O_RDONLY, stream);
    files[1] = file_create(&output_ops, O_WRONLY, NULL);
    files[2] = file_create(&error_ops, O_WRONLY, stream);
    if (files[0] && files[1] && files[2])
        return true;
    for (unsigned i = 0; i < 3; i++)
        if (files[i])
            file_release(files[i]);
    return false;
}
