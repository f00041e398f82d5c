/* SPDX-License-Identifier: BSD-2-Clause */
/* Work for a guest: what kernels do, in a fixed amount. Sorting, hashing, lists, calls, copying. */
#ifndef QPMU_WORK_H
#define QPMU_WORK_H
#include <stdint.h>

#define WORK_ITEMS 4096

struct work_item {
    struct work_item *next;
    uint32_t key, value;
};

static struct work_item work_items[WORK_ITEMS];
static struct work_item *work_table[512];
static uint32_t work_keys[WORK_ITEMS], work_copy[WORK_ITEMS];

static __attribute__((noinline)) uint32_t work_next(uint32_t *seed)
{
    return *seed = *seed * 1664525u + 1013904223u;
}

static __attribute__((noinline)) void work_sort(uint32_t *keys, unsigned count)
{
    for (unsigned gap = count / 2; gap > 0; gap /= 2)
        for (unsigned i = gap; i < count; i++) {
            uint32_t key = keys[i];
            unsigned at = i;

            for (; at >= gap && keys[at - gap] > key; at -= gap)
                keys[at] = keys[at - gap];
            keys[at] = key;
        }
}

static __attribute__((noinline)) struct work_item *work_find(uint32_t key)
{
    struct work_item *item = work_table[key % 512];

    while (item && item->key != key)
        item = item->next;
    return item;
}

static __attribute__((noinline)) uint32_t work_round(uint32_t seed)
{
    uint32_t sum = 0;

    for (unsigned i = 0; i < 512; i++)
        work_table[i] = 0;
    for (unsigned i = 0; i < WORK_ITEMS; i++) {
        struct work_item *item = &work_items[i];

        item->key = work_keys[i] = work_next(&seed);
        item->next = work_table[item->key % 512];
        work_table[item->key % 512] = item;
    }
    for (unsigned i = 0; i < WORK_ITEMS; i++)
        work_copy[i] = work_keys[i];
    work_sort(work_keys, WORK_ITEMS);
    for (unsigned i = 0; i < WORK_ITEMS; i++)
        work_find(work_keys[i])->value = i;
    for (unsigned i = 0; i < WORK_ITEMS; i++)
        sum += work_find(work_copy[i])->value * (i & 15);
    return sum;
}

static void work_round_ends(void); /* the guest's */

static uint32_t work(unsigned rounds)
{
    uint32_t sum = 0;

    while (rounds-- > 0) {
        sum += work_round(sum + rounds);
        work_round_ends();
    }
    return sum;
}
#endif
