/* SPDX-License-Identifier: BSD-2-Clause */
/* Walking through a range of an address space: from table to table, past those that do not exist;
 * within one from word to word. Tables that exist stay, so that no lock is needed for that. */
#pragma once

#include "kernel/memory/aspace.h"
#include "kernel/memory/page.h"

/* The words that exist, from table to table: of each that is in the range, the first one and how
 * many. */
struct aspace_words {
    uintptr_t address, end;
    uint64_t *first;
    size_t count;
};

static inline bool aspace_words_next(const struct aspace *aspace, struct aspace_words *words)
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
static inline size_t aspace_words_past_nothing(const struct aspace_words *words, size_t i)
{
    for (; i % 8 == 0 && i + 8 <= words->count; i += 8) {
        const uint64_t *at = &words->first[i];

        if ((at[0] | at[1] | at[2] | at[3] | at[4] | at[5] | at[6] | at[7]) != 0)
            break;
    }
    return i;
}
