/* SPDX-License-Identifier: BSD-2-Clause */
/* Hash tables against a plain list of what is in them, while they grow from 4 buckets. */
#include "lib/hash_table.h"

#include "tests/host/test.h"

#include <stdlib.h>
#include <string.h>

#define ENTRIES 600u

struct entry {
    unsigned number;
    bool inside;
    uint32_t hash;
    struct hash_link link;
};

static struct entry entries[ENTRIES];
static uint32_t random_state;

static uint32_t next_random(void)
{
    random_state = random_state * 1664525u + 1013904223u;
    return random_state >> 8;
}

static bool is_found(const struct hash_table *table, const struct entry *entry)
{
    unsigned times = 0;

    for (struct hash_link *link = hash_table_first(table, entry->hash); link != NULL;
         link = hash_table_next(link)) {
        CHECK(link->hash == entry->hash);
        times += HASH_ENTRY(link, struct entry, link) == entry;
    }
    CHECK(times <= 1);
    return times == 1;
}

static void check_all(const struct hash_table *table)
{
    size_t inside = 0;

    for (unsigned i = 0; i < ENTRIES; i++) {
        CHECK(is_found(table, &entries[i]) == entries[i].inside);
        inside += entries[i].inside;
    }
    CHECK(table->count == inside);
}

/* HASHES: how many different ones there are. */
static void run_random(uint32_t hashes)
{
    struct hash_link *first[4] = {NULL, NULL, NULL, NULL};
    struct hash_table table = HASH_TABLE_INITIALIZER(first);
    unsigned growths = 0;

    memset(entries, 0, sizeof entries);
    for (unsigned i = 0; i < ENTRIES; i++)
        entries[i].hash = next_random() % hashes * 2654435761u;
    for (unsigned step = 0; step < 6000; step++) {
        struct entry *entry = &entries[next_random() % ENTRIES];

        if (entry->inside && next_random() % 2 == 0)
            hash_table_remove(&table, &entry->link);
        else if (!entry->inside)
            hash_table_insert(&table, &entry->link, entry->hash);
        else
            continue;
        entry->inside = !entry->inside;
        if (step % 16 == 0)
            check_all(&table);
        if (hash_table_is_full(&table)) {
            uint32_t mask = table.mask;
            size_t room = hash_table_room(&table);
            struct hash_link **memory = malloc(room), **spare;

            CHECK(room == 2 * sizeof(void *) * (mask + 1));
            memset(memory, 0x5a, room);
            spare = hash_table_grow(&table, memory);
            if (spare != first)
                free(spare);
            CHECK(table.mask == mask * 2 + 1);
            check_all(&table);
            growths++;
        }
    }
    check_all(&table);
    CHECK(growths >= 6); /* 4 * 2^6 are fewer than about the half that is inside */
    CHECK(table.moved == (table.mask >> 1) + 1); /* long since */
    free(table.old);
    free(table.buckets);
}

TEST(hash_table_random)
{
    random_state = 12;
    run_random(UINT32_MAX);
    run_random(50);
    run_random(3);
}

/* Growing again and again, without an insertion between. */
TEST(hash_table_grows_at_once)
{
    struct hash_link *first[2] = {NULL, NULL};
    struct hash_table table = HASH_TABLE_INITIALIZER(first);
    struct hash_link **spare;

    memset(entries, 0, sizeof entries);
    for (unsigned i = 0; i < 40; i++) {
        entries[i].inside = true;
        entries[i].hash = i * 77;
        hash_table_insert(&table, &entries[i].link, entries[i].hash);
    }
    spare = hash_table_grow(&table, malloc(hash_table_room(&table)));
    CHECK(spare == NULL);
    for (unsigned i = 0; i < 5; i++) {
        spare = hash_table_grow(&table, malloc(hash_table_room(&table)));
        CHECK((spare == first) == (i == 0));
        if (spare != first)
            free(spare);
        check_all(&table);
    }
    CHECK(table.mask == 127);
    free(table.old);
    free(table.buckets);
}

TEST(hash_table_youngest_first)
{
    struct hash_link *first[2] = {NULL, NULL};
    struct hash_table table = HASH_TABLE_INITIALIZER(first);
    struct hash_link same[3], other;

    hash_table_insert(&table, &same[0], 9);
    hash_table_insert(&table, &same[1], 9);
    hash_table_insert(&table, &other, 11);
    hash_table_insert(&table, &same[2], 9);
    CHECK(hash_table_first(&table, 9) == &same[2]);
    CHECK(hash_table_next(&same[2]) == &same[1]);
    CHECK(hash_table_next(&same[1]) == &same[0]);
    CHECK(hash_table_next(&same[0]) == NULL);
    CHECK(hash_table_first(&table, 7) == NULL);
}

TEST(hash_of_strings)
{
    uint32_t joined = hash_end(hash_string(hash_string(0, "ab", 2), "c", 1));

    CHECK(joined != hash_end(hash_string(hash_string(0, "a", 1), "bc", 2)));
    CHECK(joined != hash_end(hash_string(0, "abc", 3)));
    CHECK(joined == hash_end(hash_string(hash_string(0, "abx", 2), "cd", 1)));
    CHECK(joined == hash_end(hash_text(hash_text(0, "ab"), "c")));
}
