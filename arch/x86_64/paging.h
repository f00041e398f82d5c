/* SPDX-License-Identifier: BSD-2-Clause */
/* What the start of another CPU needs of the page tables. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct page_owner;

/* The topmost table gets its words for CPU's copy of the kernel's data and its counters' cells, and
 * has them for ever: false if out of memory. Before the first address space is made. */
bool paging_open_cpu(unsigned cpu);
/* Gives CPU its copy of the kernel's data, CPU * CPU_STRIDE below, zeroed but for its stacks: 0, or
 * -ENOMEM. Thread 0. */
int paging_map_shadow(unsigned cpu);
/* A zeroed page of OWNER's at ADDRESS of the kernel's: 0, -ENOMEM, -EEXIST. Any context that
 * may take spinlocks. */
int paging_map_zeroed(struct page_owner *owner, uintptr_t address);
/* The physical address of tables that are those of the kernel, with the first GiB also seen at 0;
 * below 4 GiB. Made anew by each call; a mapping that needs a new word of the topmost table is not
 * in them. */
uint64_t paging_start_tables(void);
/* This CPU uses the kernel's tables from now on. */
void paging_use_kernel_tables(void);
