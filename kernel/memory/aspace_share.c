/* SPDX-License-Identifier: BSD-2-Clause */
/* Address spaces: what one has in a range is shared with another, and how much that is. */
#include "kernel/memory/aspace_words.h"
#include "lib/errno.h"

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
static int share_words(struct sharing *sharing, const struct aspace_words *words)
{
    sharing->table = NULL;
    for (size_t i = aspace_words_past_nothing(words, 0); i < words->count;
         i = aspace_words_past_nothing(words, i + 1)) {
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
    struct aspace_words words = {.address = address, .end = address + size};
    struct sharing sharing;
    uintptr_t state;
    int error = 0;

    if (!aspace_is_range(from, address, size))
        return -EINVAL;
    sharing.to = to;
    sharing.hold = hold;
    sharing.count = 0;
    while (error == 0 && aspace_words_next(from, &words)) {
        state = spinlock_acquire(&from->lock);
        error = share_words(&sharing, &words);
        spinlock_release(&from->lock, state);
    }
    return error;
}

size_t aspace_pages_in(struct aspace *aspace, uintptr_t address, size_t size)
{
    struct aspace_words words = {.address = address, .end = address + size};
    size_t count = 0;

    if (!aspace_is_range(aspace, address, size))
        return 0;
    while (aspace_words_next(aspace, &words))
        for (size_t i = 0; i < words.count; i++)
            count += aspace_word_is_page(words.first[i]);
    return count;
}
