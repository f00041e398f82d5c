/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Address spaces: the one way into page tables.
 *
 * The kernel has one of its own, aspace_kernel: the addresses of stacks, device registers and
 * counters' cells. Every other has user addresses only, ASPACE_USER_START to ASPACE_USER_END; in
 * each of them the kernel is the same for ever, so that what is mapped in aspace_kernel is there
 * whichever is active. Sizes and addresses are bytes, multiples of MEMORY_PAGE (4096), else
 * -EINVAL; a physical address is one of RAM, or of device registers.
 *
 * PAGES BELONG TO THE CALLER. An address space has no reference to the pages that it maps
 * (kernel/memory/page.h counts those): whoever maps one holds it until no CPU reaches it there any
 * more, which is when aspace_unmap calls back, or has returned.
 *
 * SEVERAL CPUs. An address space may be active on many, and changed on any: each has a lock, held
 * while its tables change. What takes rights away (unmap, protect) returns when no CPU has the old
 * translation; only those on which the address space is active are asked. Two changes of the same
 * pages at once are for the caller to keep apart.
 *
 * The machine supplies the tables' form (<machine/aspace.h>) and the functions under "The machine";
 * kernel/memory/aspace.c has the rest.
 */
#pragma once

#include <arch/memory.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What may be done with a page. Writing or executing includes reading. A page without rights is
 * mapped all the same: its address is taken, and every access faults. ASPACE_WRITE with
 * ASPACE_EXECUTE is refused in the kernel's own: -EACCES. Whether the CPU itself keeps data from
 * being executed, and kernel from user pages, is aspace_guards' to say.
 */
#define ASPACE_READ     1u
#define ASPACE_WRITE    2u
#define ASPACE_EXECUTE  4u
#define ASPACE_UNCACHED 8u /* device registers; aspace_kernel only, not by protect */
#define ASPACE_RIGHTS   (ASPACE_READ | ASPACE_WRITE | ASPACE_EXECUTE)

struct aspace;
extern struct aspace aspace_kernel;

/* An empty one; NULL: out of memory. Thread context. */
struct aspace *aspace_create(void);
/*
 * Takes it away with its tables, on CPUs that have not yet activated another, too. No thread has it
 * (thread_set_aspace), nothing is mapped any more: panics if a page is. Thread context, interrupts
 * on.
 */
void aspace_destroy(struct aspace *aspace);

/*
 * Maps [address, address + size) to PHYSICAL and on: 0; -EEXIST: a page in it is mapped; -ENOMEM:
 * no memory for a table; -EINVAL: not this address space's addresses, or not aligned; -EACCES.
 * After an error it is as before. Any context that may take spinlocks.
 */
int aspace_map(struct aspace *aspace, uintptr_t address, uint64_t physical, size_t size,
               unsigned rights);
/*
 * Takes away what is mapped in the range, which may have holes. When no CPU reaches any of it,
 * calls GONE(argument, physical) for each page, from the lowest address on (NULL: for none), with
 * no lock held. Returns the number of pages; a range that is not its own has none. Costs by the
 * tables that exist, not by size. Thread context, interrupts on, no spinlock held.
 */
size_t aspace_unmap(struct aspace *aspace, uintptr_t address, size_t size,
                    void (*gone)(void *argument, uint64_t physical), void *argument);
/* The pages that are mapped in the range have RIGHTS from now on: 0, -EINVAL, -EACCES. Where that
 * is more than before, another CPU may fault once more at a user's page. The same contexts as
 * aspace_unmap. */
int aspace_protect(struct aspace *aspace, uintptr_t address, size_t size, unsigned rights);
/* The same, but ASPACE_WRITE only for pages that have it: others may be shared with somebody. */
int aspace_protect_shared(struct aspace *aspace, uintptr_t address, size_t size, unsigned rights);
/* In place of the page at ADDRESS, which is mapped, another one: returns the physical address of
 * the old one, which no CPU reaches there any more. The same contexts. */
uint64_t aspace_replace(struct aspace *aspace, uintptr_t address, uint64_t physical,
                        unsigned rights);
/*
 * What is mapped in the range in FROM is mapped in TO as well, which no CPU uses and where nothing
 * is; writing is allowed in neither any more. HOLD, under FROM's lock, holds those pages, a few at
 * a time: false ends it. 0; -ENOMEM: a part was done. The CPUs have to be told:
 * aspace_forget(FROM), once for all ranges. The same contexts.
 */
int aspace_share(struct aspace *from, struct aspace *to, uintptr_t address, size_t size,
                 bool (*hold)(const uint64_t *physical, unsigned count));
void aspace_forget(struct aspace *aspace);
/* What is mapped from FROM on is mapped from TO on instead, where nothing is; the ranges do not
 * overlap. 0, -ENOMEM (nothing has changed). The same contexts. */
int aspace_move(struct aspace *aspace, uintptr_t from, uintptr_t to, size_t size);
/* No thread has it, nor ever will: before it is unmapped and destroyed, which then costs less. */
void aspace_vacate(struct aspace *aspace);
/* What is mapped at ADDRESS, which need not be aligned: 0 with the physical address of that byte
 * and the rights (either pointer may be NULL), else -EFAULT. Whoever handles a fault asks this
 * first: another CPU may have mapped the page meanwhile. Any context that may take spinlocks. */
int aspace_lookup(struct aspace *aspace, uintptr_t address, uint64_t *physical, unsigned *rights);
/* Pages mapped, and pages of tables. Any context; exact while nobody changes them. */
size_t aspace_pages(const struct aspace *aspace);
size_t aspace_tables(const struct aspace *aspace);
/* The same of a range; costs by the tables that exist. */
size_t aspace_pages_in(struct aspace *aspace, uintptr_t address, size_t size);

/*
 * Addresses of aspace_kernel for SIZE bytes, above a page or two that stay empty, which were never
 * given out before; 0: there are no more. Any context that may take spinlocks.
 */
uintptr_t aspace_reserve(size_t size);

/*
 * The machine
 */

/* This CPU uses it from now on; returns at once if it does already. A thread's is activated when
 * the thread continues (thread_set_aspace, kernel/thread/thread.h); a thread without one runs on
 * what was active before. Interrupts off. */
void aspace_activate(struct aspace *aspace);

/* What the CPU enforces besides reading and writing; Malta's enforces none, there W^X is a matter
 * of requests only. */
#define ASPACE_GUARD_EXECUTE   1u /* data is not executed (NX) */
#define ASPACE_GUARD_CODE      2u /* the kernel executes no user page (SMEP) */
#define ASPACE_GUARD_USER_DATA 4u /* nor reads or writes one outside of user_access (SMAP) */
unsigned aspace_guards(void);

/*
 * Between these two the kernel may read and write user addresses of the active address space; for
 * copyin and its like only. A few instructions; they do not nest. No sleep, no other code in
 * between: what interrupts it or faults in it sees to the CPU's state itself (x86_64: RFLAGS.AC, to
 * be cleared at each entry into the kernel from user mode). Nothing where nothing is enforced.
 */
static inline void user_access_begin(void);
static inline void user_access_end(void);

/* What kernel/memory/aspace.c asks for; see kernel/memory/aspace.h. How many bytes of
 * aspace_kernel, from its start, aspace_reserve gives out. */
extern const size_t aspace_kernel_room;
/* Sets all of a new one but pages, tables and lock; whether there was memory. */
bool aspace_machine_create(struct aspace *aspace);
/* Gives back what that took; no CPU uses it. */
void aspace_machine_destroy(struct aspace *aspace);
/* This CPU has no translation of SIZE bytes from ADDRESS any more that is older than this call.
 * Interrupts off. */
void aspace_machine_forget(struct aspace *aspace, uintptr_t address, size_t size);

#include <machine/aspace.h>
