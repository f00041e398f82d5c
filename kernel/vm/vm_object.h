/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a mapping shows: a file's bytes, or memory that several processes share. Who has such a
 * thing puts a struct vm_object into it and answers these calls.
 *
 * Thread context, interrupts on. All but `page` and `size` may be called with the lock of a struct
 * vm held or not; these two come with it held. So NO LOCK THAT THEY TAKE IS HELD WHILE USER MEMORY
 * IS COPIED (copyin, copyout), and none while a call of vm.h is made: the order is the vm's lock,
 * then the object's.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vm_object;

struct vm_object_name {
    char name[256]; /* "" for memory without one; cut if too long */
    uint64_t device, inode;
};

struct vm_object_ops {
    /*
     * The page of 4096 bytes from INDEX * 4096 on, as a kernel address: one block of order 0 from
     * page_alloc_for, held for the caller (page_hold), who will release it. Bytes of it behind the
     * object's end are 0. For as long as it is part of the object the object holds it itself, so
     * that page_references of it is 2 at least: that is how a private mapping knows that it must
     * not write to it. WRITE: it will be written to, in the object (a shared mapping).
     * 0; -ENXIO: behind the end (SIGBUS, BUS_ADRERR); -ENOMEM; -EIO (SIGBUS as well).
     * *SLEPT is set true if it had to be fetched from a device (a major fault); it is false before.
     */
    int (*page)(struct vm_object *object, uint64_t index, bool write, void **page, bool *slept);
    void (*hold)(struct vm_object *object);
    void (*release)(struct vm_object *object);
    uint64_t (*size)(struct vm_object *object); /* bytes */
    /* For /proc/PID/maps; NULL: no name. */
    void (*name)(struct vm_object *object, struct vm_object_name *out);
    /* msync: SIZE bytes from OFFSET on are to be on their device: 0 or an error. NULL: nothing to
     * do. */
    int (*sync)(struct vm_object *object, uint64_t offset, uint64_t size);
};

struct vm_object {
    const struct vm_object_ops *ops;
    const void *source; /* whose pages they are, for vm_revoke: objects may share it */
};

/*
 * SOURCE has the bytes from FIRST to END (whole pages) no more: no mapping has them from now on,
 * whosever it is, and who touches them asks the object again. COPIES: nor do private ones that were
 * written to. No lock held. Its length is that of all mappings of all processes: for sources of
 * which there is one.
 */
void vm_revoke(const void *source, uint64_t first, uint64_t end, bool copies);

/*
 * Memory of SIZE bytes that is 0 until it is written, page by page as it is first asked for: what
 * shared anonymous mappings show, and what a file in memory may be made of. Held once; the last
 * release frees it. NULL: no memory.
 */
struct vm_object *vm_memory_create(uint64_t size);
/* Its size from now on; what lies behind is gone (who has it mapped keeps what he has touched).
 * The rest of the last page becomes 0. */
void vm_memory_resize(struct vm_object *object, uint64_t size);
/* Pages that it has. */
uint64_t vm_memory_pages(const struct vm_object *object);
