/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sysctl: what the system tells, and lets itself be told, by name: "hw.ncpu". A node is one line
 * beside the code that it speaks of, and a function that writes its value out when asked:
 *
 *     static int read_ncpu(struct sysctl_request *request)
 *     {
 *         return sysctl_out_int(request, (int)cpu_count());
 *     }
 *     SYSCTL(ncpu, .name = "hw.ncpu", .type = SYSCTL_INT, .access = read_ncpu,
 *            .summary = "CPUs that run");
 *
 * Names are those of FreeBSD and NetBSD, and so are the types of the values.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lib/linker_set.h"

enum sysctl_type {
    SYSCTL_INT,    /* int, or an array of them */
    SYSCTL_LONG,   /* long or u_long: 64 bits, or an array of them */
    SYSCTL_STRING, /* with its NUL */
    SYSCTL_OPAQUE, /* see format */
};

#define SYSCTL_WORDS 4 /* number components that may follow a name */

/* One call, while it runs. */
struct sysctl_request {
    char *old; /* NULL: only the size is wanted */
    size_t capacity;
    size_t used;     /* bytes of the value so far, whether they fitted or not */
    const void *new; /* NULL: nothing is written */
    size_t new_size;
    long word[SYSCTL_WORDS]; /* components after the name: kern.evcnt.1.0 */
    unsigned words;
};

struct sysctl {
    const char *name;
    enum sysctl_type type;
    const char *format; /* of an opaque value: the name of its structure, or NULL */
    bool writable;
    bool unlisted;  /* shown by its own name only, as it is long */
    unsigned words; /* number components that may follow */
    /* Gives the value out, and takes request->new if there is one, which only writable nodes get.
     * 0 or a negative error. Thread context. */
    int (*access)(struct sysctl_request *request);
    const char *summary;
};

#define SYSCTL(ident, ...)                                                                         \
    static const struct sysctl sysctl_##ident = {__VA_ARGS__};                                     \
    LINKER_SET_ADD(sysctls, sysctl_##ident)

/* Appends to the value: always 0, so that an access function may return it. What does not fit is
 * counted but not copied. */
int sysctl_out(struct sysctl_request *request, const void *bytes, size_t size);
int sysctl_out_int(struct sysctl_request *request, int value);
int sysctl_out_long(struct sysctl_request *request, uint64_t value);
int sysctl_out_string(struct sysctl_request *request, const char *text);

/*
 * sysctlbyname(3): the value of NAME goes to OLD, whose size *OLD_SIZE becomes the size of the
 * value; with OLD NULL only that. NEW, if not NULL, replaces the value.
 *
 * 0; -ENOENT: no such name; -EISDIR: names lie below it; -ENOMEM: OLD is too small, has been
 * filled, and *OLD_SIZE says what is needed; -EPERM: it cannot be written; -EINVAL: NEW is of the
 * wrong size or out of range, or a component after the name is none. Thread context.
 */
int sysctlbyname(const char *name, void *old, size_t *old_size, const void *new, size_t new_size);

/* The node that NAME speaks of, without the components after it; NULL if there is none. */
const struct sysctl *sysctl_find(const char *name);
/* The node after PREVIOUS by name, NULL begins and ends: those below PREFIX ("hw" has "hw.ncpu"),
 * or all for "". */
const struct sysctl *sysctl_next(const char *prefix, const struct sysctl *previous);
