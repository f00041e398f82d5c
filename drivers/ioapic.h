/* SPDX-License-Identifier: BSD-2-Clause */
/* The I/O APIC (Intel 82093AA data sheet): interrupt lines of a PC, each to the LAPIC of one CPU,
 * fixed delivery. */
#pragma once

#include "kernel/interrupt/interrupt.h"

#define IOAPIC_PINS 24

/*
 * REGISTERS: its mapping. VECTOR_BASE + pin is the vector of a pin. ACKNOWLEDGE ends the interrupt
 * at the LAPIC. APIC_OF gives the number of a CPU's LAPIC; lines go to the first CPU. Returns the
 * number of pins, everything masked; 0 if there is no such chip.
 */
unsigned ioapic_boot(volatile void *registers, unsigned vector_base,
                     void (*acknowledge)(struct interrupt_line *), uint32_t (*apic_of)(unsigned));
/* The line of PIN, prepared on first use: edge and active high as ISA, unless LEVEL or
 * ACTIVE_LOW, as PCI. */
struct interrupt_line *ioapic_line(unsigned pin, bool level, bool active_low);
