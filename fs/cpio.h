/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Archives of cpio's format newc, as `cpio -o -H newc` makes them: for each file a header of
 * hexadecimal digits, its name, its data, each padded to 4 bytes. Nothing is copied. Pure
 * functions.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cpio {
    const char *data;
    size_t size, at;
};

struct cpio_entry {
    const char *name; /* with a NUL; as it stands: "./bin/ls" */
    size_t name_length;
    const char *data;
    size_t size;
    uint32_t mode, uid, gid, links, modified;
    uint64_t key; /* the same for names of one file: device and number */
};

/* Whether it begins as one. */
bool cpio_is(const void *data, size_t size);
/* The next entry; false: there are no more, or what follows is damaged (then *DAMAGED is set).
 * Several archives may follow each other. */
bool cpio_next(struct cpio *archive, struct cpio_entry *out, bool *damaged);
/* The file of that name; false: there is none. */
bool cpio_find(const void *data, size_t size, const char *name, struct cpio_entry *out);
