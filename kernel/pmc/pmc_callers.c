/* SPDX-License-Identifier: BSD-2-Clause */
/* Callers of sampled functions: see pmc_callers.h. Most samples ask the same; and the code, which
 * is slow to look through, says the same each time. */
#include "kernel/pmc/pmc_callers.h"
#include <arch/trap.h>
#include <stdbool.h>
#include <stddef.h>
#include "kernel/cpu/cpu.h"
#include "kernel/memory/page.h"
#include "kernel/base/panic.h"
#include "kernel/base/symbol.h"
#include "lib/string.h"

#define LOOK_AT 4 /* functions of a chain that may have called the sampled one */
#define ANSWERS 2048
#define LISTS   2048
#define CALLED  10000

/* How FROM calls TO: THROUGH is TO itself, or the one function between, or 0: neither. */
struct answer {
    uintptr_t from, to, through;
};

/* The functions that FROM calls, each once: COUNT of `called`, FIRST and following. */
struct list {
    uintptr_t from;
    uint32_t first, count;
};

#define MEMORY_ORDER 5
static struct memory {
    struct answer answers[ANSWERS];
    struct list lists[LISTS];
    int32_t called[CALLED]; /* less `from` */
    uint32_t lists_used, called_used;
} *memory; /* NULL: nothing is kept */
_Static_assert(sizeof(struct memory) <= PAGE_SIZE << MEMORY_ORDER, "MEMORY_ORDER");

void pmc_callers_begin(void)
{
    memory = page_alloc(MEMORY_ORDER);
    if (memory)
        memset(memory, 0, sizeof *memory);
}

void pmc_callers_end(void)
{
    if (memory)
        page_free(memory);
    memory = NULL;
}

static size_t pmc_callers_hash(uintptr_t value)
{
    return value * UINT64_C(0x9e3779b97f4a7c15) >> 40;
}

/* The functions that one calls, from its list, or if there is no room for one from its code. */
struct calls {
    const struct list *list;
    unsigned taken;
    uintptr_t at, end;
};

/* Only what is a function's beginning; 0 is the end. */
static uintptr_t pmc_callers_next_in_code(struct calls *calls)
{
    uintptr_t called, offset;

    do
        called = trap_next_call(&calls->at, calls->end);
    while (called != 0 && (symbol_find(called, &offset) == NULL || offset != 0));
    return called;
}

static uintptr_t pmc_callers_next_called(struct calls *calls)
{
    if (!calls->list)
        return pmc_callers_next_in_code(calls);
    if (calls->taken == calls->list->count)
        return 0;
    return calls->list->from +
           (uintptr_t)(intptr_t)memory->called[calls->list->first + calls->taken++];
}

static bool pmc_callers_list_has(const struct list *list, int32_t called)
{
    for (unsigned i = 0; i < list->count; i++)
        if (memory->called[list->first + i] == called)
            return true;
    return false;
}

/* False if there is no room. */
static bool pmc_callers_fill_list(struct list *list, uintptr_t from, struct calls code)
{
    uintptr_t called;

    *list = (struct list){from, memory->called_used, 0};
    while ((called = pmc_callers_next_in_code(&code)) != 0) {
        if (pmc_callers_list_has(list, (int32_t)(called - from)))
            continue;
        if (list->first + list->count == CALLED) {
            list->from = 0;
            return false;
        }
        memory->called[list->first + list->count++] = (int32_t)(called - from);
    }
    memory->called_used += list->count;
    memory->lists_used++;
    return true;
}

static struct calls pmc_callers_calls_of(uintptr_t from)
{
    struct calls calls = {.list = NULL};
    struct list *list;
    size_t at = pmc_callers_hash(from);

    while (memory && memory->lists[at % LISTS].from != from && memory->lists[at % LISTS].from != 0)
        at++;
    list = memory ? &memory->lists[at % LISTS] : NULL;
    if (list && list->from == from) {
        calls.list = list;
    } else if (symbol_range(from, &calls.at, &calls.end) && list &&
               memory->lists_used < LISTS - 1 && pmc_callers_fill_list(list, from, calls)) {
        calls.list = list;
    }
    return calls;
}

static bool pmc_callers_does_call(uintptr_t from, uintptr_t to)
{
    struct calls calls = pmc_callers_calls_of(from);
    uintptr_t called;

    do
        called = pmc_callers_next_called(&calls);
    while (called != 0 && called != to);
    return called != 0;
}

/* What FROM calls that calls TO; 0 if there is none, or more than one: then nobody knows which. */
static uintptr_t pmc_callers_find_between(uintptr_t from, uintptr_t to)
{
    struct calls calls = pmc_callers_calls_of(from);
    uintptr_t called, found = 0;

    while ((called = pmc_callers_next_called(&calls)) != 0) {
        if (called == from || called == found || called == (uintptr_t)panic ||
            !pmc_callers_does_call(called, to))
            continue;
        if (found != 0)
            return 0;
        found = called;
    }
    return found;
}

static uintptr_t pmc_callers_find_through(uintptr_t from, uintptr_t to)
{
    return pmc_callers_does_call(from, to) ? to : pmc_callers_find_between(from, to);
}

static uintptr_t pmc_callers_through(uintptr_t from, uintptr_t to)
{
    struct answer *answer;

    if (!memory)
        return pmc_callers_find_through(from, to);
    answer = &memory->answers[pmc_callers_hash(from * 31 + to) % ANSWERS];
    if (answer->from != from || answer->to != to)
        *answer = (struct answer){from, to, pmc_callers_find_through(from, to)};
    return answer->through;
}

/*
 * The interrupt may have come in what the function had called: then it is in the chain; or after
 * its return: then one of the innermost functions calls it, or calls what calls it. Called by
 * pointer, or from farther away, it is not found.
 */
int pmc_callers_find(uintptr_t function, const uintptr_t *chain, unsigned depth, uintptr_t *between)
{
    if (between != NULL)
        *between = 0;
    for (unsigned i = 0; i < depth; i++)
        if (chain[i] == function)
            return (int)i + 1;
    if (between == NULL)
        return PMC_CALLERS_UNKNOWN;
    for (unsigned i = 0; i < depth && i < LOOK_AT; i++)
        if (pmc_callers_through(chain[i], function) == function)
            return (int)i;
    for (unsigned i = 0; i < depth && i < LOOK_AT; i++) {
        *between = pmc_callers_through(chain[i], function);
        if (*between != 0)
            return (int)i;
    }
    return PMC_CALLERS_UNKNOWN;
}
