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
static bool forget_alone(struct aspace *aspace, uintptr_t address, size_t size)
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
static void forget_everywhere(struct aspace *aspace, uintptr_t address, size_t size)
{
    struct forgetting what = {aspace, address, size};
    cpu_set_t set = CPU_SET_ALL;

    __atomic_thread_fence(__ATOMIC_SEQ_CST); /* the other half is in aspace_activate */
    if (forget_alone(aspace, address, size))
        return;
    if (aspace != &aspace_kernel && !ASPACE_KEEPS_INACTIVE)
        set = aspace->active;
    cross_call_set(set, SMP_TLB, range_forget, &what);
}

/* Rights were added only: others find out by themselves. */
static void forget_here(struct aspace *aspace, uintptr_t address, size_t size)
{
    uintptr_t state;

    if (aspace == &aspace_kernel) {
        forget_everywhere(aspace, address, size);
        return;
    }
    state = interrupts_save();
    aspace_machine_forget(aspace, address, size);
    interrupts_restore(state);
}

void aspace_forget(struct aspace *aspace)
{
    forget_everywhere(aspace, aspace->start, aspace->size);
}

/* The words that exist, from table to table: of each that is in the range, the first one and how
 * many. */
struct words {
    uintptr_t address, end;
    uint64_t *first;
    size_t count;
};

static bool words_next(const struct aspace *aspace, struct words *words)
{
    while (words->address != words->end) {
        uintptr_t next = 0;
        uint64_t *word = aspace_word_find(aspace, words->address, &next);
        size_t left = words->end - words->address;
        size_t step = next - words->address < left ? next - words->address : left;

        words->address += step;
        words->first = word;
        words->count = step / PAGE_SIZE;
        if (word)
            return true;
    }
    return false;
}

/* From word I on past what has nothing, eight words at once; asked at every word. */
static inline size_t past_nothing(const struct words *words, size_t i)
{
    for (; i % 8 == 0 && i + 8 <= words->count; i += 8) {
        const uint64_t *at = &words->first[i];

        if ((at[0] | at[1] | at[2] | at[3] | at[4] | at[5] | at[6] | at[7]) != 0)
            break;
    }
    return i;
}

static size_t mark_leaving(struct aspace *aspace, struct words words)
{
    uintptr_t state = spinlock_acquire(&aspace->lock);
    size_t count = 0;

    while (words_next(aspace, &words))
        for (size_t i = 0; i < words.count; i++) {
            volatile uint64_t *word;
            uint64_t old;

            i = past_nothing(&words, i);
            if (i == words.count)
                break;
            word = &words.first[i];
            old = *word;
            if (aspace_word_is_page(old)) {
                *word = aspace_word_leaving(old);
                count++;
            }
        }
    spinlock_release(&aspace->lock, state);
    return count;
}

/* Frees the words of what leaves; in a vacant one, of all that is there. No lock: nobody else
 * touches such words. */
static size_t give_back(struct aspace *aspace, struct words words,
                        void (*gone)(void *argument, uint64_t physical), void *argument)
{
    size_t count = 0;

    while (words_next(aspace, &words))
        for (size_t i = past_nothing(&words, 0); i < words.count; i = past_nothing(&words, i + 1)) {
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
    struct words words = {.address = address, .end = address + size};
    uintptr_t state;
    size_t count;

    if (!aspace_is_range(aspace, address, size))
        return 0;
    if (!aspace->vacant) {
        if (mark_leaving(aspace, words) == 0)
            return 0;
        forget_everywhere(aspace, address, size);
    }
    count = give_back(aspace, words, gone, argument);
    state = spinlock_acquire(&aspace->lock);
    aspace->pages -= count;
    spinlock_release(&aspace->lock, state);
    return count;
}

enum change { CHANGE_NONE, CHANGE_MORE, CHANGE_LESS };

/* WORD's page has RIGHTS now, of writing those in KEEP or in what it had. */
static enum change change_rights(volatile uint64_t *word, unsigned rights, bool shared)
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

static int protect(struct aspace *aspace, uintptr_t address, size_t size, unsigned rights,
                   bool shared)
{
    struct words words = {.address = address, .end = address + size};
    enum change change = CHANGE_NONE;
    uintptr_t state;

    if (!aspace_is_range(aspace, address, size) || (rights & ASPACE_UNCACHED))
        return -EINVAL;
    if (!aspace_are_rights(rights))
        return -EACCES;
    state = spinlock_acquire(&aspace->lock);
    while (words_next(aspace, &words))
        for (size_t i = 0; i < words.count; i++) {
            enum change this = change_rights(&words.first[i], rights, shared);

            change = this > change ? this : change;
        }
    spinlock_release(&aspace->lock, state);
    if (change == CHANGE_LESS)
        forget_everywhere(aspace, address, size);
    else if (change == CHANGE_MORE)
        forget_here(aspace, address, size);
    return 0;
}

int aspace_protect(struct aspace *aspace, uintptr_t address, size_t size, unsigned rights)
{
    return protect(aspace, address, size, rights, false);
}

int aspace_protect_shared(struct aspace *aspace, uintptr_t address, size_t size, unsigned rights)
{
    return protect(aspace, address, size, rights, true);
}

uint64_t aspace_replace(struct aspace *aspace, uintptr_t address, uint64_t physical,
                        unsigned rights)
{
    uintptr_t state = spinlock_acquire(&aspace->lock), next;
    uint64_t *word = aspace_word_find(aspace, address, &next), old;

    ASSERT(word && aspace_word_is_page(*word) && aspace_are_rights(rights));
    old = *word;
    *(volatile uint64_t *)word = aspace_word_page(aspace == &aspace_kernel, physical, rights);
    spinlock_release(&aspace->lock, state);
    forget_everywhere(aspace, address, PAGE_SIZE);
    return aspace_word_physical(old);
}

#define SHARED_AT_ONCE 32

/* What aspace_share has found and not yet held: words of one table, and where they go. */
struct sharing {
    struct aspace *to;
    bool (*hold)(const uint64_t *physical, unsigned count);
    uint64_t *table; /* in TO, beside words.first; NULL: not known yet */
    unsigned count;
    uint64_t words[SHARED_AT_ONCE], physical[SHARED_AT_ONCE];
    unsigned at[SHARED_AT_ONCE];
};

static int share_flush(struct sharing *sharing)
{
    unsigned count = sharing->count;

    if (count == 0)
        return 0;
    sharing->count = 0;
    if (!sharing->hold(sharing->physical, count))
        return -ENOMEM;
    for (unsigned i = 0; i < count; i++)
        sharing->table[sharing->at[i]] = sharing->words[i];
    sharing->to->pages += count;
    return 0;
}

/* WORD, number AT of those in the table, loses writing and is noted down. */
static int share_word(struct sharing *sharing, volatile uint64_t *word, unsigned at)
{
    uint64_t value = *word;
    unsigned rights = aspace_word_rights(value), i = sharing->count++;

    if (rights & ASPACE_WRITE)
        *word = value = aspace_word_with(value, rights & ~ASPACE_WRITE);
    sharing->words[i] = value;
    sharing->physical[i] = aspace_word_physical(value);
    sharing->at[i] = at;
    return sharing->count == SHARED_AT_ONCE ? share_flush(sharing) : 0;
}

/* A table's part of aspace_share. */
static int share_words(struct sharing *sharing, const struct words *words)
{
    sharing->table = NULL;
    for (size_t i = 0; i < words->count; i++) {
        i = past_nothing(words, i);
        if (i == words->count)
            break;
        if (!aspace_word_is_page(words->first[i]))
            continue;
        if (!sharing->table)
            sharing->table =
                aspace_word_make(sharing->to, words->address - words->count * PAGE_SIZE);
        if (!sharing->table || share_word(sharing, &words->first[i], (unsigned)i) != 0)
            return -ENOMEM;
    }
    return share_flush(sharing);
}

int aspace_share(struct aspace *from, struct aspace *to, uintptr_t address, size_t size,
                 bool (*hold)(const uint64_t *physical, unsigned count))
{
    struct words words = {.address = address, .end = address + size};
    struct sharing sharing;
    uintptr_t state;
    int error = 0;

    if (!aspace_is_range(from, address, size))
        return -EINVAL;
    sharing.to = to;
    sharing.hold = hold;
    sharing.count = 0;
    state = spinlock_acquire(&from->lock);
    while (error == 0 && words_next(from, &words))
        error = share_words(&sharing, &words);
    spinlock_release(&from->lock, state);
    return error;
}

static bool any_page(const struct words *words)
{
    for (size_t i = past_nothing(words, 0); i < words->count; i++)
        if (aspace_word_is_page(words->first[i]))
            return true;
    return false;
}

size_t aspace_pages_in(struct aspace *aspace, uintptr_t address, size_t size)
{
    struct words words = {.address = address, .end = address + size};
    size_t count = 0;

    if (!aspace_is_range(aspace, address, size))
        return 0;
    while (words_next(aspace, &words))
        for (size_t i = 0; i < words.count; i++)
            count += aspace_word_is_page(words.first[i]);
    return count;
}

/* Tables for all that is there. */
static int move_prepare(struct aspace *aspace, struct words words, uintptr_t distance)
{
    while (words_next(aspace, &words)) {
        uintptr_t first = words.address - words.count * PAGE_SIZE + distance;

        if (any_page(&words) && (!aspace_word_make(aspace, first) ||
                                 !aspace_word_make(aspace, words.address - PAGE_SIZE + distance)))
            return -ENOMEM;
    }
    return 0;
}

static void move_words(struct aspace *aspace, struct words words, uintptr_t distance)
{
    while (words_next(aspace, &words)) {
        uintptr_t at = words.address - words.count * PAGE_SIZE + distance;

        for (size_t i = 0; i < words.count; i++, at += PAGE_SIZE)
            if (aspace_word_is_page(words.first[i])) {
                *aspace_word_make(aspace, at) = words.first[i];
                *(volatile uint64_t *)&words.first[i] = aspace->empty;
            }
    }
}

int aspace_move(struct aspace *aspace, uintptr_t from, uintptr_t to, size_t size)
{
    struct words words = {.address = from, .end = from + size};
    uintptr_t state;
    int error;

    if (!aspace_is_range(aspace, from, size) || !aspace_is_range(aspace, to, size))
        return -EINVAL;
    state = spinlock_acquire(&aspace->lock);
    error = move_prepare(aspace, words, to - from);
    if (error == 0)
        move_words(aspace, words, to - from);
    spinlock_release(&aspace->lock, state);
    if (error == 0) {
        forget_everywhere(aspace, from, size);
        if (ASPACE_KEEPS_ABSENT)
            forget_everywhere(aspace, to, size);
    }
    return error;
}
