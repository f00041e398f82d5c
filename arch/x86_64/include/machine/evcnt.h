/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Raising an event counter on x86_64: one GS-relative add, which an interrupt can precede or follow
 * but not split, and which always hits the cell of the CPU that executes it.
 *
 * GS base is the distance from the boot CPU's data to this CPU's copy. A counter in that
 * data has its cell at the same distance, so its address, known to the linker, is enough: one
 * instruction. For any other counter ev_cells holds the distance from ev_cell0 to where its cells
 * begin: two. The assembler chooses: a register operand cannot be a linker's constant.
 *
 * An interrupt between the two returns to the first one (vector.S): whoever has taken an interrupt
 * knows no distance of before.
 *
 * A counter outside of it that has no cells (not attached, or no memory) has ev_cells 0: the
 * boot CPU adds to ev_cell0, and for any other CPU the address is one where nothing is ever mapped;
 * arch/x86_64/evcnt_fault.c then counts in ev_strays. The reading is in arch/x86_64/evcnt_cells.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EVCNT_CELL0 __builtin_offsetof(struct evcnt, ev_cell0)
#define EVCNT_CELLS __builtin_offsetof(struct evcnt, ev_cells)

static inline __attribute__((always_inline)) void evcnt_machine_incr(struct evcnt *ev)
{
    uintptr_t cells;

    __asm__ volatile(".set .Lev_static, 1\n\t"
                     ".irp "
                     "r,%%rax,%%rbx,%%rcx,%%rdx,%%rsi,%%rdi,%%rbp,%%r8,%%r9,%%r10,%%r11,%%r12,%%"
                     "r13,%%r14,%%r15\n\t"
                     ".ifc \\r,%1\n\t"
                     ".set .Lev_static, 0\n\t"
                     "movq %c3(\\r), %0\n\t"
                     "incq %%gs:%c2(\\r,%0)\n\t"
                     ".endif\n\t"
                     ".endr\n\t"
                     ".if .Lev_static\n\t"
                     "incq %%gs:%c2+%P1\n\t"
                     ".endif"
                     : "=&r"(cells)
                     : "ri"(ev), "i"(EVCNT_CELL0), "i"(EVCNT_CELLS)
                     : "memory", "cc");
}

/* Whether there are cells besides ev_cell0: not 0 once another CPU may run. */
extern uint32_t evcnt_cells_many;
uint64_t evcnt_cells_value(const struct evcnt *ev);

static inline uint64_t evcnt_machine_value(const struct evcnt *ev)
{
    if (evcnt_cells_many)
        return evcnt_cells_value(ev);
    return *(const volatile uint64_t *)&ev->ev_count + *(const volatile uint64_t *)&ev->ev_cell0;
}

uint64_t evcnt_machine_share(const struct evcnt *ev, unsigned cpu);
void evcnt_machine_clear(struct evcnt *ev);
void evcnt_machine_attach(struct evcnt *ev);
bool evcnt_machine_stop(struct evcnt *ev);
void evcnt_machine_settle(void);
void evcnt_machine_detach(struct evcnt *ev);
