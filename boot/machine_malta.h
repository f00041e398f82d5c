/* SPDX-License-Identifier: BSD-2-Clause */
/* Malta's interrupt lines, for the files that add devices to the board. */
#pragma once

#include <stdbool.h>

struct interrupt_line;

/* The line of an i8259's input for an ISA device. */
struct interrupt_line *malta_isa_line(unsigned irq);
/* The line of an i8259's input for PCI devices that share it, level-triggered. */
struct interrupt_line *malta_level_line(unsigned irq);
/* The timer's, for another that is on its pin: HOLD tells it to leave the pin alone, and when no
 * more, interrupts off. Once. */
struct interrupt_line *malta_timer_line(void (*hold)(bool held));
