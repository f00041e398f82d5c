/* SPDX-License-Identifier: BSD-2-Clause */
/* The machine contract: what the kernel may ask about a saved trap frame and a stack. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct evcnt;
struct trap_frame;

/* What an exception that is about memory says of the address. */
enum trap_memory {
    TRAP_MEMORY_ABSENT,   /* it has no translation */
    TRAP_MEMORY_REFILL,   /* its translation is to be fetched into the TLB */
    TRAP_MEMORY_PROTECTED /* the translation does not allow it: MIPS, a store; x86_64, any access */
};
/* The counters of all exceptions, from N = 0 on; NULL: there are no more. Any context. */
const struct evcnt *trap_counter(unsigned n);
/* Those of such exceptions, from N = 0 on; NULL: the machine has no more. Any context. */
const struct evcnt *trap_memory_counter(enum trap_memory what, unsigned n);

/* Prints the registers, several a line, through panic_printf. */
void trap_frame_print(const struct trap_frame *frame);

/*
 * Walks the stack from FRAME, or from the caller if NULL, calling VISIT with an address in each
 * call until it returns false.
 */
void trap_backtrace(const struct trap_frame *frame, bool (*visit)(void *, uintptr_t),
                    void *argument);

/*
 * The same for what the interrupt that is being served came into: first the instruction that was to
 * be next there. Nothing is visited outside of interrupts, or if it came outside the kernel.
 */
void trap_backtrace_interrupted(bool (*visit)(void *, uintptr_t), void *argument);

/*
 * What is on a stack from STACK to END, which context_switch has left with POINTER, or if that is
 * NULL on the caller's: from the innermost on VISIT is called with where each return address lies,
 * until it returns false. Ends where nothing more is known.
 */
enum trap_return {
    TRAP_RETURN_SURE,      /* the function before it returns there */
    TRAP_RETURN_DOUBT,     /* there may be other return addresses between */
    TRAP_RETURN_ALSO,      /* it is that of the next one, in another place */
    TRAP_RETURN_INTERRUPT, /* none: an interrupt came there, and its handler is before it */
};
typedef bool trap_return_visit(void *argument, const uintptr_t *place, enum trap_return kind);
void trap_saved_returns(const void *pointer, uintptr_t stack, uintptr_t end,
                        trap_return_visit *visit, void *argument);

/*
 * What the first instruction from *AT to END that calls or jumps by name and not by pointer leads
 * to; *AT moves behind it. 0: there is none. What only looks like one is returned too: see whether
 * a function begins there.
 */
uintptr_t trap_next_call(uintptr_t *at, uintptr_t end);

/* setjmp and longjmp for trap_try: registers that calls preserve. */
struct trap_jump {
    uint64_t registers[12];
};
int trap_jump_set(struct trap_jump *jump) __attribute__((returns_twice));
_Noreturn void trap_jump_to(struct trap_jump *jump);
