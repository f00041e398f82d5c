/* SPDX-License-Identifier: BSD-2-Clause */
/* The PC's second serial line that programs use: an ISA card at the fourth port's usual place. */
#include "boot/board_part.h"
#include "boot/machine_pc.h"
#include "drivers/uart16550_stream.h"
#include "lib/section.h"

#define COM3_PORT 0x2e8
#define IRQ_COM3  5

static struct interrupt_line *pc_stream_line(void)
{
    return pc_isa_line(IRQ_COM3);
}

static struct uart16550_stream com3 SHARED_BSS;

static void pc_stream_join(void)
{
    com3.name = "com3";
    com3.chip.port = COM3_PORT;
    com3.line = pc_stream_line;
    uart16550_stream_attach(&com3);
}

BOARD_PART(stream, .devices = pc_stream_join);
