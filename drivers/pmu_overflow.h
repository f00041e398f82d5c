/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Overflows of qpmu's counters. Each is a record in its CPU's ring (kernel/pmc/pmu_slot.h); qpmu
 * also sends a byte to the serial port that nobody else uses (COM2 on the PC, the CBUS UART on
 * Malta), which interrupts. The byte says nothing; the ring does. Counters: those of the port's
 * line, `pmu intr`, and `pmu` / "overflows" and "dropped" (those that found the ring full).
 */
#pragma once

#include "drivers/uart16550_chip.h"
#include "stats/pmc/pmu_class.h"

/* Start-up or later, by the board: the port, and its line. */
struct interrupt_line;
struct pmu_port {
    struct uart16550_chip chip;
    struct interrupt_line *(*line)(void);
};
void pmu_overflow_set_port(const struct pmu_port *port);

/* Thread context, before anything is counted, once pmu_slot_start was true: the counters in the
 * slots are CLASS's, and interrupt if qpmu does; else only the class's poll finds what has
 * overflowed. */
void pmu_overflow_attach(const struct pmu_class *class);
/* Reports this CPU's overflows to pmc_overflow: the class's poll. Interrupts off. */
void pmu_overflow_poll(void);
