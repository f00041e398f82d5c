/* SPDX-License-Identifier: BSD-2-Clause */
/* What every user of a 16550 asks of the chip; see uart16550_chip.h. */
#include "drivers/uart16550_chip.h"
#include "drivers/uart16550_registers.h"

void uart16550_chip_boot(const struct uart16550_chip *chip, uint8_t fcr)
{
    uart16550_set(chip, IER, 0);
    uart16550_set(chip, LCR, LCR_DLAB);
    uart16550_set(chip, RBR, 1); /* 115200 = 1.8432 MHz / 16 / 1 */
    uart16550_set(chip, IER, 0);
    uart16550_set(chip, LCR, LCR_8N1);
    uart16550_set(chip, IIR, fcr);
    uart16550_set(chip, MCR, MCR_DTR_RTS);
}

bool uart16550_chip_drain(const struct uart16550_chip *chip)
{
    bool any = false;

    while (uart16550_get(chip, LSR) & LSR_DATA) {
        uart16550_get(chip, RBR);
        any = true;
    }
    return any;
}
