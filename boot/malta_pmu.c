/* SPDX-License-Identifier: BSD-2-Clause */
/* The Malta board's performance counters: the R10000's, which interrupt on the timer's pin, or
 * qpmu's, which do so by the CBUS UART. */
#include <arch/memory.h>
#include "boot/board_part.h"
#include "boot/machine_malta.h"
#include "drivers/pmu_overflow.h"
#include "drivers/pmu_r10k.h"

#define CBUS_UART 0x1f000900ul /* on CPU pin 4; registers 8 bytes apart */

static void malta_pmu_join(void)
{
    static const struct pmu_port port = {
        .chip = {.registers = (volatile uint8_t *)(KSEG1_BASE + CBUS_UART), .step = 8},
        .line = malta_pin4_line,
    };

    pmu_overflow_set_port(&port);
    pmu_r10k_set_line(malta_timer_line);
    pmu_r10k_boot();
}

BOARD_PART(pmu, .devices = malta_pmu_join);
