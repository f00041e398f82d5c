/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * MIPS address space: the kernel image in kseg0 (the first 512 MiB, cached), all RAM through xkphys
 * with cacheability 3 (MIPS R10000 User's Manual 16.1: cacheable noncoherent), mapped kernel memory
 * in xkseg behind the TLB.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define XKPHYS_CACHED   0x9800000000000000ul
#define XKPHYS_UNCACHED 0x9000000000000000ul
#define KSEG0_BASE      0xffffffff80000000ul
#define KSEG1_BASE      0xffffffffa0000000ul

static inline void *memory_pointer(uint64_t physical)
{
    return (void *)(XKPHYS_CACHED + physical);
}

static inline uint64_t memory_physical(const void *pointer)
{
    uintptr_t address = (uintptr_t)pointer;

    return address >= KSEG0_BASE ? address & 0x1ffffffful : address & 0x07fffffffffffffful;
}
