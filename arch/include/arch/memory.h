/* SPDX-License-Identifier: BSD-2-Clause */
/* The machine contract: physical and kernel addresses, device registers, mapped kernel memory. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The kernel's address of physical memory (RAM), and back. */
static inline void *memory_pointer(uint64_t physical);
static inline uint64_t memory_physical(const void *pointer);

/* An uncached mapping of device registers; NULL if out of memory. Thread context. */
volatile void *memory_map_device(uint64_t physical, size_t size);

/* The mapped kernel area: address space of its own, a page table behind it. */
extern const uintptr_t memory_mapped_base;
extern const size_t memory_mapped_size;
/* Maps one page; -ENOMEM, -EEXIST, -EINVAL (outside the area, unaligned). Thread context. */
int memory_map_page(uintptr_t address, uint64_t physical);
/* Unmaps it and returns the physical address it had, or 0. */
uint64_t memory_unmap_page(uintptr_t address);
/* This CPU forgets its translation of ADDRESS, of which the page tables say something else now. */
void memory_forget_page(uintptr_t address);
#define MEMORY_PAGE 4096u

#include <machine/memory.h>
