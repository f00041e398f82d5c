/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel looks at user addresses of the active address space, and lives to tell. */
#pragma once

#include <arch/aspace.h>
#include <stdbool.h>
#include "kernel/interrupt/trap.h"

struct user_word {
    uintptr_t address;
    uint64_t value;
};

static inline void user_word_load(void *argument)
{
    struct user_word *word = argument;

    user_access_begin();
    word->value = *(volatile uint64_t *)word->address;
    user_access_end();
}

static inline void user_word_store(void *argument)
{
    const struct user_word *word = argument;

    user_access_begin();
    *(volatile uint64_t *)word->address = word->value;
    user_access_end();
}

/* False: it faulted, which was counted. */
static inline bool user_word_read(uintptr_t address, uint64_t *value)
{
    struct user_word word = {address, 0};

    if (trap_try(user_word_load, &word)) {
        user_access_end();
        return false;
    }
    *value = word.value;
    return true;
}

static inline bool user_word_write(uintptr_t address, uint64_t value)
{
    struct user_word word = {address, value};

    if (trap_try(user_word_store, &word)) {
        user_access_end();
        return false;
    }
    return true;
}
