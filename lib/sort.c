/* SPDX-License-Identifier: BSD-2-Clause */
/* sort: heap sort, which needs neither memory nor depth of stack. */
#include "lib/sort.h"

/* Lets the item at AT sink below greater ones, in a heap of COUNT. */
static void sort_sink(const void **items, size_t at, size_t count,
                      int (*compare)(const void *a, const void *b))
{
    const void *item = items[at];

    for (;;) {
        size_t child = 2 * at + 1;

        if (child >= count)
            break;
        if (child + 1 < count && compare(items[child + 1], items[child]) > 0)
            child++;
        if (compare(item, items[child]) >= 0)
            break;
        items[at] = items[child];
        at = child;
    }
    items[at] = item;
}

void sort_pointers(const void **items, size_t count, int (*compare)(const void *a, const void *b))
{
    for (size_t i = count / 2; i-- > 0;)
        sort_sink(items, i, count, compare);
    for (size_t left = count; left-- > 1;) {
        const void *greatest = items[0];

        items[0] = items[left];
        items[left] = greatest;
        sort_sink(items, 0, left, compare);
    }
}
