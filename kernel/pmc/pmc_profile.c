/* SPDX-License-Identifier: BSD-2-Clause */
/* Profiles: see pmc_profile.h. */
#include "kernel/pmc/pmc_profile.h"
#include "kernel/pmc/sample_ring.h"
#include <arch/context.h>
#include <arch/pmu.h>
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
#define ANSWERS     4096
#define KNOWN       4096
#define CHUNK_ORDER 4
#define CHUNK_BYTES (PAGE_SIZE << CHUNK_ORDER)
#define CHUNKS_MAX  64
#define EMPTYING_NS 20000000u /* between two looks at the rings */

static SHARED_BSS struct hash_link *buckets[BUCKETS]; /* mutex, as the others */
static struct hash_table stacks;

/* Answers are kept, if there is memory for them: most samples ask the same. */
#define MEMORY_ORDER 5
static struct memory {
    struct {
        uintptr_t address, function;
    } answers[ANSWERS]; /* by address */
    struct {
        uint64_t key;
        struct pmc_stack *stack; /* NULL: our own */
    } known[KNOWN];              /* by pmc_profile_key_of */
} *memory;
_Static_assert(sizeof(struct memory) <= PAGE_SIZE << MEMORY_ORDER, "MEMORY_ORDER");

static SHARED_BSS void *chunks[CHUNKS_MAX];
static unsigned chunk_count;
static size_t chunk_used;
static struct pmc_profile_counts counts;
static kmutex_t mutex;
static bool with_chains, with_cpus;
static volatile bool ending;
static struct thread *emptier;

static void *pmc_profile_arena(size_t size)
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

static uint32_t pmc_profile_hash_of(const struct pmc_stack *stack)
{
    uint64_t hash = (stack->cpu * 256u + stack->event) * 2u + stack->user;

    for (unsigned i = 0; i < stack->depth; i++)
        hash = hash_number(hash, stack->at[i]);
    return (uint32_t)(hash >> 32);
}

static bool pmc_profile_is_same(const struct pmc_stack *a, const struct pmc_stack *b)
{
    return a->event == b->event && a->user == b->user && a->cpu == b->cpu && a->depth == b->depth &&
           memcmp(a->at, b->at, a->depth * sizeof a->at[0]) == 0;
}

/* That one, of which there may be none yet. NULL: no memory for it. */
static struct pmc_stack *pmc_profile_find(const struct pmc_stack *wanted)
{
    uint32_t hash = pmc_profile_hash_of(wanted);
    struct hash_link *link = hash_table_first(&stacks, hash);
    struct pmc_stack *stack;

    while (link != NULL && !pmc_profile_is_same(HASH_ENTRY(link, struct pmc_stack, link), wanted))
        link = hash_table_next(link);
    stack = HASH_ENTRY_OR_NULL(link, struct pmc_stack, link);
    if (stack == NULL) {
        size_t size = sizeof *stack + wanted->depth * sizeof stack->at[0];

        stack = pmc_profile_arena(size);
        if (stack == NULL)
            return NULL;
        memcpy(stack, wanted, size);
        stack->count = 0;
        hash_table_insert(&stacks, &stack->link, hash);
    }
    return stack;
}

static uintptr_t pmc_profile_find_function(uintptr_t address)
{
    uintptr_t offset;

    return symbol_find(address, &offset) ? address - offset : address;
}

static uintptr_t pmc_profile_function_of(uintptr_t address)
{
    size_t at = address / 2 % ANSWERS;

    if (memory == NULL)
        return pmc_profile_find_function(address);
    if (memory->answers[at].address != address) {
        memory->answers[at].function = pmc_profile_find_function(address);
        memory->answers[at].address = address;
    }
    return memory->answers[at].function;
}

static void pmc_profile_push(struct pmc_stack *stack, uintptr_t function)
{
    stack->at[stack->depth++] = function;
}

/* Nobody has called these; but idle threads were started in some way. */
static bool pmc_profile_is_root(uintptr_t function)
{
    return function == (uintptr_t)thread_start || function == (uintptr_t)thread_idle;
}

/* Whether the outermost function is where a thread begins: a chain may be too long, or end in what
 * an interrupt had interrupted. */
static bool pmc_profile_is_whole(const struct pmc_taken *taken)
{
    uintptr_t outermost = taken->depth > 0 ? taken->chain[taken->depth - 1] : 0;

    return pmc_profile_is_root(outermost);
}

/*
 * The sampled function and its callers. Where those cannot be told, `[unknown]` stands for them,
 * and of the chain only the thread's beginning is kept: it holds for all that the thread does.
 */
static void pmc_profile_make_stack(struct pmc_taken *taken, struct pmc_stack *stack)
{
    uintptr_t function = pmc_profile_function_of(taken->pc), between = 0;
    unsigned depth = taken->depth;
    int from;

    stack->depth = 0;
    for (unsigned i = 0; taken->another && i < depth; i++)
        taken->chain[i] = pmc_profile_function_of(taken->chain[i]);
    from = pmc_callers_find(function, taken->chain, depth, taken->later ? NULL : &between);
    pmc_profile_push(stack, function);
    if (from == PMC_CALLERS_UNKNOWN) {
        bool whole = depth > 1 && taken->chain[depth - 1] == (uintptr_t)thread_start;

        if (with_chains && function != 0)
            pmc_profile_push(stack, 0);
        from = (int)(whole ? depth - 2 : depth);
    } else if (between != 0) {
        pmc_profile_push(stack, between);
    }
    for (unsigned i = (unsigned)from; i < depth; i++)
        pmc_profile_push(stack, taken->chain[i]);
    if (with_chains && stack->at[stack->depth - 1] != 0 && (unsigned)from < depth &&
        !pmc_profile_is_whole(taken))
        pmc_profile_push(stack, 0);
}

static void pmc_profile_empty_often(void *unused);

/* All callers are known, or it is known that they are not. */
static void pmc_profile_make_exact_stack(struct pmc_taken *taken, struct pmc_stack *stack)
{
    uintptr_t outermost = pmc_profile_function_of(taken->pc);

    stack->depth = 0;
    pmc_profile_push(stack, outermost);
    for (unsigned i = 0; i < taken->depth && !pmc_profile_is_root(outermost); i++) {
        outermost = taken->chain[i] == QPMU_CALLERS_INTERRUPT
                        ? PMC_STACK_INTERRUPT
                        : pmc_profile_function_of(taken->chain[i]);
        pmc_profile_push(stack, outermost);
    }
    if (pmc_profile_is_root(outermost))
        return;
    if (taken->cut)
        pmc_profile_push(stack, PMC_STACK_CUT);
    else if (!taken->whole && outermost != PMC_STACK_UNKNOWN)
        pmc_profile_push(stack, PMC_STACK_UNKNOWN);
}

/* Of the takers those that there are none of are 0, as what is not known. The ring's functions are
 * only called by them, but of a chain that was cut they may be all that is left. */
static bool pmc_profile_is_own_function(uintptr_t function)
{
    const uintptr_t own[] = {sample_ring_takers[0],           sample_ring_takers[1],
                             (uintptr_t)sample_ring_put,      (uintptr_t)sample_ring_open,
                             (uintptr_t)sample_ring_close,    (uintptr_t)sample_ring_take,
                             (uintptr_t)sample_ring_overflow, (uintptr_t)pmc_profile_empty_often};
    bool is_own = false;

    for (unsigned i = 0; i < sizeof own / sizeof *own; i++)
        is_own = is_own || function == own[i];
    return is_own && function != PMC_STACK_UNKNOWN;
}

static bool pmc_profile_is_own(const struct pmc_stack *stack)
{
    for (unsigned i = 0; i < stack->depth && stack->at[i] != PMC_STACK_INTERRUPT; i++)
        if (pmc_profile_is_own_function(stack->at[i]))
            return true;
    return false;
}

/* The stack and its kind, and the callers by their hash. */
static uint64_t pmc_profile_key_of(const struct pmc_taken *taken, const struct pmc_stack *wanted)
{
    uint64_t key = hash_number(taken->hash, pmc_profile_function_of(taken->pc));

    return hash_number(key ^ key >> 32, (wanted->cpu * 256u + wanted->event) * 2u + wanted->user) |
           1;
}

/* False: dropped. */
static bool pmc_profile_count_sample(struct pmc_taken *taken, struct pmc_stack *wanted)
{
    bool remembers = taken->exact && memory != NULL, own;
    uint64_t key = remembers ? pmc_profile_key_of(taken, wanted) : 0;
    size_t at = (key >> 40) % KNOWN;
    struct pmc_stack *stack = remembers ? memory->known[at].stack : NULL;

    if (!remembers || memory->known[at].key != key) {
        if (taken->exact)
            pmc_profile_make_exact_stack(taken, wanted);
        else
            pmc_profile_make_stack(taken, wanted);
        own = pmc_profile_is_own(wanted);
        stack = own ? NULL : pmc_profile_find(wanted);
        if (stack == NULL && !own)
            return false;
        if (remembers) {
            memory->known[at].key = key;
            memory->known[at].stack = stack;
        }
    }
    if (stack == NULL)
        counts.own += taken->count;
    else
        stack->count += taken->count;
    return true;
}

static void pmc_profile_empty_ring(unsigned cpu)
{
    static SHARED_BSS struct pmc_taken taken; /* mutex */
    static union {
        struct pmc_stack stack;
        char room[sizeof(struct pmc_stack) + (PMC_SAMPLE_DEPTH + 3) * sizeof(uintptr_t)];
    } wanted;
    uint64_t dropped = 0, all = 0;

    for (; sample_ring_take(&sample_rings[cpu], &taken); all++) {
        wanted.stack.cpu = with_cpus ? (uint8_t)cpu : 0;
        wanted.stack.event = (uint8_t)taken.event;
        wanted.stack.user = taken.user;
        if (!pmc_profile_count_sample(&taken, &wanted.stack))
            dropped += taken.count;
    }
    counts.buf += all > 0;
    counts.emptybuf += all == 0;
    counts.dropbuf += dropped > 0;
    counts.dropbuf_sample += dropped;
}

static void pmc_profile_empty_rings(void)
{
    mutex_enter(&mutex);
    for (unsigned cpu = 0; cpu < cpu_count(); cpu++)
        pmc_profile_empty_ring(cpu);
    mutex_exit(&mutex);
}

static void pmc_profile_empty_often(void *unused)
{
    (void)unused;
    while (!ending) {
        (void)thread_sleep(EMPTYING_NS);
        pmc_profile_empty_rings();
    }
}

static void pmc_profile_forget(void)
{
    while (chunk_count > 0)
        page_free(chunks[--chunk_count]);
    hash_table_init(&stacks, buckets, BUCKETS);
    chunk_used = 0;
    if (memory)
        page_free(memory);
    memory = NULL;
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
    pmc_profile_forget();
    memory = page_alloc(MEMORY_ORDER);
    if (memory)
        memset(memory, 0, sizeof *memory);
    memset(&counts, 0, sizeof counts);
    ending = false;
    pmc_callers_begin();
    if (thread_create("tprof", THREAD_PRIORITY_NORMAL, pmc_profile_empty_often, NULL, &emptier) !=
        0) {
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
    pmc_profile_empty_rings();
    pmc_callers_end();
}

void pmc_profile_end(void)
{
    pmc_profile_forget();
    mutex_destroy(&mutex);
    pmc_sample_end();
}

void pmc_profile_gather(void)
{
    pmc_profile_empty_rings();
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
