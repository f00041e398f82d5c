/* SPDX-License-Identifier: BSD-2-Clause */
/* The allocator's tables, for kmem.c and kmem_laws.c. Under its lock, or at a standstill. */
#pragma once

#include "kernel/memory/kmem.h"
#include "kernel/memory/page.h"

#define KMEM_SMALLEST 5 /* log2 of 32 bytes */
#define KMEM_CLASSES  6 /* 32 .. 1024 */

extern struct kmem_class_stats kmem_classes[KMEM_CLASSES + 1]; /* the last: whole pages */
extern struct kmem_caller kmem_callers[KMEM_CALLERS];
extern struct page_owner *const kmem_page_owner;
