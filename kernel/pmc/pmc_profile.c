/* SPDX-License-Identifier: BSD-2-Clause */
/* Profiles: see pmc_profile.h. */
#include "kernel/pmc/pmc_profile.h"
#include <arch/context.h>
#include "kernel/cpu/cpu.h"
#include "kernel/time/clock.h"
#include "kernel/memory/kmem.h"
#include "kernel/thread/mutex.h"
#include "kernel/memory/page.h"
#include "kernel/pmc/pmc_callers.h"
#include "kernel/base/symbol.h"
#include "kernel/thread/thread.h"
#include "lib/errno.h"
#include "lib/section.h"
#include "lib/string.h"

#define BUCKETS     1024
#define ANSWERS     512
#define CHUNK_ORDER 4
#define CHUNK_BYTES (PAGE_SIZE << CHUNK_ORDER)
#define CHUNKS_MAX  64
#define EMPTYING_NS 20000000u /* between two looks at the rings */

static SHARED_BSS struct hash_link *buckets[BUCKETS]; /* mutex, as the others */
static struct hash_table stacks;
static SHARED_BSS struct answer {
    uintptr_t address, function;
} answers[ANSWERS];
static void *chunks[CHUNKS_MAX];
static unsigned chunk_count;
static size_t chunk_used;
static struct pmc_profile_counts counts;
static kmutex_t mutex;
static bool with_chains, with_cpus;
static volatile bool ending;
static struct thread *emptier;

static void *arena(size_t size)
{
    void *place;

    size = (size + 15) & ~(size_t)15;
    if (chunk_count == 0 || chunk_used + size > CHUNK_BYTES) {
        if (chunk_count == CHUNKS_MAX)
            return NULL;
        chunks[chunk_count] = page_alloc(CHUNK_ORDER);
        if (chunks[chunk_count] == NULL)
            return NULL;
        chunk_count++;
        chunk_used = 0;
    }
    place = (char *)chunks[chunk_count - 1] + chunk_used;
    chunk_used += size;
    return place;
}

static uint32_t hash_of(const struct pmc_stack *stack)
{
    uint64_t hash = (stack->cpu * 256u + stack->event) * 2u + stack->user;

    for (unsigned i = 0; i < stack->depth; i++)
        hash = hash_number(hash, stack->at[i]);
    return (uint32_t)(hash >> 32);
}

static bool is_same(const struct pmc_stack *a, const struct pmc_stack *b)
{
    return a->event == b->event && a->user == b->user && a->cpu == b->cpu && a->depth == b->depth &&
           memcmp(a->at, b->at, a->depth * sizeof a->at[0]) == 0;
}

/* COUNT more of them. False if there is no memory for it. */
static bool add(const struct pmc_stack *wanted, uint32_t count)
{
    uint32_t hash = hash_of(wanted);
    struct hash_link *link = hash_table_first(&stacks, hash);
    struct pmc_stack *stack;

    while (link != NULL && !is_same(HASH_ENTRY(link, struct pmc_stack, link), wanted))
        link = hash_table_next(link);
    stack = HASH_ENTRY_OR_NULL(link, struct pmc_stack, link);
    if (stack == NULL) {
        size_t size = sizeof *stack + wanted->depth * sizeof stack->at[0];

        stack = arena(size);
        if (stack == NULL)
            return false;
        memcpy(stack, wanted, size);
        stack->count = 0;
        hash_table_insert(&stacks, &stack->link, hash);
    }
    stack->count += count;
    return true;
}

/* Answers are kept: most samples ask the same. */
static uintptr_t function_of(uintptr_t address)
{
    struct answer *answer = &answers[address / 2 % ANSWERS];
    uintptr_t offset;

    if (answer->address != address) {
        answer->function = symbol_find(address, &offset) ? address - offset : address;
        answer->address = address;
    }
    return answer->function;
}

static void push(struct pmc_stack *stack, uintptr_t function)
{
    stack->at[stack->depth++] = function;
}

/* Whether the outermost function is where a thread begins: a chain may be too long, or end in what
 * an interrupt had interrupted. */
static bool is_whole(const struct pmc_taken *taken)
{
    uintptr_t outermost = taken->depth > 0 ? taken->chain[taken->depth - 1] : 0;

    return outermost == (uintptr_t)thread_start || outermost == (uintptr_t)thread_idle;
}

/*
 * The sampled function and its callers. Where those cannot be told, `[unknown]` stands for them,
 * and of the chain only the thread's beginning is kept: it holds for all that the thread does.
 */
static void make_stack(struct pmc_taken *taken, struct pmc_stack *stack)
{
    uintptr_t function = function_of(taken->pc), between = 0;
    unsigned depth = taken->depth;
    int from;

    stack->event = (uint8_t)taken->event;
    stack->user = taken->user;
    stack->depth = 0;
    for (unsigned i = 0; taken->another && i < depth; i++)
        taken->chain[i] = function_of(taken->chain[i]);
    from = pmc_callers_find(function, taken->chain, depth, taken->later ? NULL : &between);
    push(stack, function);
    if (from == PMC_CALLERS_UNKNOWN) {
        bool whole = depth > 1 && taken->chain[depth - 1] == (uintptr_t)thread_start;

        if (with_chains && function != 0)
            push(stack, 0);
        from = (int)(whole ? depth - 2 : depth);
    } else if (between != 0) {
        push(stack, between);
    }
    for (unsigned i = (unsigned)from; i < depth; i++)
        push(stack, taken->chain[i]);
    if (with_chains && stack->at[stack->depth - 1] != 0 && (unsigned)from < depth &&
        !is_whole(taken))
        push(stack, 0);
}

static void empty_ring(unsigned cpu)
{
    static struct pmc_taken taken; /* mutex */
    static union {
        struct pmc_stack stack;
        char room[sizeof(struct pmc_stack) + (PMC_SAMPLE_DEPTH + 3) * sizeof(uintptr_t)];
    } wanted;
    uint64_t dropped = 0, all = 0;

    for (; pmc_sample_take(cpu, &taken); all++) {
        wanted.stack.cpu = with_cpus ? (uint8_t)cpu : 0;
        make_stack(&taken, &wanted.stack);
        if (!add(&wanted.stack, taken.count))
            dropped += taken.count;
    }
    counts.buf += all > 0;
    counts.emptybuf += all == 0;
    counts.dropbuf += dropped > 0;
    counts.dropbuf_sample += dropped;
}

static void empty_rings(void)
{
    mutex_enter(&mutex);
    for (unsigned cpu = 0; cpu < cpu_count(); cpu++)
        empty_ring(cpu);
    mutex_exit(&mutex);
}

static void empty_often(void *unused)
{
    (void)unused;
    while (!ending) {
        (void)thread_sleep(EMPTYING_NS);
        empty_rings();
    }
}

static void forget(void)
{
    while (chunk_count > 0)
        page_free(chunks[--chunk_count]);
    hash_table_init(&stacks, buckets, BUCKETS);
    chunk_used = 0;
}

int pmc_profile_start(const struct pmu_event_request *requests, unsigned count,
                      const struct pmu_plan *plan, bool chains, bool cpus, unsigned *bad,
                      struct pmu_refusal *refusal)
{
    int error = pmc_sample_start(requests, count, plan, chains, bad, refusal);

    if (error)
        return error;
    with_chains = chains;
    with_cpus = cpus;
    mutex_init(&mutex, "profile");
    forget();
    memset(&counts, 0, sizeof counts);
    ending = false;
    pmc_callers_begin();
    if (thread_create("tprof", THREAD_PRIORITY_NORMAL, empty_often, NULL, &emptier) != 0) {
        pmc_sample_stop();
        pmc_sample_end();
        pmc_callers_end();
        return ENOMEM;
    }
    return 0;
}

void pmc_profile_stop(void)
{
    pmc_sample_stop();
    ending = true;
    thread_interrupt(emptier);
    thread_join(emptier);
    empty_rings();
    pmc_callers_end();
}

void pmc_profile_end(void)
{
    forget();
    mutex_destroy(&mutex);
    pmc_sample_end();
}

void pmc_profile_gather(void)
{
    empty_rings();
}

void pmc_profile_visit(bool (*visit)(void *, const struct pmc_stack *), void *argument, bool clear)
{
    mutex_enter(&mutex);
    for (unsigned b = 0; b < BUCKETS; b++) {
        for (struct hash_link *link = buckets[b]; link != NULL; link = link->next) {
            struct pmc_stack *stack = HASH_ENTRY(link, struct pmc_stack, link);

            if (stack->count > 0 && visit(argument, stack) && clear)
                stack->count = 0;
        }
    }
    mutex_exit(&mutex);
}

void pmc_profile_counts_get(struct pmc_profile_counts *out)
{
    *out = counts;
    pmc_sample_counts_get(&out->samples);
}
