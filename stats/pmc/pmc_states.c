/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * All states that there are: in a list, and by their address in a table, so that who has kept an
 * address can ask whether it still is that of one.
 */
#include <stddef.h>
#include "lib/hash_table.h"
#include "lib/section.h"
#include "stats/pmc/pmc_private.h"
#include "stats/port.h"

static SHARED_BSS struct hash_link *first_buckets[16];
static struct hash_table table = HASH_TABLE_INITIALIZER(first_buckets); /* under the lock */

static uint32_t pmc_states_hash(const struct pmc_state *state)
{
    return hash_end(hash_number(0, (uintptr_t)state));
}

static void pmc_states_free_buckets(struct hash_link **buckets, size_t size)
{
    if (buckets != NULL && buckets != first_buckets)
        stats_port_free(buckets, size);
}

void pmc_states_make_room(void)
{
    struct hash_link **memory, **spare = NULL;
    uintptr_t lock = stats_port_lock();
    size_t room = hash_table_is_full(&table) ? hash_table_room(&table) : 0;

    stats_port_unlock(lock);
    memory = room != 0 ? stats_port_alloc(room) : NULL;
    if (memory == NULL)
        return;
    lock = stats_port_lock();
    if (hash_table_room(&table) == room) {
        spare = hash_table_grow(&table, memory);
        memory = NULL;
    }
    stats_port_unlock(lock);
    pmc_states_free_buckets(spare, room / 4);
    pmc_states_free_buckets(memory, room);
}

void pmc_states_link(struct pmc_state *state)
{
    state->next = pmc_system.states;
    if (state->next != NULL)
        state->next->previous = state;
    pmc_system.states = state;
    hash_table_insert(&table, &state->link, pmc_states_hash(state));
}

void pmc_states_unlink(struct pmc_state *state)
{
    if (state->next != NULL)
        state->next->previous = state->previous;
    if (state->previous != NULL)
        state->previous->next = state->next;
    else
        pmc_system.states = state->next;
    hash_table_remove(&table, &state->link);
}

bool pmc_states_have(const struct pmc_state *state)
{
    struct hash_link *link = hash_table_first(&table, pmc_states_hash(state));

    while (link != NULL && link != &state->link)
        link = hash_table_next(link);
    return link != NULL;
}
