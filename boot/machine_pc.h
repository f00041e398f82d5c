/* SPDX-License-Identifier: BSD-2-Clause */
/* The PC's interrupt lines, for the files that add devices to it. */
#pragma once

#include <stdbool.h>

struct interrupt_line;

/* LAPIC and I/O APIC, not the two i8259. After machine_interrupts. */
bool pc_uses_apic(void);
/* The line of an ISA interrupt, edge-triggered, whichever controller serves it. */
struct interrupt_line *pc_isa_line(unsigned irq);
/* The same for PCI devices that share it, level-triggered; NULL if IRQ is none. */
struct interrupt_line *pc_level_line(unsigned irq);
