/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Small objects: size classes 32..1024 bytes in pages of one class, larger ones as whole pages.
 * Memory is aligned to 16 bytes and not cleared unless asked for. Any context.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

void *kmem_alloc(size_t size); /* NULL if there is no memory */
void *kmem_zalloc(size_t size);
void kmem_free(void *object); /* NULL is ignored; a pointer not from here panics */

struct kmem_class_stats {
    size_t size;          /* bytes per object; 0 = larger than any class, in whole pages */
    uint64_t in_use;      /* objects handed out */
    uint64_t pages;       /* pages held */
    uint64_t allocations; /* ever */
    uint64_t frees;
    uint64_t failures;
};

/* Who has small objects: the functions that asked for them, by the address behind their call. Who
 * finds no room among KMEM_CALLERS, near its own, is the first one, whose address is 0. */
#define KMEM_CALLER_BITS 9
#define KMEM_CALLERS     (1u << KMEM_CALLER_BITS)

struct kmem_caller {
    uintptr_t pc;
    uint64_t in_use; /* objects of the size classes */
};

/* Copies up to MAX callers that have or had objects, in no order; returns how many there are. */
size_t kmem_callers_get(struct kmem_caller *out, size_t max);

/* Copies up to MAX classes, smallest first, whole pages last; returns how many there are. */
size_t kmem_stats_get(struct kmem_class_stats *out, size_t max);
