/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What an address space is made of, for aspace.c and the machines; everybody else goes through
 * <arch/aspace.h>.
 *
 * A tree of tables of 512 words: LEVELS deep, the lowest with a word for each page. The machine
 * says what the words look like (<machine/aspace.h>). Once made, a table stays until the address
 * space goes.
 */
#pragma once

#include <arch/aspace.h>
#include "kernel/cpu/cpu.h"
#include "kernel/lock/spinlock.h"

#define ASPACE_TABLE_WORDS 512u
#define ASPACE_LINKS       16u

struct aspace {
    uint64_t *top;
    unsigned levels;
    uintptr_t start; /* addresses that it may map */
    size_t size;
    uint64_t empty; /* the word of a page that is not mapped */
    size_t pages, tables;
    bool vacant; /* no CPU will use it any more */
    /* The words behind which its tables lie, in the order of their making; the first few. */
    uint64_t *links[ASPACE_LINKS];
    struct spinlock lock;
    volatile cpu_set_t active; /* CPUs on which it is active; of the kernel's it is not kept: all */
    uint64_t machine;          /* Malta: generation and ASID */
};

/* A table full of WORD; NULL if out of memory. For the machine: not counted. */
uint64_t *aspace_table_alloc(uint64_t word);
void aspace_table_free(uint64_t *table);

/* What a level's word stands for: 2^shift bytes. */
static inline unsigned aspace_shift(unsigned level)
{
    return 12 + 9 * level;
}

/* Between aspace.c and aspace_range.c. The word of the page at ADDRESS, its tables made if missing,
 * under the lock; NULL if out of memory. */
uint64_t *aspace_word_make(struct aspace *aspace, uintptr_t address);
bool aspace_is_range(const struct aspace *aspace, uintptr_t address, size_t size);
bool aspace_are_rights(const struct aspace *aspace, unsigned rights);

/*
 * The same where it exists, else NULL. Either way the caller may go on in steps of a page until
 * *NEXT (0: the end of all addresses): to there words follow each other, or there are none.
 */
static inline uint64_t *aspace_word_find(const struct aspace *aspace, uintptr_t address,
                                         uintptr_t *next)
{
    uint64_t *table = aspace->top;

    for (unsigned level = aspace->levels - 1; level > 0; level--) {
        unsigned shift = aspace_shift(level);

        *next = ((address >> shift) + 1) << shift;
        table = aspace_word_table(table[address >> shift & (ASPACE_TABLE_WORDS - 1)]);
        if (!table)
            return NULL;
    }
    return &table[address >> aspace_shift(0) & (ASPACE_TABLE_WORDS - 1)];
}
