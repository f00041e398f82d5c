/* SPDX-License-Identifier: BSD-2-Clause */
/* The Malta board's second serial line that programs use: an ISA card at the fourth port's usual
 * place. */
#include "boot/board_part.h"
#include "boot/machine_malta.h"
#include "drivers/uart16550_stream.h"

#define COM3_PORT 0x2e8
#define IRQ_COM3  5

static struct interrupt_line *malta_stream_line(void)
{
    return malta_isa_line(IRQ_COM3);
}

static struct uart16550_stream com3 = {
    .name = "com3", .chip = {.port = COM3_PORT}, .line = malta_stream_line};

static void malta_stream_join(void)
{
    uart16550_stream_attach(&com3);
}

BOARD_PART(stream, .devices = malta_stream_join);
