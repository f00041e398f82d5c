/* SPDX-License-Identifier: BSD-2-Clause */
/* Transfers: see uio.h. */
#include "fs/file/uio.h"
#include <arch/copy.h>
#include "kernel/memory/page.h"
#include "lib/errno.h"
#include "lib/string.h"

#define TRANSFER_MAX 0x7ffff000ul /* of Linux: 2 GiB less a page */

int uio_init(struct uio *uio, const struct io_vector *vector, unsigned count, bool user)
{
    size_t sum = 0;

    if (count > UIO_VECTORS_MAX)
        return -EINVAL;
    for (unsigned i = 0; i < count; i++)
        if (vector[i].length > INT64_MAX)
            return -EINVAL;
    for (unsigned i = 0; i < count; i++)
        if (__builtin_add_overflow(sum, vector[i].length, &sum) || sum > INT64_MAX)
            return -EFAULT; /* no memory is as large */
    *uio = (struct uio){.vector = vector,
                        .left = sum < TRANSFER_MAX ? sum : TRANSFER_MAX,
                        .user = user,
                        .keeps_set_id = true,
                        .file_limit = INT64_MAX};
    return 0;
}

void uio_single(struct uio *uio, struct io_vector *vector, void *base, size_t size, bool user)
{
    *vector = (struct io_vector){base, size};
    *uio = (struct uio){.vector = vector,
                        .left = size < TRANSFER_MAX ? size : TRANSFER_MAX,
                        .user = user,
                        .keeps_set_id = true,
                        .file_limit = INT64_MAX};
}

enum direction { PUT, ZERO, GET };

static int uio_copy_user(enum direction direction, void *user, void *kernel, size_t size)
{
    static const char zeroes[512];
    int error = 0;

    if (direction == GET)
        return copyin(user, kernel, size);
    if (direction == PUT)
        return copyout(kernel, user, size);
    for (size_t done = 0, part; done < size && error == 0; done += part) {
        part = size - done < sizeof zeroes ? size - done : sizeof zeroes;
        error = copyout(zeroes, (char *)user + done, part);
    }
    return error;
}

/* A program's memory, page by page, so that what was moved before a fault is known. */
static size_t uio_move_user(enum direction direction, char *user, char *kernel, size_t size)
{
    size_t done = 0;

    while (done < size) {
        size_t part = PAGE_SIZE - ((uintptr_t)user + done) % PAGE_SIZE;

        if (part > size - done)
            part = size - done;
        if (uio_copy_user(direction, user + done, kernel == NULL ? NULL : kernel + done, part) != 0)
            break;
        done += part;
    }
    return done;
}

static size_t uio_move_kernel(enum direction direction, char *to, char *kernel, size_t size)
{
    if (direction == GET)
        memcpy(kernel, to, size);
    else if (direction == PUT)
        memcpy(to, kernel, size);
    else
        memset(to, 0, size);
    return size;
}

static void uio_advance(struct uio *uio, size_t size)
{
    uio->left -= size;
    uio->skip += size;
    if (uio->skip == uio->vector->length) {
        uio->vector++;
        uio->skip = 0;
    }
}

static size_t uio_move(struct uio *uio, enum direction direction, char *kernel, size_t size)
{
    size_t done = 0;

    if (size > uio->left)
        size = uio->left;
    while (done < size) {
        size_t part = uio->vector->length - uio->skip, moved;
        char *base = (char *)uio->vector->base + uio->skip;
        char *here = kernel == NULL ? NULL : kernel + done;

        if (part > size - done)
            part = size - done;
        moved = uio->user ? uio_move_user(direction, base, here, part)
                          : uio_move_kernel(direction, base, here, part);
        uio_advance(uio, moved);
        done += moved;
        if (moved < part)
            break;
    }
    return done;
}

size_t uio_put(struct uio *uio, const void *from, size_t size)
{
    return uio_move(uio, PUT, (char *)(uintptr_t)from, size);
}

size_t uio_put_zeroes(struct uio *uio, size_t size)
{
    return uio_move(uio, ZERO, NULL, size);
}

size_t uio_get(struct uio *uio, void *to, size_t size)
{
    return uio_move(uio, GET, to, size);
}
