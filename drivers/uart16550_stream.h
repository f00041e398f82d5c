/* SPDX-License-Identifier: BSD-2-Clause */
/* A 16550 as the board's second line (kernel/console/stream.h). Receives by interrupts, writes by
 * asking. */
#pragma once

#include "drivers/uart16550_chip.h"
#include "kernel/console/stream.h"
#include "kernel/interrupt/interrupt.h"

struct uart16550_stream {
    struct stream stream; /* first */
    const char *name;
    struct uart16550_chip chip;
    struct interrupt_line *(*line)(void); /* asked when it is started */
    struct interrupt_handler handler;
    struct spinlock put_lock;
};

/* UART, whose NAME, chip.port and line are set, becomes the second line. */
void uart16550_stream_attach(struct uart16550_stream *uart);
