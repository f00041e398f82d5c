/* SPDX-License-Identifier: BSD-2-Clause */
/* Hash tables: see hash_table.h. */
#include "lib/hash_table.h"

#define MOVED_EACH 2 /* so many buckets at each insertion: done long before the next growth */

void hash_table_init(struct hash_table *table, struct hash_link **buckets, uint32_t count)
{
    *table = (struct hash_table){.buckets = buckets, .mask = count - 1};
    for (uint32_t i = 0; i < count; i++)
        buckets[i] = NULL;
}

static struct hash_link **hash_table_bucket_of(const struct hash_table *table, uint32_t hash)
{
    uint32_t low = hash & table->mask >> 1;

    if (table->old != NULL && low >= table->moved)
        return &table->old[low];
    return &table->buckets[hash & table->mask];
}

/* Into two buckets, until now without content. */
static void hash_table_move_bucket(struct hash_table *table)
{
    uint32_t low = table->moved++;
    struct hash_link *link = table->old[low];

    table->buckets[low] = NULL;
    table->buckets[low + (table->mask >> 1) + 1] = NULL;
    while (link != NULL) {
        struct hash_link *next = link->next, **bucket = &table->buckets[link->hash & table->mask];

        link->next = *bucket;
        *bucket = link;
        link = next;
    }
}

static void hash_table_move(struct hash_table *table, uint32_t buckets)
{
    while (buckets-- > 0 && table->old != NULL && table->moved <= table->mask >> 1)
        hash_table_move_bucket(table);
}

static struct hash_link *hash_table_with_hash(struct hash_link *link, uint32_t hash)
{
    while (link != NULL && link->hash != hash)
        link = link->next;
    return link;
}

struct hash_link *hash_table_first(const struct hash_table *table, uint32_t hash)
{
    return hash_table_with_hash(*hash_table_bucket_of(table, hash), hash);
}

struct hash_link *hash_table_next(const struct hash_link *link)
{
    return hash_table_with_hash(link->next, link->hash);
}

void hash_table_insert(struct hash_table *table, struct hash_link *link, uint32_t hash)
{
    struct hash_link **bucket;

    hash_table_move(table, MOVED_EACH);
    bucket = hash_table_bucket_of(table, hash);
    link->hash = hash;
    link->next = *bucket;
    *bucket = link;
    table->count++;
}

void hash_table_remove(struct hash_table *table, struct hash_link *link)
{
    struct hash_link **at = hash_table_bucket_of(table, link->hash);

    while (*at != link)
        at = &(*at)->next;
    *at = link->next;
    table->count--;
}

struct hash_link **hash_table_grow(struct hash_table *table, void *memory)
{
    struct hash_link **before = table->old;

    hash_table_move(table, UINT32_MAX);
    table->old = table->buckets;
    table->buckets = memory;
    table->mask = table->mask << 1 | 1;
    table->moved = 0;
    return before;
}
