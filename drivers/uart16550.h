/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * NS16550A serial port (National Semiconductor PC16550D data sheet): 115200 8N1, FIFOs, interrupts
 * both ways. Counters: NAME / "rx bytes", "tx bytes", "rx errors" (overrun, parity, framing,
 * break).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "kernel/console.h"
#include "kernel/interrupt.h"
#include "kernel/softint.h"

#define UART_RX_RING                                                                               \
    8192u /* power of two; a sender as fast as the CPU can fill it before the softint runs */

struct uart16550 {
    struct console_device console; /* first */
    const char *name;
    uint16_t port;
    bool transmitting; /* the transmit interrupt is on; interrupts off */
    struct interrupt_handler handler;
    struct softint received; /* hands rx to the console at IPL_SOFTSERIAL */
    struct evcnt rx_bytes, tx_bytes, rx_errors, rx_dropped;
    uint32_t rx_head, rx_tail;
    char rx[UART_RX_RING];
};

/* Programs the chip at PORT; polled output works from here on. No counters yet. */
void uart16550_boot(struct uart16550 *uart, const char *name, uint16_t port);
/* Attaches counters and the handler to LINE; interrupts both ways from here on. */
void uart16550_attach(struct uart16550 *uart, struct interrupt_line *line);
