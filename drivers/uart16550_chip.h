/* SPDX-License-Identifier: BSD-2-Clause */
/* A 16550 chip, its registers in I/O space or in memory; the console on one is uart16550.h's. */
#pragma once

#include <arch/io.h>
#include <stdbool.h>
#include <stdint.h>

struct uart16550_chip {
    volatile uint8_t *registers; /* STEP bytes apart; NULL: in I/O space, at PORT */
    unsigned step;
    uint16_t port;
};

static inline uint8_t uart16550_get(const struct uart16550_chip *chip, unsigned reg)
{
    return chip->registers ? chip->registers[reg * chip->step]
                           : io_read8((uint16_t)(chip->port + reg));
}

static inline void uart16550_set(const struct uart16550_chip *chip, unsigned reg, uint8_t value)
{
    if (chip->registers)
        chip->registers[reg * chip->step] = value;
    else
        io_write8((uint16_t)(chip->port + reg), value);
}

/* 115200 8N1, its FIFOs empty and as FCR says, all of its interrupts off. */
void uart16550_chip_boot(const struct uart16550_chip *chip, uint8_t fcr);
/* Throws away all that has been received; true if there was anything. */
bool uart16550_chip_drain(const struct uart16550_chip *chip);
