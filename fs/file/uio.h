/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A transfer between a file and memory: an array of pieces, a program's (each is then copied by
 * copyin or copyout) or the kernel's. What has been moved is taken off the uio, so that a transfer
 * that ends early is told by what is left. Thread context; no lock held that a mapped file's page
 * takes (INVARIANTS).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UIO_VECTORS_MAX 1024u /* IOV_MAX */

struct io_vector {
    void *base;
    size_t length;
};

struct uio {
    const struct io_vector *vector; /* the piece that comes next; the array is the caller's */
    size_t skip;                    /* bytes of the first that are done */
    size_t left;                    /* bytes that are not done */
    bool user;                      /* addresses of the running thread's program */
    bool at_once;                   /* a pipe is not waited for, whatever its flags: -EAGAIN */
    bool keeps_set_id;              /* a write leaves a file's set-id bits: user 0's */
    uint64_t file_limit;            /* RLIMIT_FSIZE: a regular file is written to no further, and
                                       from there on it is -EFBIG; uio_init: there is none */
};

/* 0; -EINVAL: more than UIO_VECTORS_MAX pieces, or one of more than INT64_MAX bytes; -EFAULT: all
 * together have more. As read(2) has it, what exceeds 0x7ffff000 bytes is cut off. */
int uio_init(struct uio *uio, const struct io_vector *vector, unsigned count, bool user);
/* One piece, held in *VECTOR. */
void uio_single(struct uio *uio, struct io_vector *vector, void *base, size_t size, bool user);

/*
 * Moves SIZE bytes, or uio->left if that is less, to the memory (put, zeroes) or from it (get).
 * Returns how many were moved: fewer, if the program's memory ends; whole pages of it are told
 * exactly.
 */
size_t uio_put(struct uio *uio, const void *from, size_t size);
size_t uio_put_zeroes(struct uio *uio, size_t size);
size_t uio_get(struct uio *uio, void *to, size_t size);
