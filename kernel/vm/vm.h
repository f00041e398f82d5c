/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The memory of a process: an address space, and a sorted set of mappings that say what belongs
 * where in it. A page comes when it is first touched (kernel/vm/vm_fault.h).
 *
 * Errors are those of Linux's manual: mmap(2), munmap(2), mprotect(2), mremap(2), brk(2),
 * madvise(2), msync(2), mincore(2), mlock(2). Addresses and sizes are bytes. A size is rounded up
 * to whole pages, as there; an address that is no multiple of a page is -EINVAL. Rights are those
 * of <arch/aspace.h>: ASPACE_READ, _WRITE, _EXECUTE; any of them includes reading. WRITE with
 * EXECUTE is refused, always: -EACCES.
 *
 * COSTS are logarithmic in the number of mappings, and linear in the pages that are there; none
 * depends on the size of what is not.
 *
 * LOCKS. Each struct vm has one (a mutex), which all calls but those marked take. Whoever calls
 * holds no spinlock, and no lock that an object's functions take (vm_object.h). It is never held
 * while user memory is copied. Of two at once the parent's comes first, in vm_copy; the child's is
 * not known to anybody then.
 *
 * Thread context, interrupts on.
 */
#pragma once

#include <arch/aspace.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>
#include "kernel/thread/mutex.h"
#include "kernel/vm/vm_object.h"

struct process;
struct vm_mapping;

/* Where programs are put: above is nothing but what they map there themselves. The same on both
 * machines, and low enough for one table of the second level. */
#define VM_TOP      0x7ffffff000ul
#define VM_LOWEST   0x10000ul /* nothing is mapped below, but by VM_FIXED */
#define VM_FORCED   ASPACE_USER_START
#define VM_GUARD    0x100000ul /* kept free below a mapping that grows down */
#define VM_MOST     65530u     /* mappings */
#define VM_NO_LIMIT UINT64_MAX

/* Resource limits, bytes; RLIMIT_AS, _DATA, _STACK. */
struct vm_limits {
    uint64_t space, data, stack;
};

TAILQ_HEAD(vm_mappings, vm_mapping);

/* All under the lock; only kernel/vm/ writes, but for limits. */
struct vm {
    kmutex_t lock;
    uint32_t references; /* of its own lock */
    struct aspace *aspace;
    struct vm_mapping *root;     /* the tree */
    struct vm_mappings mappings; /* by address */
    struct vm_mapping *last;     /* that was found */
    uint32_t count;
    uint64_t size;          /* bytes mapped */
    uint64_t data;          /* of them private and writable, without what grows down */
    uint64_t locked;        /* of them locked */
    bool lock_future;       /* what is mapped from now on is locked: vm_lock_all */
    uint64_t most_resident; /* pages, as of now and then: see vm_resident_most */
    uintptr_t brk_start, brk_end;
    uintptr_t search_end; /* the search for a hole begins here and goes down */
    struct vm_limits limits;
};

/* An empty one without limits, held by the caller: 0, -ENOMEM. */
int vm_create(struct vm **out);
/* fork: what FROM has. Private pages are shared until one of both writes; shared mappings show the
 * same objects. 0, -ENOMEM (then nothing has changed). */
int vm_copy(struct vm *from, struct vm **out);
/*
 * Around vm_copy and vm_attach of what it made, which nobody finds in between: vm_revoke waits for
 * those that have begun, and begins wait for it. No lock held.
 */
void vm_copies_begin(void);
void vm_copies_end(void);
void vm_hold(struct vm *vm);
/* The last one frees all pages and mappings. No thread runs in it any more. */
void vm_release(struct vm *vm);

/*
 * PROCESS's memory is VM from now on, whose reference it takes over; VM may be another's as well
 * (vfork). What it had is released. Of the caller's own process: no other thread of it runs, and
 * the caller uses the new one at once (exec). Otherwise it has no threads yet. The threads of a
 * process with memory begin in it (process_thread_create), and its end releases it.
 */
void vm_attach(struct process *process, struct vm *vm);
/* The running thread's process's; NULL: the kernel's. Any context. */
struct vm *vm_current(void);
/* Pages that are there now, and the most there were (ru_maxrss, in pages). No lock. */
uint64_t vm_resident(const struct vm *vm);
uint64_t vm_resident_most(const struct vm *vm);

/* The memory of a process, at one moment; all 0 if it has none. Any context that may take
 * spinlocks.
 */
struct vm_sizes {
    uint64_t bytes;                   /* mapped */
    uint64_t resident, most_resident; /* pages */
};
void vm_sizes_get(struct process *process, struct vm_sizes *out);
/* The same memory, held (vm_release); NULL: it has none. */
struct vm *vm_hold_of(struct process *process);

/* vm_map's. The first three have no meaning later. */
#define VM_FIXED      0x01u /* at that address; what is there goes */
#define VM_NO_REPLACE 0x02u /* at that address; -EEXIST if something is there */
#define VM_POPULATE   0x04u /* its pages come at once, as far as there is memory */
#define VM_SHARED     0x10u /* written to the object; otherwise private */
#define VM_GROWS_DOWN 0x20u /* a stack; limits.stack bytes at most */
#define VM_READ_ONLY  0x40u /* vm_protect refuses writing: shared, of a file open for reading */
#define VM_LOCKED     0x80u
#define VM_NO_FORK    0x100u /* vm_advise: children do not get it */
#define VM_WIPE_FORK  0x200u /* the same: it is 0 in children */

/*
 * mmap: SIZE bytes at *ADDRESS, or, unless fixed, near it where there is room, or, if it is 0 or
 * there is none, as high as there is. OBJECT from OFFSET on, which it holds; NULL: memory that is 0
 * (VM_SHARED: shared with children). 0 with *ADDRESS; -EINVAL, -ENOMEM, -EEXIST, -EACCES,
 * -EOVERFLOW.
 */
int vm_map(struct vm *vm, uintptr_t *address, size_t size, unsigned rights, unsigned flags,
           struct vm_object *object, uint64_t offset);
/* munmap; holes are no error. 0, -EINVAL, -ENOMEM. */
int vm_unmap(struct vm *vm, uintptr_t address, size_t size);
/* mprotect; at a hole -ENOMEM, with all before it done. */
int vm_protect(struct vm *vm, uintptr_t address, size_t size, unsigned rights);

#define VM_REMAP_MAY_MOVE 1u /* the values of Linux */
#define VM_REMAP_FIXED    2u
/* mremap: 0 with *ADDRESS, where it was and where it is now (VM_REMAP_FIXED: NEW_ADDRESS). */
int vm_remap(struct vm *vm, uintptr_t *address, size_t old_size, size_t new_size, unsigned flags,
             uintptr_t new_address);

/* For exec: the heap begins at START, empty. */
void vm_brk_begin(struct vm *vm, uintptr_t start);
/* brk: ends at END from now on, if that can be; returns where it ends. */
uintptr_t vm_brk(struct vm *vm, uintptr_t end);

/* madvise: VM_DONTNEED, VM_FREE: private memory is 0 again, of an object what the object says.
 * What children get of it (DONTFORK to KEEPONFORK), bringing its pages (POPULATE). Other values
 * that Linux knows do nothing. 0, -EINVAL, -ENOMEM (a hole; all else is done), -EFAULT. */
#define VM_DONTNEED       4
#define VM_FREE           8
#define VM_DONTFORK       10
#define VM_DOFORK         11
#define VM_WIPEONFORK     18
#define VM_KEEPONFORK     19
#define VM_POPULATE_READ  22
#define VM_POPULATE_WRITE 23
int vm_advise(struct vm *vm, uintptr_t address, size_t size, int advice);
/* msync: 0, -ENOMEM (a hole), -EINVAL, -EBUSY (INVALIDATE: locked), an object's error. */
int vm_sync(struct vm *vm, uintptr_t address, size_t size, bool invalidate);
/* mincore: byte N of OUT (kernel memory, SIZE / 4096 rounded up) is 1 if page N is there, else 0.
 * 0, -ENOMEM. For many pages in parts. */
int vm_incore(struct vm *vm, uintptr_t address, size_t size, uint8_t *out);
/* mlock, munlock: what is locked is there; nothing is ever paged out. 0, -ENOMEM, -EINVAL. The
 * limit is the caller's to look after (vm->locked). */
int vm_lock(struct vm *vm, uintptr_t address, size_t size, bool locked);
/* How many bytes of the range are locked. */
uint64_t vm_locked_in(struct vm *vm, uintptr_t start, uintptr_t end);
/* mlockall: all that is mapped now (CURRENT), and whatever will be (FUTURE); munlockall, if
 * neither. */
void vm_lock_all(struct vm *vm, bool current, bool future);

/*
 * SIZE bytes from and to any memory, the caller's own or not (exec fills a new one before anybody
 * is in it): pages come as by a fault, and what a program may not read or write there neither can
 * these. 0, -EFAULT (a part may be done).
 */
int vm_peek(struct vm *vm, uintptr_t address, void *kernel, size_t size);
int vm_poke(struct vm *vm, uintptr_t address, const void *kernel, size_t size);

/* A mapping, for who lists them. */
struct vm_mapping_info {
    uintptr_t start, end;
    unsigned rights, flags; /* VM_SHARED, _GROWS_DOWN, _LOCKED */
    uint64_t offset;        /* bytes in its object */
    uint64_t resident;      /* pages */
    bool has_object;
    bool is_heap;
    struct vm_object_name name; /* "" without object */
};
/* The first that ends above ADDRESS; false: there is none. To list all: begin at 0, and go on at
 * the end of the last one. */
bool vm_mapping_next(struct vm *vm, uintptr_t address, struct vm_mapping_info *out);

/* Pages of all processes: their own, and those of memory objects, which they share. Any context. */
uint64_t vm_all_pages(void);
