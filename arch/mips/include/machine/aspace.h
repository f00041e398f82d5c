/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Page tables of MIPS: what the refill vectors read (arch/mips/tlb.c). The lowest tables hold
 * EntryLo words: frame number from bit 6, cacheability in bits 5-3, D (writable), V, G (MIPS R10000
 * User's Manual 14.4); tables above hold addresses. A word of a page has a cacheability, which
 * tells it from the empty ones, 0 and G.
 *
 * MIPS64 Release 2 does not keep data from being executed. Bit 62 is where later CPUs are told to
 * (XI); those that do not know it ignore it.
 */
#pragma once

#include <arch/aspace.h>
#include <arch/cpu.h>
#include <arch/memory.h>
#include <machine/register.h>
#include <stdbool.h>
#include <stdint.h>

#define ASPACE_USER_START 0x1000ul
#define ASPACE_USER_END   0x8000000000ul /* what three levels reach */
#define ASPACE_GUARD      0x2000ul       /* a TLB entry: two pages */

/* The TLB keeps that nothing was mapped, as an invalid entry; and, by ASID, what is not active. */
#define ASPACE_KEEPS_ABSENT   1
#define ASPACE_KEEPS_INACTIVE 1
#define ASPACE_FIXED_LEVEL    3u /* none */

#define ENTRY_GLOBAL     0x1ul
#define ENTRY_VALID      0x2ul
#define ENTRY_DIRTY      0x4ul
#define ENTRY_CACHE      0x38ul
#define ENTRY_CACHED     0x18ul /* cacheable noncoherent */
#define ENTRY_UNCACHED   0x10ul
#define ENTRY_LEAVING    0x28ul /* never valid: unmapped, but not yet everywhere */
#define ENTRY_NO_EXECUTE (1ul << 62)
#define ENTRY_FRAME      0x3fffffffffc0ul

static inline uint64_t aspace_word_with(uint64_t word, unsigned rights)
{
    word &= ~(ENTRY_VALID | ENTRY_DIRTY | ENTRY_NO_EXECUTE);
    if (rights & ASPACE_RIGHTS)
        word |= ENTRY_VALID;
    if (rights & ASPACE_WRITE)
        word |= ENTRY_DIRTY;
    return word | (rights & ASPACE_EXECUTE ? 0 : ENTRY_NO_EXECUTE);
}

static inline uint64_t aspace_word_page(bool kernel, uint64_t physical, unsigned rights)
{
    uint64_t flags =
        (kernel ? ENTRY_GLOBAL : 0) | (rights & ASPACE_UNCACHED ? ENTRY_UNCACHED : ENTRY_CACHED);

    return aspace_word_with(physical >> 12 << 6 | flags, rights);
}

static inline bool aspace_word_is_leaving(uint64_t word)
{
    return (word & ENTRY_CACHE) == ENTRY_LEAVING;
}

static inline bool aspace_word_is_page(uint64_t word)
{
    return word & ENTRY_CACHE && !aspace_word_is_leaving(word);
}

static inline uint64_t aspace_word_leaving(uint64_t word)
{
    return (word & (ENTRY_FRAME | ENTRY_GLOBAL)) | ENTRY_LEAVING;
}

static inline uint64_t aspace_word_physical(uint64_t word)
{
    return (word & ENTRY_FRAME) >> 6 << 12;
}

static inline unsigned aspace_word_rights(uint64_t word)
{
    return (word & ENTRY_VALID ? ASPACE_READ : 0) | (word & ENTRY_DIRTY ? ASPACE_WRITE : 0) |
           (word & ENTRY_NO_EXECUTE ? 0 : ASPACE_EXECUTE) |
           ((word & ENTRY_CACHE) == ENTRY_UNCACHED ? ASPACE_UNCACHED : 0);
}

static inline uint64_t aspace_word_link(bool kernel, const uint64_t *table)
{
    (void)kernel;
    return (uintptr_t)table;
}

static inline uint64_t *aspace_word_table(uint64_t word)
{
    return (uint64_t *)word;
}

/* Without Status.UX the kernel would have no user addresses beyond 2^31, but each change of it
 * empties QEMU's own TLB, which costs more time than whole system calls do. */
static inline void user_access_begin(void)
{
}

static inline void user_access_end(void)
{
}
