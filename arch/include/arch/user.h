/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The machine contract: user mode. A thread goes there once, by user_start, and comes back through
 * traps (kernel/interrupt/trap.h), each of which returns to it. On these ways the machine calls
 * what kernel/thread/user_way.h has.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct trap_frame;

enum user_mode { USER_MODE_USER, USER_MODE_SUPERVISOR /* MIPS; its own kind of user mode */ };

/* The registers to begin with at PC: SP, ARGUMENT (in a0, rdi), all others 0; interrupts as they
 * are now. */
void user_frame_prepare(struct trap_frame *frame, enum user_mode mode, uint64_t pc, uint64_t sp,
                        uint64_t argument);
/* FRAME has registers that a program chose, at a signal's end, say: what is not a program's to
 * choose, its mode among others, becomes as in OWN, a frame of it that came from user mode. */
void user_frame_sanitize(struct trap_frame *frame, const struct trap_frame *own);
/*
 * An access that the CPU has refused for its alignment. Where the machine's programs may expect
 * their kernel to do it for them (MIPS), that is done, and the program goes on behind it. In its
 * thread, interrupts on; may sleep.
 */
enum user_access {
    USER_ACCESS_OTHER, /* it was something else */
    USER_ACCESS_DONE,
    USER_ACCESS_FAULT, /* there is no memory for it, or not for this */
    USER_ACCESS_KEPT,  /* it was not done, as REFUSE says */
};
enum user_access user_access_unaligned(struct trap_frame *frame, bool refuse);
/*
 * Goes to user mode with the registers of FRAME. What the caller has on the kernel stack stays
 * there; traps of the thread lie below it. After thread_user_prepare.
 */
_Noreturn void user_start(const struct trap_frame *frame);

/*
 * What a program keeps in the CPU besides the registers of its frame, and the kernel does not use:
 * floating point, vectors, the thread pointer.
 */
struct user_state;
struct user_state *user_state_create(void); /* as a program begins with; NULL: no memory */
void user_state_free(struct user_state *state);
void user_state_reset(struct user_state *state); /* the same again */
void user_state_copy(struct user_state *to, const struct user_state *from);
/* The thread pointer: FS's base; on MIPS what `rdhwr` of register 29 tells, which traps. */
void user_state_set_tls(struct user_state *state, uint64_t base);
uint64_t user_state_tls(const struct user_state *state);
/*
 * Floating point and vectors as a signal's frame has them: XSAVE's area, or FXSAVE's; 32 registers
 * and FCSR, 8 bytes each. Back from such an area that a program may have changed: what a CPU would
 * refuse is put right. False: too short. x86_64: 512 bytes are FXSAVE's area, and all else becomes
 * as at the beginning.
 */
const void *user_state_area(const struct user_state *state, size_t *size);
bool user_state_set_area(struct user_state *state, const void *area, size_t size);
/* What the area has besides FXSAVE's, as XCR0 numbers it; 0: there are no such parts. */
uint64_t user_state_features(void);
/* Whether there is anything to load or save: on MIPS, only after the first use. */
static inline bool user_state_is_used(const struct user_state *state);
/* From this CPU's registers, to them; interrupts off. */
void user_state_save(struct user_state *state);
void user_state_load(const struct user_state *state);

#include <machine/user_state.h>
