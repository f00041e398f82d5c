/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The pins of QEMU's MIPS CPUs are not reachable from a plugin, but devices on them are. The UART
 * on Malta's CBUS alone is wired to pin 4, and asks for service as long as its transmitter, which
 * is always ready, may interrupt. The price is that serial port; and there is one for all CPUs,
 * wired to the first.
 */
#include "tools/qpmu/plugin/malta.h"

#define UART_ENABLE 0x1f000908u /* its IER; registers are 8 bytes apart */
#define TRANSMITTER 2u

bool malta_line(struct vcpu *cpu)
{
    bool up = qpmu_cpu_pending(&cpu->pmu) != 0;

    if (up == cpu->direct.line || cpu->index != 0)
        return false;
    cpu->direct.line = up;
    emu_physical_write(cpu->index, UART_ENABLE, up ? TRANSMITTER : 0, 1);
    return up;
}
