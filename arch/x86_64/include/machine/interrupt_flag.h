/* SPDX-License-Identifier: BSD-2-Clause */
/* The interrupt flag (RFLAGS.IF, bit 9) of x86_64. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RFLAGS_IF 0x200ul

static inline uintptr_t interrupts_save(void)
{
    uintptr_t flags;

    __asm__ volatile("pushfq; popq %0; cli" : "=r"(flags) : : "memory");
    return flags;
}

static inline bool interrupts_were_enabled(uintptr_t state)
{
    return (state & RFLAGS_IF) != 0;
}

static inline void interrupts_restore(uintptr_t state)
{
    if (state & RFLAGS_IF)
        __asm__ volatile("sti" : : : "memory");
}

static inline void interrupts_enable(void)
{
    __asm__ volatile("sti" : : : "memory");
}

static inline void interrupts_disable(void)
{
    __asm__ volatile("cli" : : : "memory");
}

static inline bool interrupts_enabled(void)
{
    uintptr_t flags;

    __asm__ volatile("pushfq; popq %0" : "=r"(flags));
    return (flags & RFLAGS_IF) != 0;
}
