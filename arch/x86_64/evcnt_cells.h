/* SPDX-License-Identifier: BSD-2-Clause */
/* What the start of CPUs and the exceptions have to do with the cells of event counters. */
#pragma once

#include <stdbool.h>

struct trap_frame;
struct interrupt_frame;

/* CPU has its shadow of the kernel's data from now on, and may count. In order of their numbers. */
void evcnt_cells_add_cpu(unsigned cpu);

/*
 * Whether FRAME (of a page fault or a general protection) is that of an increment whose counter has
 * no cell for this CPU. Then it has been counted, and FRAME continues behind it. Also where
 * vector.S looks for evcnt_restart at an instruction that is not there.
 */
bool evcnt_fault(struct trap_frame *frame);

/* Where FRAME is that of an interrupt between the two instructions of an increment, it returns to
 * the first. Called by vector.S. */
void evcnt_restart(struct interrupt_frame *frame);
