/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How qpmu interrupts: a byte in the serial port that nobody else uses (COM2 on the PC, the CBUS
 * UART on Malta). The byte says nothing; the ring does. Counters: those of the port's line, and
 * `pmu intr`.
 */
#pragma once

/* Start-up or later, by the board: where the port's registers are, STEP bytes apart; its line. */
struct interrupt_line;
struct pmu_port {
    volatile unsigned char *registers; /* NULL: in I/O space, at port */
    unsigned step;
    unsigned short port;
    struct interrupt_line *(*line)(void);
};
void pmu_interrupt_set_port(const struct pmu_port *port);

/* Thread context: each interrupt calls POLL, interrupts off. Nothing if qpmu does not interrupt. */
void pmu_interrupt_attach(void (*poll)(void));
