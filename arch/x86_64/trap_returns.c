/* SPDX-License-Identifier: BSD-2-Clause */
/* The return addresses on a stack: see trap_saved_returns. */
#include <arch/trap.h>
#include <stddef.h>
#include "arch/x86_64/trap_code.h"
#include "arch/x86_64/vector.h"
#include "kernel/base/symbol.h"

#define RET       0xc3
#define SAVED_RBP 6 /* words above what context_switch leaves; then its return address */
/* Words that interrupt_common saves behind its frame, before it calls. */
#define INTERRUPT_SAVED 9
#define FRAMELESS_MAX   64 /* words that a function without a frame has on the stack, at most */

struct returns {
    uintptr_t stack, end;
    const uintptr_t *frame; /* where RBP points: the caller's RBP, and behind it a return address */
};

static bool returns_lies(const struct returns *returns, const uintptr_t *word)
{
    return (uintptr_t)word >= returns->stack && (uintptr_t)word < returns->end &&
           returns->end - (uintptr_t)word >= 16;
}

/* Whether a function has made its frame when it is at PC, and not given it back. */
static bool returns_framed(uintptr_t pc, uintptr_t start, uintptr_t end)
{
    const uint8_t *push,
        *made = trap_find_frame((const uint8_t *)start, (const uint8_t *)end, &push);

    return made && pc > (uintptr_t)made && *(const uint8_t *)pc != RET;
}

/* Where the function returns that is at PC, if no word from WORD on has been looked at. Functions
 * without frames may have anything in RBP. */
static const uintptr_t *returns_next(struct returns *returns, const uintptr_t *word, uintptr_t pc,
                                     enum trap_return *kind)
{
    const uintptr_t *frame = returns->frame, *last = word + FRAMELESS_MAX;
    bool lies = returns_lies(returns, frame) && frame + 1 >= word;
    uintptr_t start, end;

    if (!symbol_range(pc, &start, &end))
        return NULL;
    *kind = TRAP_RETURN_SURE;
    if (!returns_framed(pc, start, end)) {
        for (; word < (lies ? frame : last) && returns_lies(returns, word); word++)
            if (trap_is_return_to_caller(*word, start))
                return word;
        *kind = TRAP_RETURN_DOUBT; /* RBP is its caller's, or somebody's farther out */
    }
    if (!lies)
        return NULL;
    returns->frame = (const uintptr_t *)frame[0];
    return frame + 1;
}

/* The frame of an interrupt whose vector has called what returns at WORD; NULL: it is none. */
static const struct interrupt_frame *returns_interrupt(const struct returns *returns,
                                                       const uintptr_t *word)
{
    const struct interrupt_frame *frame = (const void *)(word + 1 + INTERRUPT_SAVED);
    uintptr_t start, end;

    if (!symbol_range(*word - 1, &start, &end) || start != (uintptr_t)interrupt_common ||
        !returns_lies(returns, &frame->ss) || (frame->cs & 3) != 0)
        return NULL;
    return frame;
}

void trap_saved_returns(const void *pointer, uintptr_t stack, uintptr_t end,
                        trap_return_visit *visit, void *argument)
{
    const uintptr_t *own = __builtin_frame_address(0), *word = pointer;
    struct returns returns = {
        stack, end, pointer ? (const uintptr_t *)word[SAVED_RBP] : (const uintptr_t *)own[0]};
    enum trap_return kind = TRAP_RETURN_SURE;

    word = pointer ? word + SAVED_RBP + 1 : own + 1;
    while (word && returns_lies(&returns, word) && *word != 0 && visit(argument, word, kind)) {
        const struct interrupt_frame *frame = returns_interrupt(&returns, word);

        if (!frame) {
            word = returns_next(&returns, word + 1, *word - 1, &kind);
            continue;
        }
        if (!visit(argument, (const uintptr_t *)&frame->rip, TRAP_RETURN_INTERRUPT))
            return;
        returns.frame = (const uintptr_t *)frame->rbp;
        word = returns_next(&returns, (const uintptr_t *)frame->rsp, frame->rip, &kind);
    }
}
