/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The interrupt switch of MIPS: Status.IE (bit 0; MIPS R10000 User's Manual 14.12), changed by read
 * and write because an R10000 has no di and ei. The state is the whole Status, whose other bits do
 * not change once interrupts are on, so restoring is one write; bits 31-16 are 0 (the kernel has
 * CP1 for moments only, with interrupts off), so what turns them off fits an instruction. The
 * R10000 resolves the hazard of a Status write itself; a CPU that does not would need ehb.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <machine/cpu.h>
#include <machine/register.h>

static inline uintptr_t interrupts_save(void)
{
    intptr_t status;

    __asm__ volatile("mfc0 %0, $12" : "=r"(status));
    __asm__ volatile("mtc0 %0, $12" : : "r"(status & 0xfffe) : "memory");
    return (uintptr_t)status;
}

static inline void interrupts_restore(uintptr_t state)
{
    __asm__ volatile("mtc0 %0, $12" : : "r"(state) : "memory");
}

static inline bool interrupts_were_enabled(uintptr_t state)
{
    return (state & STATUS_IE) != 0;
}

static inline void interrupts_enable(void)
{
    CP0_WRITE32(12, CP0_READ32(12) | STATUS_IE);
}

static inline void interrupts_disable(void)
{
    (void)interrupts_save();
}

static inline bool interrupts_enabled(void)
{
    return (CP0_READ32(12) & STATUS_IE) != 0;
}
