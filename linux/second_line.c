/* SPDX-License-Identifier: BSD-2-Clause */
/* See second_line.h. Input comes in frames: a byte with a length, then so many bytes; 0 ends it. */
#include "linux/second_line.h"
#include "fs/file.h"
#include "kernel/console/console.h"
#include "kernel/console/stream.h"
#include "kernel/thread/thread.h"
#include "lib/errno.h"
#include "linux/tty.h"

/* Said once, before anything else: what was sent earlier is lost. */
#define READY "\005"

static kmutex_t lock; /* the reader's */
static unsigned left; /* of the frame */
static bool ended, ready;

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
    if (ended)
        return 0;
    got = stream_read(stream, buffer, size < left ? size : left);
    if (got > 0)
        left -= (unsigned)got;
    return got;
}

static long second_line_read(struct file *file, struct uio *uio, uint64_t *offset)
{
    char buffer[256];
    long got;

    (void)offset;
    if (uio->left == 0)
        return 0;
    mutex_enter(&lock);
    got =
        second_line_take(file->data, buffer, uio->left < sizeof buffer ? uio->left : sizeof buffer);
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

static int second_line_stat(struct file *file, struct file_stat *out)
{
    (void)file;
    *out = (struct file_stat){.mode = S_IFIFO | 0600, .links = 1, .block_size = 4096};
    return 0;
}

static const struct file_ops input_ops = {.read = second_line_read, .stat = second_line_stat};
static const struct file_ops output_ops = {.write = tty_write_plain, .stat = second_line_stat};
static const struct file_ops error_ops = {.write = second_line_write, .stat = second_line_stat};

bool second_line_files(struct file *files[3])
{
    struct stream *stream = stream_get();

    if (!stream)
        return false;
    if (!ready) {
        mutex_init(&lock, "standard input");
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
