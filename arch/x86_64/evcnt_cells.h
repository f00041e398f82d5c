/* SPDX-License-Identifier: BSD-2-Clause */
/* What the start of CPUs and the exceptions have to do with the cells of event counters. */
#pragma once

#include <stdbool.h>

/*
 * Where CPU 0's cells lie of counters outside of what each CPU has a copy of: in the topmost word
 * of the image, so that a CPU's cells, CPU_STRIDE below the last one's, are in that of its copy of
 * the kernel's data. The links of free ones lie elsewhere.
 */
#define EVCNT_CELLS_BASE 0xffffff8000000000ul
#define EVCNT_CELLS_SIZE 0x4000000000ul
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
