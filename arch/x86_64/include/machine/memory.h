/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * x86_64 address space: all RAM at 0xffff800000000000, the kernel image in the last 2 GiB, mapped
 * kernel memory (stacks, device registers) at 0xffffc00000000000.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DIRECT_BASE 0xffff800000000000ul
#define KERNEL_BASE 0xffffffff80000000ul
/* User addresses are below; the last page before the hole stays empty: a syscall there would
 * return to an address that is none. */

static inline void *memory_pointer(uint64_t physical)
{
    return (void *)(DIRECT_BASE + physical);
}

static inline uint64_t memory_physical(const void *pointer)
{
    uintptr_t address = (uintptr_t)pointer;

    return address >= KERNEL_BASE ? address - KERNEL_BASE : address - DIRECT_BASE;
}

/* Boot, in this order: RAM above 4 GiB becomes reachable; the identity mapping goes, the image gets
 * its rights. */
int paging_add_ram(uint64_t start, uint64_t end);
void paging_protect(void);
