/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Exceptions, machine-independent part: counting by cause, and what happens to one that the kernel
 * did not expect.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/evcnt.h>

struct trap_frame; /* the machine's saved registers, <machine/frame.h> */

/*
 * The only place where exceptions are counted and reported. COUNTER belongs to the cause. Returns
 * only if a recovery was armed by trap_try; otherwise panics with registers and stack trace.
 */
void trap_dispatch(struct trap_frame *frame, struct evcnt *counter, const char *cause,
                   uint64_t address);

/*
 * Runs FUNCTION(ARGUMENT); true if it caused an exception, which was counted and survived. For
 * self-tests and probes.
 */
bool trap_try(void (*function)(void *), void *argument);

/* Deliberate faults for `panic -t`: name and what it does; NULL name ends the list. Supplied by the
 * machine. */
struct trap_provocation {
    const char *name;
    const char *help;
    void (*run)(void);
};
extern const struct trap_provocation trap_provocations[];

/* One of them, the same everywhere: recurses without end. */
void trap_overflow_stack(void);
