/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * NS16550A serial port (National Semiconductor PC16550D data sheet): 115200 8N1, FIFOs, interrupts
 * both ways. Counters: NAME / "rx bytes", "tx bytes", "rx errors" (overrun, parity, framing,
 * break), "rx dropped" (overruns alone: the chip has lost at least one byte).
 *
 * Nothing that the chip has is lost. While the console has no room for it, the receive interrupt is
 * off and bytes stay in the chip. A sender that heeds the line, as an emulator does, then waits.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "drivers/uart16550_chip.h"
#include "kernel/console/console.h"
#include "kernel/interrupt/interrupt.h"
#include "kernel/interrupt/softint.h"

struct uart16550 {
    struct console_device console; /* first */
    const char *name;
    struct uart16550_chip chip;
    bool transmitting;      /* the transmit interrupt is on; this and the rest: console's lock */
    bool stopped;           /* the receive interrupt is off, for want of room */
    unsigned transmit_room; /* bytes that the transmit FIFO takes for certain */
    struct interrupt_handler handler;
    struct softint received; /* tells the console at IPL_SOFTSERIAL */
    struct evcnt rx_bytes, tx_bytes, rx_errors, rx_dropped;
};

/* Programs the chip at PORT; polled output works from here on. No counters yet. */
void uart16550_boot(struct uart16550 *uart, const char *name, uint16_t port);
/* Attaches counters and the handler to LINE; interrupts both ways from here on. */
void uart16550_attach(struct uart16550 *uart, struct interrupt_line *line);
