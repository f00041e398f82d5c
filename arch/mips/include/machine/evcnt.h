/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Raising an event counter on MIPS: load, add, store through register k1, which no other code
 * outside exception entry uses. An interrupt that finds EPC at the add or at the store (recognised
 * by the instruction word, see interrupt_entry in arch/mips/cpu.c) puts EPC back to the load, so
 * the sum starts over with what the handler left. Exact without turning interrupts off; noreorder
 * keeps the three together and out of branch delay slots.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline __attribute__((always_inline)) void evcnt_machine_incr(struct evcnt *ev)
{
    __asm__ volatile(".set push\n\t"
                     ".set noreorder\n\t"
                     ".set noat\n\t"
                     "ld $27, %0\n\t"
                     "daddiu $27, $27, 1\n\t"
                     "sd $27, %0\n\t"
                     ".set pop"
                     : "+m"(ev->ev_cell0)
                     :
                     : "memory");
}

static inline uint64_t evcnt_machine_value(const struct evcnt *ev)
{
    return *(const volatile uint64_t *)&ev->ev_count + *(const volatile uint64_t *)&ev->ev_cell0;
}

static inline uint64_t evcnt_machine_share(const struct evcnt *ev, unsigned cpu)
{
    return cpu == 0 ? *(const volatile uint64_t *)&ev->ev_cell0 : 0;
}

static inline void evcnt_machine_clear(struct evcnt *ev)
{
    ev->ev_cell0 = 0;
}

static inline void evcnt_machine_attach(struct evcnt *ev)
{
    (void)ev;
}

static inline bool evcnt_machine_stop(struct evcnt *ev)
{
    (void)ev;
    return false;
}

static inline void evcnt_machine_settle(void)
{
}

static inline void evcnt_machine_detach(struct evcnt *ev)
{
    (void)ev;
}
