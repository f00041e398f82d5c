/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Address spaces: changes of what is mapped in a range, and telling other CPUs. All go from table
 * to table, past those that do not exist; within one from word to word.
 *
 * A page is taken away in three steps: its word is marked as leaving (no access, the address not
 * free yet), every CPU that may know it forgets it, and only then does the caller have it back.
 */
#include "kernel/memory/aspace.h"
#include <arch/interrupt_flag.h>
#include "kernel/base/panic.h"
#include "kernel/cpu/cross_call.h"
#include "kernel/memory/aspace_words.h"
#include "kernel/memory/page.h"
#include "lib/errno.h"

struct forgetting {
    struct aspace *aspace;
    uintptr_t address;
    size_t size;
};

static void range_forget(void *argument)
{
    const struct forgetting *what = argument;

    aspace_machine_forget(what->aspace, what->address, what->size);
}

/* If no other CPU than this one may know the addresses it forgets them, and that was all. */
static bool aspace_range_forget_alone(struct aspace *aspace, uintptr_t address, size_t size)
{
    uintptr_t state = interrupts_save();
    bool alone = cpu_count() == 1 || (aspace != &aspace_kernel && !ASPACE_KEEPS_INACTIVE &&
                                      (aspace->active & ~(1u << cpu_current()->id)) == 0);

    if (alone)
        aspace_machine_forget(aspace, address, size);
    interrupts_restore(state);
    return alone;
}

/* No CPU knows what was behind these addresses any more. No lock held. */
static void aspace_range_forget_everywhere(struct aspace *aspace, uintptr_t address, size_t size)
{
    struct forgetting what = {aspace, address, size};
    cpu_set_t set = CPU_SET_ALL;

    __atomic_thread_fence(__ATOMIC_SEQ_CST); /* the other half is in aspace_activate */
    if (aspace_range_forget_alone(aspace, address, size))
        return;
    if (aspace != &aspace_kernel && !ASPACE_KEEPS_INACTIVE)
        set = aspace->active;
    cross_call_set(set, SMP_TLB, range_forget, &what);
}

/* Rights were added only: others find out by themselves. */
static void aspace_range_forget_here(struct aspace *aspace, uintptr_t address, size_t size)
{
    uintptr_t state;

    if (aspace == &aspace_kernel) {
        aspace_range_forget_everywhere(aspace, address, size);
        return;
    }
    state = interrupts_save();
    aspace_machine_forget(aspace, address, size);
    interrupts_restore(state);
}

void aspace_forget(struct aspace *aspace)
{
    aspace_range_forget_everywhere(aspace, aspace->start, aspace->size);
}

/* Under the lock for each table, as all walks are: interrupts are off for 512 words at most. */
static bool aspace_range_mark_table(struct aspace *aspace, const struct aspace_words *words)
{
    uintptr_t state = spinlock_acquire(&aspace->lock);
    bool marked = false;

    for (size_t i = aspace_words_past_nothing(words, 0); i < words->count;
         i = aspace_words_past_nothing(words, i + 1)) {
        volatile uint64_t *word = &words->first[i];
        uint64_t old = *word;

        if (aspace_word_is_page(old)) {
            *word = aspace_word_leaving(old);
            marked = true;
        }
    }
    spinlock_release(&aspace->lock, state);
    return marked;
}

static bool aspace_range_mark_leaving(struct aspace *aspace, struct aspace_words words)
{
    bool marked = false;

    while (aspace_words_next(aspace, &words))
        marked |= aspace_range_mark_table(aspace, &words);
    return marked;
}

/* Frees the words of what leaves; in a vacant one, of all that is there. No lock: nobody else
 * touches such words. */
static size_t aspace_range_give_back(struct aspace *aspace, struct aspace_words words,
                                     void (*gone)(void *argument, uint64_t physical),
                                     void *argument)
{
    size_t count = 0;

    while (aspace_words_next(aspace, &words))
        for (size_t i = aspace_words_past_nothing(&words, 0); i < words.count;
             i = aspace_words_past_nothing(&words, i + 1)) {
            uint64_t word = words.first[i];

            if (word == aspace->empty || (!aspace->vacant && !aspace_word_is_leaving(word)))
                continue;
            *(volatile uint64_t *)&words.first[i] = aspace->empty;
            count++;
            if (gone)
                gone(argument, aspace_word_physical(word));
        }
    return count;
}

size_t aspace_unmap(struct aspace *aspace, uintptr_t address, size_t size,
                    void (*gone)(void *argument, uint64_t physical), void *argument)
{
    struct aspace_words words = {.address = address, .end = address + size};
    uintptr_t state;
    size_t count;

    if (!aspace_is_range(aspace, address, size))
        return 0;
    if (!aspace->vacant) {
        if (!aspace_range_mark_leaving(aspace, words))
            return 0;
        aspace_range_forget_everywhere(aspace, address, size);
    }
    count = aspace_range_give_back(aspace, words, gone, argument);
    state = spinlock_acquire(&aspace->lock);
    aspace->pages -= count;
    spinlock_release(&aspace->lock, state);
    return count;
}

enum change { CHANGE_NONE, CHANGE_MORE, CHANGE_LESS };

/* WORD's page has RIGHTS now, of writing those in KEEP or in what it had. */
static enum change aspace_range_change_rights(volatile uint64_t *word, unsigned rights, bool shared)
{
    uint64_t old = *word, new;
    unsigned before;

    if (!aspace_word_is_page(old))
        return CHANGE_NONE;
    before = aspace_word_rights(old) & ASPACE_RIGHTS;
    if (shared)
        rights &= before | ~ASPACE_WRITE;
    new = aspace_word_with(old, rights);
    if (new == old)
        return CHANGE_NONE;
    *word = new;
    return before & ~aspace_word_rights(new) ? CHANGE_LESS : CHANGE_MORE;
}

static enum change aspace_range_protect_table(struct aspace *aspace,
                                              const struct aspace_words *words, unsigned rights,
                                              bool shared)
{
    uintptr_t state = spinlock_acquire(&aspace->lock);
    enum change most = CHANGE_NONE;

    for (size_t i = aspace_words_past_nothing(words, 0); i < words->count;
         i = aspace_words_past_nothing(words, i + 1)) {
        enum change change = aspace_range_change_rights(&words->first[i], rights, shared);

        most = change > most ? change : most;
    }
    spinlock_release(&aspace->lock, state);
    return most;
}

static int aspace_range_protect(struct aspace *aspace, uintptr_t address, size_t size,
                                unsigned rights, bool shared)
{
    struct aspace_words words = {.address = address, .end = address + size};
    enum change change = CHANGE_NONE;

    if (!aspace_is_range(aspace, address, size) || (rights & ASPACE_UNCACHED))
        return -EINVAL;
    if (!aspace_are_rights(aspace, rights))
        return -EACCES;
    while (aspace_words_next(aspace, &words)) {
        enum change here = aspace_range_protect_table(aspace, &words, rights, shared);

        change = here > change ? here : change;
    }
    if (change == CHANGE_LESS)
        aspace_range_forget_everywhere(aspace, address, size);
    else if (change == CHANGE_MORE)
        aspace_range_forget_here(aspace, address, size);
    return 0;
}

int aspace_protect(struct aspace *aspace, uintptr_t address, size_t size, unsigned rights)
{
    return aspace_range_protect(aspace, address, size, rights, false);
}

int aspace_protect_shared(struct aspace *aspace, uintptr_t address, size_t size, unsigned rights)
{
    return aspace_range_protect(aspace, address, size, rights, true);
}

uint64_t aspace_replace(struct aspace *aspace, uintptr_t address, uint64_t physical,
                        unsigned rights)
{
    uintptr_t state = spinlock_acquire(&aspace->lock), next;
    uint64_t *word = aspace_word_find(aspace, address, &next), old;

    ASSERT(word && aspace_word_is_page(*word) && aspace_are_rights(aspace, rights));
    old = *word;
    *(volatile uint64_t *)word = aspace_word_page(aspace == &aspace_kernel, physical, rights);
    spinlock_release(&aspace->lock, state);
    aspace_range_forget_everywhere(aspace, address, PAGE_SIZE);
    return aspace_word_physical(old);
}

static bool aspace_range_any_page(const struct aspace_words *words)
{
    for (size_t i = aspace_words_past_nothing(words, 0); i < words->count; i++)
        if (aspace_word_is_page(words->first[i]))
            return true;
    return false;
}

/* Tables for all that is there. */
static int aspace_range_move_prepare(struct aspace *aspace, struct aspace_words words,
                                     uintptr_t distance)
{
    bool made = true;

    while (made && aspace_words_next(aspace, &words)) {
        uintptr_t first = words.address - words.count * PAGE_SIZE + distance;
        uintptr_t state = spinlock_acquire(&aspace->lock);

        if (aspace_range_any_page(&words))
            made = aspace_word_make(aspace, first) &&
                   aspace_word_make(aspace, words.address - PAGE_SIZE + distance);
        spinlock_release(&aspace->lock, state);
    }
    return made ? 0 : -ENOMEM;
}

static void aspace_range_move_words(struct aspace *aspace, struct aspace_words words,
                                    uintptr_t distance)
{
    while (aspace_words_next(aspace, &words)) {
        uintptr_t first = words.address - words.count * PAGE_SIZE + distance;
        uintptr_t state = spinlock_acquire(&aspace->lock);

        for (size_t i = aspace_words_past_nothing(&words, 0); i < words.count;
             i = aspace_words_past_nothing(&words, i + 1))
            if (aspace_word_is_page(words.first[i])) {
                *aspace_word_make(aspace, first + i * PAGE_SIZE) = words.first[i];
                *(volatile uint64_t *)&words.first[i] = aspace->empty;
            }
        spinlock_release(&aspace->lock, state);
    }
}

int aspace_move(struct aspace *aspace, uintptr_t from, uintptr_t to, size_t size)
{
    struct aspace_words words = {.address = from, .end = from + size};
    int error;

    if (!aspace_is_range(aspace, from, size) || !aspace_is_range(aspace, to, size))
        return -EINVAL;
    error = aspace_range_move_prepare(aspace, words, to - from);
    if (error == 0) {
        aspace_range_move_words(aspace, words, to - from);
        aspace_range_forget_everywhere(aspace, from, size);
        if (ASPACE_KEEPS_ABSENT)
            aspace_range_forget_everywhere(aspace, to, size);
    }
    return error;
}
