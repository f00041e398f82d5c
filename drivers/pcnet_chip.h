/* SPDX-License-Identifier: BSD-2-Clause */
/* The PCnet's registers, and what it reads in memory (Am79C970A data sheet, 19436), for pcnet.c. */
#pragma once

#include <stdint.h>
#include "net/buffer.h"

/* Ports, by offset. */
#define RDP     0x10
#define RAP     0x12
#define RESET   0x14
#define BDP     0x16
#define RESET32 0x18

#define CSR0_INIT 0x0001
#define CSR0_STRT 0x0002
#define CSR0_STOP 0x0004
#define CSR0_TDMD 0x0008
#define CSR0_IENA 0x0040
#define CSR0_INTR 0x0080
#define CSR0_IDON 0x0100
#define CSR0_TINT 0x0200
#define CSR0_RINT 0x0400
#define CSR0_MERR 0x0800
#define CSR0_MISS 0x1000
#define CSR0_CERR 0x2000
#define CSR0_BABL 0x4000
#define CSR0_ACK  0x7f00 /* each is cleared by a 1 */

#define CSR3           3
#define CSR3_IDONM     0x0100 /* no interrupt for the end of initialization: it is polled */
#define CSR4           4
#define CSR4_VALUE     0x0915 /* pad short frames; the chip's own interrupts masked */
#define CSR_MISSED     112    /* missed frames, 16 bits */
#define BCR_STYLE      20
#define STYLE_32       2
#define INIT_TURNS     100000
#define MODE_NORMAL    0
#define ONES           0xf000u
#define STATUS_OWN     0x80000000u
#define STATUS_ERR     0x40000000u
#define RECEIVE_STP    0x02000000u
#define RECEIVE_ENP    0x01000000u
#define TRANSMIT_MORE  0x10000000u /* more than one retry */
#define TRANSMIT_ONE   0x08000000u
#define TRANSMIT_WHOLE 0x03000000u /* start and end of a frame */
#define LENGTH_MASK    0xfffu
#define RETRIES_MASK   0xfu

struct descriptor {
    uint32_t address, status, length, unused;
};

struct init_block {
    uint16_t mode;
    uint8_t receive_length, transmit_length; /* logarithms in the upper halves */
    uint8_t mac[ETHERNET_ADDRESS];
    uint16_t unused;
    uint8_t multicast[8];
    uint32_t receive_ring, transmit_ring;
};

_Static_assert(sizeof(struct init_block) == 28, "as the chip reads it");
