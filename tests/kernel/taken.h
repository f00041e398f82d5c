/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory that a test has taken, linked through itself, so that it can take all there is. Any
 * context; a list is its owner's alone. */
#ifndef TESTS_KERNEL_TAKEN_H
#define TESTS_KERNEL_TAKEN_H
#include <stdbool.h>
#include <stddef.h>

struct taken {
    struct taken *next;
};

/* False for MEMORY that was refused (NULL). At least the size of struct taken. */
static inline bool taken_push(struct taken **list, void *memory)
{
    struct taken *new = memory;

    if (new == NULL)
        return false;
    new->next = *list;
    *list = new;
    return true;
}

/* The one that was taken last, or NULL. */
static inline void *taken_pop(struct taken **list)
{
    struct taken *first = *list;

    if (first)
        *list = first->next;
    return first;
}

/* All of LIST to GIVE. */
static inline void taken_give_back(struct taken **list, void (*give)(void *memory))
{
    void *memory;

    while ((memory = taken_pop(list)) != NULL)
        give(memory);
}
#endif
