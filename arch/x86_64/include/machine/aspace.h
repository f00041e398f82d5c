/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Page tables of x86_64 (Intel SDM volume 3, 4.5), and reaching user pages past SMAP (4.6.1). Of
 * the bits that are free for software, three say what the CPU's own bits cannot.
 */
#pragma once

#include <arch/aspace.h>
#include <arch/memory.h>
#include <stdbool.h>
#include <stdint.h>

#define ASPACE_USER_START 0x1000ul
#define ASPACE_USER_END   0x7ffffffff000ul
#define ASPACE_GUARD      0x1000ul /* what aspace_reserve leaves empty */

/* Whether a CPU remembers that nothing was mapped; and translations of what is not active. */
#define ASPACE_KEEPS_ABSENT   0
#define ASPACE_KEEPS_INACTIVE 0
/* Tables behind words of this level, or higher ones, are there from boot on in aspace_kernel. */
#define ASPACE_FIXED_LEVEL 3u

#define PTE_PRESENT    0x1ul
#define PTE_WRITABLE   0x2ul
#define PTE_USER       0x4ul
#define PTE_UNCACHED   0x18ul  /* PCD, PWT */
#define PTE_PAGE       0x200ul /* software: mapped, with whatever rights */
#define PTE_EXECUTE    0x400ul /* software: asked for; without NX every page can be executed */
#define PTE_LEAVING    0x800ul /* software: unmapped, but not yet everywhere */
#define PTE_NO_EXECUTE (1ul << 63)
#define PTE_ADDRESS    0x000ffffffffff000ul

/* PTE_NO_EXECUTE where CPUs have it, else 0; whether SMAP is on. */
extern uint64_t paging_no_execute;
extern bool paging_smap;

static inline uint64_t aspace_word_with(uint64_t word, unsigned rights)
{
    word &= ~(PTE_PRESENT | PTE_WRITABLE | PTE_EXECUTE | PTE_NO_EXECUTE);
    if (rights & ASPACE_RIGHTS)
        word |= PTE_PRESENT;
    if (rights & ASPACE_WRITE)
        word |= PTE_WRITABLE;
    return word | (rights & ASPACE_EXECUTE ? PTE_EXECUTE : paging_no_execute);
}

static inline uint64_t aspace_word_page(bool kernel, uint64_t physical, unsigned rights)
{
    uint64_t flags =
        PTE_PAGE | (kernel ? 0 : PTE_USER) | (rights & ASPACE_UNCACHED ? PTE_UNCACHED : 0);

    return aspace_word_with(physical | flags, rights);
}

static inline bool aspace_word_is_page(uint64_t word)
{
    return word & PTE_PAGE;
}

static inline uint64_t aspace_word_leaving(uint64_t word)
{
    return (word & PTE_ADDRESS) | PTE_LEAVING;
}

static inline bool aspace_word_is_leaving(uint64_t word)
{
    return word & PTE_LEAVING;
}

static inline uint64_t aspace_word_physical(uint64_t word)
{
    return word & PTE_ADDRESS;
}

static inline unsigned aspace_word_rights(uint64_t word)
{
    return (word & PTE_PRESENT ? ASPACE_READ : 0) | (word & PTE_WRITABLE ? ASPACE_WRITE : 0) |
           (word & PTE_EXECUTE ? ASPACE_EXECUTE : 0) | (word & PTE_UNCACHED ? ASPACE_UNCACHED : 0);
}

static inline uint64_t aspace_word_link(bool kernel, const uint64_t *table)
{
    return memory_physical(table) | PTE_PRESENT | PTE_WRITABLE | (kernel ? 0 : PTE_USER);
}

static inline uint64_t *aspace_word_table(uint64_t word)
{
    return word & PTE_PRESENT ? (uint64_t *)memory_pointer(word & PTE_ADDRESS) : NULL;
}

static inline void user_access_begin(void)
{
    if (paging_smap)
        __asm__ volatile("stac" : : : "memory", "cc");
}

static inline void user_access_end(void)
{
    if (paging_smap)
        __asm__ volatile("clac" : : : "memory", "cc");
}
