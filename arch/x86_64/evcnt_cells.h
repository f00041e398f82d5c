/* SPDX-License-Identifier: BSD-2-Clause */
/* What the start of CPUs and the exceptions have to do with the cells of event counters. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * Where CPU 0's cells lie of counters outside of what each CPU has a copy of: behind the image, to
 * the end of its GiB, so that a CPU's cells, CPU_STRIDE below the last one's, share the page tables
 * of its copy of the kernel's data. The links of free ones lie elsewhere.
 */
extern const char kernel_end[];
#define EVCNT_CELLS_BASE ((uintptr_t)kernel_end)
#define EVCNT_CELLS_END  0xffffffffc0000000ul
#define EVCNT_LINKS_BASE 0xffffe00000000000ul

struct trap_frame;
struct interrupt_frame;

/* CPU has its shadow of the kernel's data from now on, and may count. In order of their numbers. */
void evcnt_cells_add_cpu(unsigned cpu);

/*
 * Whether FRAME (of a page fault or a general protection) is that of an increment whose counter has
 * no cell for this CPU. Then it has been counted, and FRAME continues behind it.
 */
bool evcnt_fault(struct trap_frame *frame);

/* Where FRAME is that of an interrupt between the two instructions of an increment, it returns to
 * the first. Called by vector.S. */
void evcnt_restart(struct interrupt_frame *frame);
