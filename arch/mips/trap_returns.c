/* SPDX-License-Identifier: BSD-2-Clause */
/* The return addresses on a stack: see trap_saved_returns. */
#include <arch/frame.h>
#include <arch/trap.h>
#include <stddef.h>
#include "arch/mips/vector.h"
#include "kernel/base/symbol.h"

#define SAVED_RA (-24l) /* bytes above what context_switch leaves */

/* The function that is at PC has its return address at SP plus what this returns, -1: in ra; and a
 * frame of SIZE bytes. */
static long returns_frame(uintptr_t pc, uintptr_t start, unsigned *size)
{
    long saved = -1;
    bool given_back = false, jumped = false;

    *size = 0;
    for (const uint32_t *at = (const uint32_t *)start; (uintptr_t)at < pc; at++) {
        if ((*at & 0xffff8000) == 0x67bd8000 && *size == 0) /* daddiu sp, sp, -size */
            *size = 0x10000 - (*at & 0xffff);
        else if ((*at & 0xffff8000) == 0xffbf0000 && *size != 0) /* sd ra, offset(sp) */
            saved = *at & 0x7fff;
        else if ((*at & 0xffff8000) == 0x67bd0000) /* daddiu sp, sp, size */
            given_back = true;
        if (jumped)
            given_back = false;
        jumped = (*at & 0xfc1fffff) == 0x00000008 || *at >> 26 == 2; /* jr; j */
    }
    if (given_back)
        *size = 0;
    return given_back ? -1 : saved;
}

static bool returns_vector(uintptr_t pc)
{
    return pc >= (uintptr_t)general_exception && pc < (uintptr_t)vector_interrupts_end;
}

void trap_saved_returns(const void *pointer, uintptr_t stack, uintptr_t end,
                        trap_return_visit *visit, void *argument)
{
    uintptr_t sp = (uintptr_t)pointer, pc = 0, start, behind;
    const uintptr_t *ra = NULL;
    long saved = SAVED_RA;
    unsigned size = 0;

    if (!pointer) {
        __asm__ volatile("dla %0, 1f\n1: move %1, $sp" : "=r"(pc), "=r"(sp));
        if (!symbol_range(pc, &start, &behind))
            return;
        saved = returns_frame(pc, start, &size);
    }
    for (;;) {
        const uintptr_t *place = saved == -1 ? ra : (const uintptr_t *)(sp + (uintptr_t)saved);

        if ((uintptr_t)place < stack || (uintptr_t)place >= end || *place < 8)
            return;
        /* Stored, and not changed since, or loaded again. */
        if (ra && place != ra && *place == *ra && !visit(argument, ra, TRAP_RETURN_ALSO))
            return;
        if (!visit(argument, place, TRAP_RETURN_SURE))
            return;
        pc = *place - 8;
        sp += size;
        ra = NULL;
        if (returns_vector(pc)) {
            const struct interrupt_frame *frame = (const void *)sp;

            if (sp < stack || sp > end - sizeof *frame || (int64_t)frame->epc >= 0 ||
                !visit(argument, (const uintptr_t *)&frame->epc, TRAP_RETURN_INTERRUPT))
                return;
            pc = frame->epc;
            ra = (const uintptr_t *)&frame->ra;
            sp += sizeof *frame;
        }
        if (!symbol_range(pc, &start, &behind))
            return;
        saved = returns_frame(pc, start, &size);
    }
}
