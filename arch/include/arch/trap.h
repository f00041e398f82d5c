/* SPDX-License-Identifier: BSD-2-Clause */
/* The machine contract: what the kernel may ask about a saved trap frame and a stack. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct trap_frame;

/* The place where it happened. */
uintptr_t trap_frame_pc(const struct trap_frame *frame);
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
 * What the first instruction from *AT to END that calls or jumps by name and not by pointer leads
 * to; *AT moves behind it. 0: there is none. What only looks like one is returned too: see whether
 * a function begins there.
 */
uintptr_t trap_next_call(uintptr_t *at, uintptr_t end);

/*
 * Runs FUNCTION(ARGUMENT) and calls BETWEEN, interrupts on, before each of its instructions but the
 * first; BETWEEN may sleep and may move the thread to another CPU. False where the machine cannot
 * (MIPS); then nothing has run. For self-tests: one thread at a time. The machine counts its
 * exceptions.
 */
bool trap_single_step(void (*function)(void *), void *argument, void (*between)(void));

/*
 * Interrupts that no device has asked for, one each time that RUN is called (interrupts on), on the
 * line with the counters GROUP / LINE. For self-tests. The last has no LINE; a board may be without
 * some of the controllers.
 */
struct interrupt_provocation {
    const char *group, *line;
    void (*run)(void);
};
extern const struct interrupt_provocation interrupt_provocations[];

/* setjmp and longjmp for trap_try: registers that calls preserve. */
struct trap_jump {
    uint64_t registers[12];
};
int trap_jump_set(struct trap_jump *jump) __attribute__((returns_twice));
_Noreturn void trap_jump_to(struct trap_jump *jump);
