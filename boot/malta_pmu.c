/* SPDX-License-Identifier: BSD-2-Clause */
/* The Malta board's performance counters: the R10000's, which interrupt on the timer's pin, or
 * qpmu's, which do so by the CBUS UART. */
#include <arch/memory.h>
#include "arch/mips/vector.h"
#include "boot/board_part.h"
#include "boot/machine_malta.h"
#include "drivers/pmu_overflow.h"
#include "drivers/pmu_r10k.h"
#include "drivers/uart16550_registers.h"
#include "kernel/interrupt/interrupt.h"

#define CBUS_UART 0x1f000900ul /* on CPU pin 4; registers 8 bytes apart */

static struct interrupt_line *malta_uart_line(void);

static const struct pmu_port port = {
    .chip = {.registers = (volatile uint8_t *)(KSEG1_BASE + CBUS_UART), .step = 8},
    .line = malta_uart_line,
};

/* The pin is up until the bytes are taken. The CPU cannot mask it (Status.IM would come back with
 * the interrupted Status), but the UART holds it down. */
static void malta_mask_uart(struct interrupt_line *line)
{
    (void)line;
    uart16550_set(&port.chip, IER, 0);
}

static void malta_unmask_uart(struct interrupt_line *line)
{
    (void)line;
    uart16550_set(&port.chip, IER, IER_RX);
}

/* The CPU's pin 4. Once. */
static struct interrupt_line *malta_uart_line(void)
{
    static const struct interrupt_chip chip = {
        .name = "cpu0", .mask = malta_mask_uart, .unmask = malta_unmask_uart};
    static struct interrupt_line line = {.name = "int 4"};

    interrupt_line_attach(&line, &chip, 4, true, "cpu0", NULL);
    cpu_set_pin4(&line);
    return &line;
}

static void malta_pmu_join(void)
{
    pmu_overflow_set_port(&port);
    pmu_r10k_set_line(malta_timer_line);
    pmu_r10k_boot();
}

BOARD_PART(pmu, .devices = malta_pmu_join);
