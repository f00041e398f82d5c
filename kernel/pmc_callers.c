/* SPDX-License-Identifier: BSD-2-Clause */
/* Callers of sampled functions: see pmc_callers.h. Answers are kept: most samples ask the same. */
#include "kernel/pmc_callers.h"
#include <arch/trap.h>
#include <stdbool.h>
#include <stddef.h>
#include "kernel/cpu.h"
#include "kernel/panic.h"
#include "kernel/symbol.h"
#include "lib/section.h"

#define LOOK_AT 4 /* functions of a chain that may have called the sampled one */
#define ANSWERS 256

/* How FROM calls TO: THROUGH is TO itself, or the one function between, or 0: neither. */
struct answer {
    uintptr_t from, to, through;
};

static SHARED_BSS struct answer answers[ANSWERS];

static bool calls(uintptr_t from, uintptr_t to)
{
    uintptr_t at, end, called = 0;

    if (!symbol_range(from, &at, &end))
        return false;
    do
        called = trap_next_call(&at, end);
    while (called != 0 && called != to);
    return called != 0;
}

/* What FROM calls that calls TO; 0 if there is none, or more than one: then nobody knows which. */
static uintptr_t find_between(uintptr_t from, uintptr_t to)
{
    uintptr_t at, end, offset, called, found = 0;

    if (!symbol_range(from, &at, &end))
        return 0;
    while ((called = trap_next_call(&at, end)) != 0) {
        if (called == from || called == found || called == (uintptr_t)panic ||
            symbol_find(called, &offset) == NULL || offset != 0 || !calls(called, to))
            continue;
        if (found != 0)
            return 0;
        found = called;
    }
    return found;
}

static uintptr_t through(uintptr_t from, uintptr_t to)
{
    struct answer *answer = &answers[(from / 4 * 31 + to / 4) % ANSWERS];

    if (answer->from != from || answer->to != to)
        *answer = (struct answer){from, to, calls(from, to) ? to : find_between(from, to)};
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
        if (through(chain[i], function) == function)
            return (int)i;
    for (unsigned i = 0; i < depth && i < LOOK_AT; i++) {
        *between = through(chain[i], function);
        if (*between != 0)
            return (int)i;
    }
    return PMC_CALLERS_UNKNOWN;
}
