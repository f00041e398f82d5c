/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hash_table: entries found by a hash of 32 bits. An entry holds its link; what it is that has the
 * hash (and whether it is the one that was looked for) is its owner's to say. Tables allocate
 * nothing: who wants one to stay fast gives it memory when it is full. It then doubles without a
 * pause, moving two buckets at each insertion. No locks.
 */
#ifndef LIB_HASH_TABLE_H
#define LIB_HASH_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hash_link {
    struct hash_link *next; /* in its bucket */
    uint32_t hash;
};

struct hash_table {
    struct hash_link **buckets;
    uint32_t mask;          /* a power of two of buckets, less 1 */
    uint32_t moved;         /* of OLD, so many have nothing any more */
    struct hash_link **old; /* half as many, from which entries are being moved; NULL: none are */
    size_t count;
};

/* Over ARRAY, whose length is a power of two and which holds NULLs. */
#define HASH_TABLE_INITIALIZER(array)                                                              \
    {.buckets = (array), .mask = (uint32_t)(sizeof(array) / sizeof *(array)) - 1}
/* The same at run time. */
void hash_table_init(struct hash_table *table, struct hash_link **buckets, uint32_t count);

/* The entry of TYPE that has LINK, which is its member FIELD. */
#define HASH_ENTRY(link, type, field) ((type *)((char *)(link) - offsetof(type, field)))
/* The same; of NULL, NULL. */
#define HASH_ENTRY_OR_NULL(link, type, field)                                                      \
    ((link) != NULL ? HASH_ENTRY(link, type, field) : NULL)

/* Entries with that hash, the youngest first, unless the table has grown meanwhile. */
struct hash_link *hash_table_first(const struct hash_table *table, uint32_t hash);
struct hash_link *hash_table_next(const struct hash_link *link);

void hash_table_insert(struct hash_table *table, struct hash_link *link, uint32_t hash);
void hash_table_remove(struct hash_table *table, struct hash_link *link);

/* Whether there are more entries than buckets. */
static inline bool hash_table_is_full(const struct hash_table *table)
{
    return table->count > table->mask;
}

/* What hash_table_grow wants, in bytes. */
static inline size_t hash_table_room(const struct hash_table *table)
{
    return ((size_t)table->mask + 1) * 2 * sizeof *table->buckets;
}

/*
 * Doubles the buckets; MEMORY has hash_table_room bytes, of any content. Returns what the table
 * does not need any more, a quarter of that, or NULL; what it has besides is given back at the next
 * call, or is table->old and table->buckets when nobody uses the table any longer.
 */
struct hash_link **hash_table_grow(struct hash_table *table, void *memory);

/*
 * Hashes of strings and numbers, one after another, from 0 on, and then hash_end. The
 * factor, 127, is more than printable characters differ by, so that two of them cannot make up for
 * each other.
 */
static inline uint64_t hash_string(uint64_t hash, const char *string, size_t length)
{
    for (size_t i = 0; i < length; i++)
        hash = (hash << 7) - hash + (unsigned char)string[i];
    return (hash << 7) - hash;
}

/* The same of a string up to its NUL. */
static inline uint64_t hash_text(uint64_t hash, const char *text)
{
    for (; *text != '\0'; text++)
        hash = (hash << 7) - hash + (unsigned char)*text;
    return (hash << 7) - hash;
}

static inline uint64_t hash_number(uint64_t hash, uint64_t number)
{
    return (hash ^ number) * UINT64_C(0x9e3779b97f4a7c15);
}

/* The low bits are poor so far: this brings all of them into the upper half. */
static inline uint32_t hash_end(uint64_t hash)
{
    return (uint32_t)((hash * UINT64_C(0x9e3779b97f4a7c15)) >> 32);
}

#endif
