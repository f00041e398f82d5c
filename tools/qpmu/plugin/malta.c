/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A pin of QEMU's MIPS CPUs: number 7, which the timer has, too, as on the R10000 and most others.
 * By QEMU's plugin interface alone no pin can be reached, but devices on them: the UART on Malta's
 * CBUS alone is wired to pin 4, and asks for service as long as its transmitter, which is always
 * ready, may interrupt. The price is that serial port. Either is the first CPU's.
 */
#include "tools/qpmu/plugin/malta.h"

#include "tools/qpmu/plugin/reset.h"

#include <stdio.h>

#define TIMER_PIN   7u
#define UART_PIN    4u
#define UART_ENABLE 0x1f000908u /* its IER; registers are 8 bytes apart */
#define TRANSMITTER 2u

static unsigned pin;

/* An R10000 has no register that would say where its counters interrupt. */
void malta_begin(unsigned wanted)
{
    pin = wanted ? wanted : TIMER_PIN;
    if (pin != TIMER_PIN || emu_pin_join(TIMER_PIN))
        return;
    pin = UART_PIN;
    if (wanted || kind_of_machine != QPMU_R2)
        fprintf(stderr, "qpmu: pin=7: this QEMU does not show its CPU's pins; overflows come at "
                        "pin 4\n");
}

unsigned malta_pin(void)
{
    return pin;
}

bool malta_line(struct vcpu *cpu)
{
    bool up = qpmu_cpu_pending(&cpu->pmu) != 0;

    if (up == cpu->direct.line || cpu->index != 0)
        return false;
    cpu->direct.line = up;
    if (pin == TIMER_PIN)
        emu_pin(up);
    else
        emu_physical_write(cpu->index, UART_ENABLE, up ? TRANSMITTER : 0, 1);
    return up;
}

void malta_reset(const struct vcpu *cpu)
{
    if (cpu->index == 0 && pin == TIMER_PIN)
        emu_pin_reset();
}
