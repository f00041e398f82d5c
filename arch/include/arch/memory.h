/* SPDX-License-Identifier: BSD-2-Clause */
/* The machine contract: physical and kernel addresses, device registers. Page tables:
 * <arch/aspace.h>. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The kernel's address of physical memory (RAM), and back. */
static inline void *memory_pointer(uint64_t physical);
static inline uint64_t memory_physical(const void *pointer);

/* An uncached mapping of device registers; NULL if out of memory. Thread context. */
volatile void *memory_map_device(uint64_t physical, size_t size);

#define MEMORY_PAGE 4096u

#include <machine/memory.h>
