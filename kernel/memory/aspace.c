/* SPDX-License-Identifier: BSD-2-Clause */
/* Address spaces on any machine: trees of tables, what is mapped and looked up, their end. Changes
 * of what is there: aspace_range.c. */
#include "kernel/memory/aspace.h"
#include <arch/interrupt_flag.h>
#include "kernel/base/panic.h"
#include "kernel/cpu/cross_call.h"
#include "kernel/memory/kmem.h"
#include "kernel/memory/page.h"
#include "lib/errno.h"

PAGE_OWNER(table_pages, "page tables");

static unsigned aspace_index_of(uintptr_t address, unsigned level)
{
    return address >> aspace_shift(level) & (ASPACE_TABLE_WORDS - 1);
}

uint64_t *aspace_table_alloc(uint64_t word)
{
    uint64_t *table = page_alloc_for(&table_pages, 0);

    if (table)
        for (uint64_t *at = table; at < table + ASPACE_TABLE_WORDS; at += 8) {
            at[0] = at[1] = at[2] = at[3] = word;
            at[4] = at[5] = at[6] = at[7] = word;
        }
    return table;
}

void aspace_table_free(uint64_t *table)
{
    page_free(table);
}

/*
 * A few tables that are 0 stay for the next address spaces: those of one that goes are 0 already,
 * but for the links, which are cleared as they are followed.
 */
#define SPARE_MOST 32u

static struct spinlock spare_lock = SPINLOCK_INITIALIZER("spare page tables");
static uint64_t *spare_tables; /* the first word leads to the next */
static unsigned spare_count;

static uint64_t *aspace_clear_table_alloc(void)
{
    uintptr_t state = spinlock_acquire(&spare_lock);
    uint64_t *table = spare_tables;

    if (table) {
        spare_tables = (uint64_t *)table[0];
        table[0] = 0;
        spare_count--;
    }
    spinlock_release(&spare_lock, state);
    return table ? table : aspace_table_alloc(0);
}

/* TABLE is 0. */
static void aspace_clear_table_free(uint64_t *table)
{
    uintptr_t state = spinlock_acquire(&spare_lock);
    bool keep = spare_count < SPARE_MOST;

    if (keep) {
        table[0] = (uintptr_t)spare_tables;
        spare_tables = table;
        spare_count++;
    }
    spinlock_release(&spare_lock, state);
    if (!keep)
        aspace_table_free(table);
}

/* The table behind *WORD, a word of LEVEL, made if missing; NULL if out of memory. */
static uint64_t *aspace_table_get(struct aspace *aspace, uint64_t *word, unsigned level)
{
    uint64_t *table = aspace_word_table(*word);

    if (table)
        return table;
    ASSERT(aspace != &aspace_kernel || level < ASPACE_FIXED_LEVEL);
    table = level == 1 && aspace->empty ? aspace_table_alloc(aspace->empty)
                                        : aspace_clear_table_alloc();
    if (table) {
        if (aspace->tables < ASPACE_LINKS)
            aspace->links[aspace->tables] = word;
        aspace->tables++;
        __atomic_store_n(word, aspace_word_link(aspace == &aspace_kernel, table), __ATOMIC_RELEASE);
    }
    return table;
}

uint64_t *aspace_word_make(struct aspace *aspace, uintptr_t address)
{
    uint64_t *table = aspace->top;

    for (unsigned level = aspace->levels - 1; level > 0 && table; level--)
        table = aspace_table_get(aspace, &table[aspace_index_of(address, level)], level);
    return table ? &table[aspace_index_of(address, 0)] : NULL;
}

bool aspace_is_range(const struct aspace *aspace, uintptr_t address, size_t size)
{
    return address % PAGE_SIZE == 0 && size % PAGE_SIZE == 0 && address >= aspace->start &&
           size <= aspace->size && address - aspace->start <= aspace->size - size;
}

bool aspace_are_rights(const struct aspace *aspace, unsigned rights)
{
    return aspace != &aspace_kernel || !(rights & ASPACE_WRITE) || !(rights & ASPACE_EXECUTE);
}

/* How much of SIZE bytes from ADDRESS on has its words in one table. */
static size_t aspace_in_table(uintptr_t address, size_t size)
{
    size_t left = (1ul << aspace_shift(1)) - (address & ((1ul << aspace_shift(1)) - 1));

    return left < size ? left : size;
}

/* Whether all pages of the range are free; then they have words. */
static int aspace_range_prepare(struct aspace *aspace, uintptr_t address, size_t size)
{
    for (size_t step; size > 0; address += step, size -= step) {
        const uint64_t *word = aspace_word_make(aspace, address);

        if (!word)
            return -ENOMEM;
        step = aspace_in_table(address, size);
        for (size_t i = 0; i < step / PAGE_SIZE; i++)
            if (word[i] != aspace->empty)
                return -EEXIST;
    }
    return 0;
}

/* Faults bring one page at a time: its word is looked for once. */
static int aspace_map_page(struct aspace *aspace, uintptr_t address, uint64_t physical,
                           unsigned rights)
{
    uint64_t *word = aspace_word_make(aspace, address);

    if (!word)
        return -ENOMEM;
    if (*word != aspace->empty)
        return -EEXIST;
    *word = aspace_word_page(aspace == &aspace_kernel, physical, rights);
    aspace->pages++;
    return 0;
}

static void aspace_range_fill(struct aspace *aspace, uintptr_t address, uint64_t physical,
                              size_t size, unsigned rights)
{
    aspace->pages += size / PAGE_SIZE;
    for (size_t step; size > 0; address += step, physical += step, size -= step) {
        uint64_t *word = aspace_word_make(aspace, address);

        step = aspace_in_table(address, size);
        for (size_t i = 0; i < step / PAGE_SIZE; i++)
            word[i] = aspace_word_page(aspace == &aspace_kernel, physical + i * PAGE_SIZE, rights);
    }
}

int aspace_map(struct aspace *aspace, uintptr_t address, uint64_t physical, size_t size,
               unsigned rights)
{
    uintptr_t state;
    int error;

    if (!aspace_is_range(aspace, address, size) || physical % PAGE_SIZE)
        return -EINVAL;
    if (!aspace_are_rights(aspace, rights))
        return -EACCES;
    state = spinlock_acquire(&aspace->lock);
    if (size == PAGE_SIZE)
        error = aspace_map_page(aspace, address, physical, rights);
    else if ((error = aspace_range_prepare(aspace, address, size)) == 0)
        aspace_range_fill(aspace, address, physical, size, rights);
    if (error == 0 && ASPACE_KEEPS_ABSENT)
        aspace_machine_forget(aspace, address, size);
    spinlock_release(&aspace->lock, state);
    return error;
}

int aspace_lookup(struct aspace *aspace, uintptr_t address, uint64_t *physical, unsigned *rights)
{
    uintptr_t state = spinlock_acquire(&aspace->lock), next;
    const uint64_t *at = NULL;
    uint64_t word = 0;

    if (address - aspace->start < aspace->size)
        at = aspace_word_find(aspace, address, &next);
    if (at)
        word = *at;
    spinlock_release(&aspace->lock, state);
    if (!at || !aspace_word_is_page(word))
        return -EFAULT;
    if (physical)
        *physical = aspace_word_physical(word) + address % PAGE_SIZE;
    if (rights)
        *rights = aspace_word_rights(word);
    return 0;
}

size_t aspace_pages(const struct aspace *aspace)
{
    return *(volatile const size_t *)&aspace->pages;
}

size_t aspace_tables(const struct aspace *aspace)
{
    return *(volatile const size_t *)&aspace->tables;
}

struct aspace *aspace_create(void)
{
    struct aspace *aspace = kmem_zalloc(sizeof *aspace);

    if (aspace && !aspace_machine_create(aspace)) {
        kmem_free(aspace);
        return NULL;
    }
    if (aspace)
        spinlock_init(&aspace->lock, "address space");
    return aspace;
}

/* Eight words at once: most have nothing behind them. */
static bool aspace_are_zero(const uint64_t *words)
{
    return (words[0] | words[1] | words[2] | words[3] | words[4] | words[5] | words[6] |
            words[7]) == 0;
}

/* The tables behind the words from FIRST to LAST of TABLE, of LEVEL. */
static void aspace_free_tables(uint64_t *table, unsigned level, unsigned first, unsigned last)
{
    for (unsigned i = first; i <= last; i++) {
        uint64_t *below;

        while (i % 8 == 0 && i + 8 <= last && aspace_are_zero(&table[i]))
            i += 8;
        below = aspace_word_table(table[i]);
        if (!below)
            continue;
        if (level > 1)
            aspace_free_tables(below, level - 1, 0, ASPACE_TABLE_WORDS - 1);
        aspace_table_free(below);
    }
}

static void aspace_leave(void *aspace)
{
    if (cpu_here.aspace == aspace)
        aspace_activate(&aspace_kernel);
}

/* Nobody comes to use it meanwhile, so where it is active alone or not at all needs no calls. */
void aspace_vacate(struct aspace *aspace)
{
    uintptr_t state = interrupts_save();
    bool here = (aspace->active & ~(1u << cpu_current()->id)) == 0;

    ASSERT(aspace != &aspace_kernel);
    if (here)
        aspace_leave(aspace);
    interrupts_restore(state);
    if (!here)
        cross_call_set(aspace->active, SMP_TLB, aspace_leave, aspace);
    aspace->vacant = true;
}

/* All tables, the latest first: those below before those above. */
static void aspace_free_linked(struct aspace *aspace)
{
    for (size_t i = aspace->tables; i-- > 0;) {
        uint64_t *table = aspace_word_table(*aspace->links[i]);

        *aspace->links[i] = 0;
        aspace_clear_table_free(table);
    }
}

void aspace_destroy(struct aspace *aspace)
{
    unsigned level = aspace->levels - 1;

    ASSERT(aspace->pages == 0);
    if (!aspace->vacant)
        aspace_vacate(aspace);
    if (aspace->tables <= ASPACE_LINKS)
        aspace_free_linked(aspace);
    else
        aspace_free_tables(aspace->top, level, 0,
                           aspace_index_of(aspace->start + aspace->size - 1, level));
    aspace_machine_destroy(aspace);
    kmem_free(aspace);
}

static struct spinlock reserve_lock = SPINLOCK_INITIALIZER("kernel addresses");
static size_t reserved; /* bytes of the kernel's addresses that were given out */

uintptr_t aspace_reserve(size_t size)
{
    uintptr_t state = spinlock_acquire(&reserve_lock), address = 0;

    size = (size + ASPACE_GUARD + ASPACE_GUARD - 1) & ~(size_t)(ASPACE_GUARD - 1);
    if (size <= aspace_kernel_room - reserved) {
        address = aspace_kernel.start + reserved + ASPACE_GUARD;
        reserved += size;
    }
    spinlock_release(&reserve_lock, state);
    return address;
}
