/* SPDX-License-Identifier: BSD-2-Clause */
/* What the start of another CPU needs of the page tables. */
#pragma once

#include <stdint.h>

/* Gives CPU its zeroed copy of the kernel's data, CPU * CPU_STRIDE below: 0, or -ENOMEM. Thread 0.
 */
int paging_map_shadow(unsigned cpu);
/* The physical address of tables that are those of the kernel, with the first GiB also seen at 0;
 * below 4 GiB. Made anew by each call. */
uint64_t paging_start_tables(void);
/* This CPU uses the kernel's tables from now on. */
void paging_use_kernel_tables(void);
/* Maps a zeroed page at ADDRESS, for cells of event counters: 0, -ENOMEM, -EEXIST. Any context that
 * may take spinlocks. */
int paging_map_cells(uintptr_t address);
/* A page of the lower half for user mode, on every CPU; the second takes it away again. 0, -ENOMEM.
 * Thread context. */
int paging_map_user(uintptr_t address, uint64_t physical);
void paging_unmap_user(uintptr_t address);
