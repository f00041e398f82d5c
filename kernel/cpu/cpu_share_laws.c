/* SPDX-License-Identifier: BSD-2-Clause */
/* The law of shares: what the CPUs counted of a counter is all that was counted of it. */
#include "kernel/cpu/cpu.h"
#include "kernel/base/law.h"
#include "lib/format.h"

/* The subjects are the counters that have shares; of them, the shares of the first CPU are found.
 */
static void *cpu_share_laws_next_whole(void *subject)
{
    const struct evcnt *ev = subject;

    ev = ev ? TAILQ_NEXT(ev, ev_list) : TAILQ_FIRST(&allevents);
    while (ev && ev->ev_share != 1)
        ev = TAILQ_NEXT(ev, ev_list);
    return (void *)(uintptr_t)ev;
}

static void cpu_share_laws_name_whole(const void *subject, char *buffer, size_t size)
{
    const struct evcnt *whole = ((const struct evcnt *)subject)->ev_parent;

    format(buffer, size, "%s %s", whole->ev_group, whole->ev_name);
}

static const struct law_subjects wholes = {cpu_share_laws_next_whole, cpu_share_laws_name_whole};

static struct evcnt *cpu_share_laws_whole_of(void *first)
{
    return (struct evcnt *)(uintptr_t)((const struct evcnt *)first)->ev_parent;
}

static uint64_t cpu_share_laws_whole_value(void *first)
{
    return evcnt_value(cpu_share_laws_whole_of(first));
}

/* They were attached one after another, but others may have come between. */
static uint64_t cpu_share_laws_sum_of_shares(void *first)
{
    const struct evcnt *share = first, *whole = cpu_share_laws_whole_of(first);
    uint64_t sum = whole->ev_strays; /* of CPUs without a cell: they belong to none */

    for (unsigned left = cpu_possible(); share && left > 0; share = TAILQ_NEXT(share, ev_list)) {
        if (share->ev_share == 0 || share->ev_parent != whole)
            continue;
        sum += evcnt_value(share);
        left--;
    }
    return sum;
}

/* A count outside of the cells: no share has it. */
static uint64_t *cpu_share_laws_whole_word(void *first)
{
    return &cpu_share_laws_whole_of(first)->ev_count;
}

LAW(share, .name = "share", .subjects = &wholes, .left = "all", .right = "sum over CPUs",
    .get_left = cpu_share_laws_whole_value, .get_right = cpu_share_laws_sum_of_shares,
    .word = cpu_share_laws_whole_word);
