/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A tree of two levels: leaves of 64 numbers each, which are there as long as one of them is taken.
 * A word says which numbers of a leaf are taken, eight words which leaves are full.
 */
#include "kernel/process/process_table.h"
#include <stddef.h>
#include "kernel/memory/kmem.h"
#include "kernel/process/process.h"
#include "lib/errno.h"
#include "lib/section.h"

#define LEAF   64u
#define LEAVES ((PROCESS_ID_MAX + 1) / LEAF)
#define ALL    UINT64_MAX

struct leaf {
    uint64_t taken; /* bit N: number N of the leaf */
    struct process **processes;
};

static struct leaf leaves[LEAVES] SHARED_BSS;
static uint64_t full[LEAVES / 64]; /* bit N: leaf N */
static uint32_t last;              /* number given out; its leaf stays when it is empty */

_Static_assert(LEAVES % 64 == 0, "a bit for each leaf");

/* The lowest free number from FROM on, which is not 0; 0: none. */
static uint32_t table_next_free(uint32_t from)
{
    uint32_t n = from / LEAF;
    uint64_t free = ~leaves[n].taken & ALL << from % LEAF;

    if (free != 0)
        return n * LEAF + (uint32_t)__builtin_ctzll(free);
    n++;
    for (uint64_t open = ALL << n % 64; n < LEAVES; open = ALL, n = (n / 64 + 1) * 64) {
        open &= ~full[n / 64];
        if (open != 0) {
            n = n / 64 * 64 + (uint32_t)__builtin_ctzll(open);
            return n * LEAF + (uint32_t)__builtin_ctzll(~leaves[n].taken);
        }
    }
    return 0;
}

static void table_drop_empty(uint32_t n)
{
    if (leaves[n].taken == 0 && n != last / LEAF) {
        kmem_free(leaves[n].processes);
        leaves[n].processes = NULL;
    }
}

int process_table_add(struct process *process)
{
    uint32_t id = last < PROCESS_ID_MAX ? table_next_free(last + 1) : 0, before = last;
    struct leaf *leaf;

    if (id == 0)
        id = table_next_free(1);
    if (id == 0)
        return -EAGAIN;
    leaf = &leaves[id / LEAF];
    if (leaf->processes == NULL)
        leaf->processes = kmem_zalloc(LEAF * sizeof(struct process *));
    if (leaf->processes == NULL)
        return -ENOMEM;
    leaf->processes[id % LEAF] = process;
    leaf->taken |= 1ull << id % LEAF;
    if ((id < LEAF ? leaf->taken | 1 : leaf->taken) == ALL) /* nobody has number 0 */
        full[id / LEAF / 64] |= 1ull << id / LEAF % 64;
    process->id = id;
    last = id;
    table_drop_empty(before / LEAF);
    return 0;
}

void process_table_remove(const struct process *process)
{
    uint32_t n = process->id / LEAF;

    leaves[n].processes[process->id % LEAF] = NULL;
    leaves[n].taken &= ~(1ull << process->id % LEAF);
    full[n / 64] &= ~(1ull << n % 64);
    table_drop_empty(n);
}

struct process *process_table_find(uint32_t id)
{
    struct process **processes = id <= PROCESS_ID_MAX ? leaves[id / LEAF].processes : NULL;

    return processes != NULL ? processes[id % LEAF] : NULL;
}

uint32_t process_last_id(void)
{
    return *(const volatile uint32_t *)&last;
}

struct process *process_table_next(uint32_t id)
{
    uint32_t n = ++id / LEAF;
    uint64_t mask = ALL << id % LEAF;

    for (; n < LEAVES; n++, mask = ALL) {
        uint64_t taken = leaves[n].taken & mask;

        if (taken != 0)
            return leaves[n].processes[__builtin_ctzll(taken)];
    }
    return NULL;
}
