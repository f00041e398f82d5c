/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who called whom: the calls that have not returned, of every stack that a guest has.
 *
 * A call puts a frame on top of the stack on which its CPU is. What leads back is not the order of
 * calls but the return address: where it lies in memory a tag stands beside it, which says to which
 * frame it returns. Whoever returns by that address is there, on whatever stack: so switches of
 * threads, and jumps out of many functions at once, need no special care. A tag is good as long as
 * the memory holds the address that it was made for, and the frame to which it leads is the one of
 * then. An address without a good tag leads to a new stack, of whose callers nothing is known.
 *
 * An interrupt or exception puts a frame of its own, which is taken away by the return from it.
 *
 * Places are addresses in RAM. A stack is used by one CPU at a time; making stacks and tags is safe
 * with several.
 */
#ifndef QPMU_SHADOW_H
#define QPMU_SHADOW_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum shadow_kind {
    SHADOW_CALL,
    SHADOW_INTERRUPTED, /* an interrupt or exception of the kernel came there */
    SHADOW_ENTERED,     /* the kernel was entered from user mode */
    SHADOW_DOUBT,       /* functions below may have been left; the next call tells */
};

struct shadow_frame {
    uint64_t at;   /* the calling instruction, or where the interrupt came; 0: not known */
    uint64_t back; /* the return address; entered: where it is to go on, 0: not known */
    uint64_t slot; /* address of the memory with the return address; 0: it is in a register */
    uint64_t serial;
    uint8_t kind;
    bool moved; /* the function called has set its stack pointer anew */
};

struct shadow_stack;

/* Where a CPU is: on top of DEPTH frames. */
struct shadow_at {
    struct shadow_stack *stack; /* NULL: nowhere yet */
    uint32_t depth;
};

/* To where a return address leads. */
struct shadow_tag {
    uint64_t back;
    uint64_t serial;       /* of the frame that is the topmost then */
    uint32_t stack, depth; /* stack 0: to nowhere */
};

#define SHADOW_INTERRUPT 1u /* in a chain: the next word is where an interrupt came */

/* Forgets everything, and frees it. No CPU is on a stack. */
void shadow_forget(void);

/* A call at AT, which returns to BACK. SLOT: see struct shadow_frame. Returns the tag of the return
 * address. */
struct shadow_tag shadow_call(struct shadow_at *where, uint64_t at, uint64_t back, uint64_t slot);
/* Returns to BACK, by TAG; false: it leads nowhere, and CPU is on a new stack. */
bool shadow_return(struct shadow_at *where, const struct shadow_tag *tag, uint64_t back);
/* An interrupt or exception. */
void shadow_interrupt(struct shadow_at *where, enum shadow_kind kind, uint64_t at, uint64_t back);
/* The return from one that was not of a user: takes the topmost frame if it is one's. */
void shadow_resume(struct shadow_at *where);
/* The kernel has returned to a user's instruction at PC. */
void shadow_leave(struct shadow_at *where, uint64_t pc);
/* The function has set its stack pointer anew, perhaps to a frame that is not its own. */
void shadow_move(struct shadow_at *where);
bool shadow_has_moved(const struct shadow_at *where);
/* Control has gone on elsewhere, perhaps out of some functions, by a jump: where the function has
 * moved. One that has not leaves its caller to what it jumps to. */
void shadow_jump(struct shadow_at *where);
/* A new stack; WHOLE: nobody has called what runs on it. */
void shadow_begin(struct shadow_at *where, bool whole);

/* The tag beside PLACE; NULL: there is none. CREATE: there is one, unless memory is short. */
struct shadow_tag *shadow_tag_at(uint64_t place, bool create);

/* Writes the frames' `at` from the topmost on, at most ROOM words, an interrupt as SHADOW_INTERRUPT
 * and its place. *WHOLE: there are no more callers; *CUT: there are, and no room. */
uint32_t shadow_chain(const struct shadow_at *where, uint64_t *words, uint32_t room, bool *whole,
                      bool *cut);
#endif
