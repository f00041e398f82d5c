/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Advisory locks of files: flock(2) of whole files, fcntl(2) of ranges. A lock has an owner, and is
 * of a kind; locks of different kinds do not see each other. Each request looks at all locks of its
 * file. Deadlocks are not looked for. Thread context.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct vnode;

enum file_lock_kind { FILE_LOCK_WHOLE, FILE_LOCK_RANGE };
enum file_lock_type { FILE_LOCK_READ, FILE_LOCK_WRITE, FILE_LOCK_NONE };

struct file_lock {
    struct file_lock *next; /* fs/file/lock.c's */
    const void *owner;      /* a struct file, or (fcntl's of a process) a struct file_table */
    int32_t pid;            /* who is told of; -1: nobody */
    uint8_t kind, type;
    uint64_t start, last; /* bytes, both included */
};

/* What WANTED's owner has in its range is of that type from now on: 0; -EAGAIN (another has it;
 * with WAIT it waits), -EINTR, -ENOLCK, -EDEADLK
 * (it waits for somebody who waits for it; processes' locks only). */
int file_lock_set(struct vnode *node, const struct file_lock *wanted, bool wait);
/* The first lock that would be in WANTED's way, copied there; else its type is FILE_LOCK_NONE. */
void file_lock_test(struct vnode *node, struct file_lock *wanted);
/* OWNER has none of them any more. Costs nothing where there are none. */
void file_lock_drop(struct vnode *node, const void *owner);
