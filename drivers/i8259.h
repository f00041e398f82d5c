/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The pair of Intel 8259A interrupt controllers at 0x20 and 0xa0, with the second on line 2 of the
 * first. On a PC they interrupt the CPU with a vector each; on Malta, behind the MIPS CPU's one
 * pin, they are asked.
 */
#pragma once

#include "kernel/interrupt/interrupt.h"

#define I8259_LINES 16

/* Programs the pair: line N gives vector BASE + N; everything masked. */
void i8259_boot(unsigned vector_base);
/* The line IRQ, prepared on first use; PARENT is the counter of the CPU pin behind which the pair
 * sits, or NULL. */
struct interrupt_line *i8259_line(unsigned irq, struct evcnt *parent);
/* The same for a line that PCI devices share: level-triggered. */
struct interrupt_line *i8259_level_line(unsigned irq, struct evcnt *parent);
/* For a CPU without vectors: asks the chips which line it is (poll mode), and dispatches it; false
 * if none. */
bool i8259_poll(void);
