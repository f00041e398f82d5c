/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Address spaces on any machine: trees of tables, and telling other CPUs.
 *
 * A page is taken away in three steps: its word is marked as leaving (no access, the address not
 * free yet), every CPU that may know it forgets it, and only then does the caller have it back.
 */
#include "kernel/memory/aspace.h"
#include <arch/interrupt_flag.h>
#include "kernel/base/panic.h"
#include "kernel/cpu/cross_call.h"
#include "kernel/memory/kmem.h"
#include "kernel/memory/page.h"
#include "lib/errno.h"

PAGE_OWNER(table_pages, "page tables");

/* What a level's word stands for: 2^shift bytes. */
static unsigned shift_of(unsigned level)
{
    return PAGE_SHIFT + 9 * level;
}

static unsigned index_of(uintptr_t address, unsigned level)
{
    return address >> shift_of(level) & (ASPACE_TABLE_WORDS - 1);
}

uint64_t *aspace_table_alloc(uint64_t word)
{
    uint64_t *table = page_alloc_for(&table_pages, 0);

    for (unsigned i = 0; table && i < ASPACE_TABLE_WORDS; i++)
        table[i] = word;
    return table;
}

void aspace_table_free(uint64_t *table)
{
    page_free(table);
}

/* The table behind *WORD, a word of LEVEL, made if missing; NULL if out of memory. */
static uint64_t *table_get(struct aspace *aspace, uint64_t *word, unsigned level)
{
    uint64_t *table = aspace_word_table(*word);

    if (table)
        return table;
    ASSERT(aspace != &aspace_kernel || level < ASPACE_FIXED_LEVEL);
    table = aspace_table_alloc(level == 1 ? aspace->empty : 0);
    if (table) {
        aspace->tables++;
        __atomic_store_n(word, aspace_word_link(aspace == &aspace_kernel, table), __ATOMIC_RELEASE);
    }
    return table;
}

/* The word of the page at ADDRESS, its tables made if missing; NULL if out of memory. */
static uint64_t *word_make(struct aspace *aspace, uintptr_t address)
{
    uint64_t *table = aspace->top;

    for (unsigned level = aspace->levels - 1; level > 0 && table; level--)
        table = table_get(aspace, &table[index_of(address, level)], level);
    return table ? &table[index_of(address, 0)] : NULL;
}

/*
 * The same where it exists, else NULL. Either way the caller may go on in steps of a page until
 * *NEXT (0: the end of all addresses): to there words follow each other, or there are none.
 */
static uint64_t *word_find(const struct aspace *aspace, uintptr_t address, uintptr_t *next)
{
    uint64_t *table = aspace->top;

    for (unsigned level = aspace->levels - 1; level > 0; level--) {
        *next = (address >> shift_of(level) << shift_of(level)) + (1ul << shift_of(level));
        table = aspace_word_table(table[index_of(address, level)]);
        if (!table)
            return NULL;
    }
    return &table[index_of(address, 0)];
}

static bool is_range(const struct aspace *aspace, uintptr_t address, size_t size)
{
    return address % PAGE_SIZE == 0 && size % PAGE_SIZE == 0 && address >= aspace->start &&
           size <= aspace->size && address - aspace->start <= aspace->size - size;
}

static bool are_rights(unsigned rights)
{
    return (rights & (ASPACE_WRITE | ASPACE_EXECUTE)) != (ASPACE_WRITE | ASPACE_EXECUTE);
}

/* Whether all pages of the range are free; then they have words. */
static int range_prepare(struct aspace *aspace, uintptr_t address, size_t size)
{
    for (size_t done = 0; done < size; done += PAGE_SIZE) {
        const uint64_t *word = word_make(aspace, address + done);

        if (!word)
            return -ENOMEM;
        if (*word != aspace->empty)
            return -EEXIST;
    }
    return 0;
}

int aspace_map(struct aspace *aspace, uintptr_t address, uint64_t physical, size_t size,
               unsigned rights)
{
    uintptr_t state;
    int error;

    if (!is_range(aspace, address, size) || physical % PAGE_SIZE)
        return -EINVAL;
    if (!are_rights(rights))
        return -EACCES;
    state = spinlock_acquire(&aspace->lock);
    error = range_prepare(aspace, address, size);
    for (size_t done = 0; error == 0 && done < size; done += PAGE_SIZE) {
        *word_make(aspace, address + done) =
            aspace_word_page(aspace == &aspace_kernel, physical + done, rights);
        aspace->pages++;
    }
    if (error == 0 && ASPACE_KEEPS_ABSENT)
        aspace_machine_forget(aspace, address, size);
    spinlock_release(&aspace->lock, state);
    return error;
}

struct forgetting {
    struct aspace *aspace;
    uintptr_t address;
    size_t size;
};

static void forget(void *argument)
{
    const struct forgetting *what = argument;

    aspace_machine_forget(what->aspace, what->address, what->size);
}

/* No CPU knows what was behind these addresses any more. No lock held. */
static void forget_everywhere(struct aspace *aspace, uintptr_t address, size_t size)
{
    struct forgetting what = {aspace, address, size};
    cpu_set_t set = CPU_SET_ALL;

    __atomic_thread_fence(__ATOMIC_SEQ_CST); /* the other half is in aspace_activate */
    if (aspace != &aspace_kernel && !ASPACE_KEEPS_INACTIVE)
        set = aspace->active;
    cross_call_set(set, SMP_TLB, forget, &what);
}

/* Applies CHANGE to each word of the range that exists; how many of them it says it has changed. */
static size_t change_words(struct aspace *aspace, uintptr_t address, size_t size,
                           bool (*change)(volatile uint64_t *word, unsigned rights),
                           unsigned rights)
{
    size_t count = 0;

    while (size > 0) {
        uintptr_t state = spinlock_acquire(&aspace->lock), next;
        uint64_t *word = word_find(aspace, address, &next);
        size_t step = next - address < size ? next - address : size;

        for (size_t i = 0; word && i < step / PAGE_SIZE; i++)
            count += change(&word[i], rights);
        spinlock_release(&aspace->lock, state);
        address += step;
        size -= step;
    }
    return count;
}

static bool change_leaves(volatile uint64_t *word, unsigned unused)
{
    bool is_page = aspace_word_is_page(*word);

    (void)unused;
    if (is_page)
        *word = aspace_word_leaving(*word);
    return is_page;
}

/* Frees the words of what leaves. No lock: nobody else touches such words. */
static void give_back(struct aspace *aspace, uintptr_t address, size_t size,
                      void (*gone)(void *argument, uint64_t physical), void *argument)
{
    while (size > 0) {
        uintptr_t next;
        uint64_t *word = word_find(aspace, address, &next);
        size_t step = next - address < size ? next - address : size;

        for (size_t i = 0; word && i < step / PAGE_SIZE; i++) {
            uint64_t physical = aspace_word_physical(word[i]);

            if (!aspace_word_is_leaving(word[i]))
                continue;
            *(volatile uint64_t *)&word[i] = aspace->empty;
            if (gone)
                gone(argument, physical);
        }
        address += step;
        size -= step;
    }
}

size_t aspace_unmap(struct aspace *aspace, uintptr_t address, size_t size,
                    void (*gone)(void *argument, uint64_t physical), void *argument)
{
    uintptr_t state;
    size_t count;

    if (!is_range(aspace, address, size))
        return 0;
    count = change_words(aspace, address, size, change_leaves, 0);
    if (count == 0)
        return 0;
    forget_everywhere(aspace, address, size);
    give_back(aspace, address, size, gone, argument);
    state = spinlock_acquire(&aspace->lock);
    aspace->pages -= count;
    spinlock_release(&aspace->lock, state);
    return count;
}

static bool change_rights(volatile uint64_t *word, unsigned rights)
{
    uint64_t old = *word;

    if (!aspace_word_is_page(old))
        return false;
    *word = aspace_word_with(old, rights);
    return *word != old;
}

int aspace_protect(struct aspace *aspace, uintptr_t address, size_t size, unsigned rights)
{
    if (!is_range(aspace, address, size) || (rights & ASPACE_UNCACHED))
        return -EINVAL;
    if (!are_rights(rights))
        return -EACCES;
    if (change_words(aspace, address, size, change_rights, rights))
        forget_everywhere(aspace, address, size);
    return 0;
}

int aspace_lookup(struct aspace *aspace, uintptr_t address, uint64_t *physical, unsigned *rights)
{
    uintptr_t state = spinlock_acquire(&aspace->lock), next;
    const uint64_t *at = NULL;
    uint64_t word = 0;

    if (address - aspace->start < aspace->size)
        at = word_find(aspace, address, &next);
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

/* The tables behind the words from FIRST to LAST of TABLE, of LEVEL. */
static void free_tables(uint64_t *table, unsigned level, unsigned first, unsigned last)
{
    for (unsigned i = first; i <= last; i++) {
        uint64_t *below = aspace_word_table(table[i]);

        if (!below)
            continue;
        if (level > 1)
            free_tables(below, level - 1, 0, ASPACE_TABLE_WORDS - 1);
        aspace_table_free(below);
    }
}

static void aspace_leave(void *aspace)
{
    if (cpu_here.aspace == aspace)
        aspace_activate(&aspace_kernel);
}

void aspace_destroy(struct aspace *aspace)
{
    unsigned level = aspace->levels - 1;

    ASSERT(aspace != &aspace_kernel && aspace->pages == 0);
    cross_call_set(aspace->active, SMP_TLB, aspace_leave, aspace);
    free_tables(aspace->top, level, 0, index_of(aspace->start + aspace->size - 1, level));
    aspace_machine_destroy(aspace);
    kmem_free(aspace);
}

static struct spinlock place_lock = SPINLOCK_INITIALIZER("kernel addresses");
static size_t placed; /* bytes of the kernel's addresses that were given out */

uintptr_t aspace_place(size_t size)
{
    uintptr_t state = spinlock_acquire(&place_lock), address = 0;

    size = (size + ASPACE_GUARD + ASPACE_GUARD - 1) & ~(size_t)(ASPACE_GUARD - 1);
    if (size <= aspace_kernel_places - placed) {
        address = aspace_kernel.start + placed + ASPACE_GUARD;
        placed += size;
    }
    spinlock_release(&place_lock, state);
    return address;
}
