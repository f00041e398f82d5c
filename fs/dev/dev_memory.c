/* SPDX-License-Identifier: BSD-2-Clause */
/* /dev/null, zero, full, random and urandom: mem(4), null(4), full(4), random(4). */
#include "fs/dev/dev.h"
#include "kernel/base/log.h"
#include "kernel/thread/thread.h"
#include "lib/errno.h"

#define PART 4096u /* bytes between two looks at an interruption */

static long dev_memory_null_read(struct file *file, struct uio *uio, uint64_t *offset)
{
    (void)file;
    (void)uio;
    (void)offset;
    return 0;
}

static long dev_memory_null_write(struct file *file, struct uio *uio, uint64_t *offset)
{
    long size = (long)uio->left;

    (void)file;
    (void)offset;
    uio->left = 0;
    return size;
}

static long dev_memory_full_write(struct file *file, struct uio *uio, uint64_t *offset)
{
    (void)file;
    (void)offset;
    return uio->left == 0 ? 0 : -ENOSPC;
}

/* Parts that FILL puts, until the end, a fault or an interruption. */
static long dev_memory_read_parts(struct uio *uio, size_t (*fill)(struct uio *uio, size_t size))
{
    size_t wanted = uio->left;
    int error = 0;

    while (uio->left > 0 && error == 0) {
        size_t part = uio->left < PART ? uio->left : PART;

        if (fill(uio, part) < part)
            error = -EFAULT;
        else if (uio->left > 0 && thread_interrupted())
            error = -EINTR;
    }
    return uio->left < wanted ? (long)(wanted - uio->left) : error;
}

static long dev_memory_zero_read(struct file *file, struct uio *uio, uint64_t *offset)
{
    (void)file;
    (void)offset;
    return dev_memory_read_parts(uio, uio_put_zeroes);
}

static size_t dev_memory_put_random(struct uio *uio, size_t size)
{
    uint64_t words[32];
    size_t done = 0;

    while (done < size) {
        size_t part = size - done < sizeof words ? size - done : sizeof words, moved;

        random_bytes(words, part);
        moved = uio_put(uio, words, part);
        done += moved;
        if (moved < part)
            break;
    }
    return done;
}

static long dev_memory_random_read(struct file *file, struct uio *uio, uint64_t *offset)
{
    (void)file;
    (void)offset;
    return dev_memory_read_parts(uio, dev_memory_put_random);
}

/* Seeks anywhere and stays at 0, as on Linux. */
static const struct file_ops null_ops = {
    .read = dev_memory_null_read, .write = dev_memory_null_write, .begins = true, .seekable = true};
static const struct file_ops zero_ops = {.read = dev_memory_zero_read,
                                         .write = dev_memory_null_write,
                                         .begins = true,
                                         .seekable = true,
                                         .zeroes = true};
static const struct file_ops full_ops = {
    .read = dev_memory_zero_read, .write = dev_memory_full_write, .begins = true, .seekable = true};
static const struct file_ops random_ops = {.read = dev_memory_random_read,
                                           .write = dev_memory_null_write,
                                           .begins = true,
                                           .seekable = true};

/* Numbers: devices.txt of Linux. */
#define MEMORY(device_name, device_minor, device_ops)                                              \
    {.name = (device_name),                                                                        \
     .type = S_IFCHR,                                                                              \
     .major = 1,                                                                                   \
     .minor = (device_minor),                                                                      \
     .mode = 0666,                                                                                 \
     .ops = (device_ops)}

void dev_add_memory(void)
{
    static struct device all[] = {MEMORY("null", 3, &null_ops), MEMORY("zero", 5, &zero_ops),
                                  MEMORY("full", 7, &full_ops), MEMORY("random", 8, &random_ops),
                                  MEMORY("urandom", 9, &random_ops)};

    for (unsigned i = 0; i < sizeof all / sizeof all[0]; i++)
        if (dev_register(&all[i]) != 0)
            log_printf("fs: no /dev/%s", all[i].name);
}
