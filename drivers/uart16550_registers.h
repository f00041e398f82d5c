/* SPDX-License-Identifier: BSD-2-Clause */
/* A 16550's registers by offset, and their bits: PC16550D data sheet, section 8. */
#pragma once

#define RBR 0 /* read: received byte; write: THR, byte to send; DLAB: divisor low */
#define IER 1 /* DLAB: divisor high */
#define IIR 2 /* write: FCR */
#define LCR 3
#define MCR 4
#define LSR 5

#define IER_RX   0x01
#define IER_TX   0x02
#define IER_LINE 0x04
#define IIR_NONE 0x01
/* On, both cleared. */
#define FCR_EACH_BYTE 0x07 /* an interrupt for each byte */
#define FCR_8_BYTES   0x87 /* for 8 bytes, or when none has come for four byte times */
#define LCR_8N1       0x03
#define LCR_DLAB      0x80
#define MCR_DTR_RTS   0x0b /* and OUT2, which lets the interrupt through on PCs */
#define LSR_DATA      0x01
#define LSR_ERRORS    0x1e
#define LSR_OVERRUN   0x02
#define LSR_THR_EMPTY 0x20
#define LSR_ALL_EMPTY 0x40
#define FIFO_SIZE     16
