/* SPDX-License-Identifier: BSD-2-Clause */
/* Words of user addresses, for tests: see user_word.h. */
#include "tests/kernel/user_word.h"
#include <arch/aspace.h>
#include "kernel/interrupt/trap.h"

struct user_word {
    uintptr_t address;
    uint64_t value;
};

static void user_word_load(void *argument)
{
    struct user_word *word = argument;

    user_access_begin();
    word->value = *(volatile uint64_t *)word->address;
    user_access_end();
}

static void user_word_store(void *argument)
{
    const struct user_word *word = argument;

    user_access_begin();
    *(volatile uint64_t *)word->address = word->value;
    user_access_end();
}

bool user_word_read(uintptr_t address, uint64_t *value)
{
    struct user_word word = {address, 0};

    if (trap_try(user_word_load, &word)) {
        user_access_end();
        return false;
    }
    *value = word.value;
    return true;
}

bool user_word_write(uintptr_t address, uint64_t value)
{
    struct user_word word = {address, value};

    if (trap_try(user_word_store, &word)) {
        user_access_end();
        return false;
    }
    return true;
}
