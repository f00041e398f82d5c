/* SPDX-License-Identifier: BSD-2-Clause */
/* The local APIC. */
#include "drivers/lapic.h"
#include <arch/interrupt_flag.h>
#include <arch/io.h>

#define REG_ID          0x020
#define REG_EOI         0x0b0
#define REG_SPURIOUS    0x0f0
#define REG_COMMAND     0x300 /* interrupt command, and its upper half: 11.6.1 */
#define REG_TARGET      0x310
#define REG_LVT_TIMER   0x320
#define REG_LVT_PMI     0x340
#define REG_LVT_LINT0   0x350
#define REG_TIMER_FIRST 0x380
#define REG_TIMER_NOW   0x390
#define REG_DIVIDE      0x3e0
#define ENABLE          0x100
#define MASKED          0x10000
#define DIVIDE_BY_1     0xb
#define DELIVER_NMI     0x00400
#define DELIVER_INIT    0x00500
#define DELIVER_STARTUP 0x00600
#define PENDING         0x01000
#define ASSERTED        0x04000

static volatile uint8_t *regs;
static uint64_t counts_per_cycle; /* 32.32 fixed point, below 1 << 32 */
static unsigned spurious_vector, timer_vector;

void lapic_acknowledge(struct interrupt_line *line)
{
    (void)line;
    mmio_write32(regs + REG_EOI, 0);
}

const struct interrupt_chip lapic_chip = {"lapic0", false, lapic_acknowledge, NULL, NULL, NULL};
const struct interrupt_chip lapic_spurious_chip = {"lapic0", false, NULL, NULL, NULL, NULL};

void lapic_boot(volatile void *registers, unsigned spurious)
{
    regs = registers;
    spurious_vector = spurious;
    lapic_enable();
}

void lapic_enable(void)
{
    mmio_write32(regs + REG_LVT_LINT0, MASKED);
    mmio_write32(regs + REG_SPURIOUS, ENABLE | spurious_vector);
}

uint32_t lapic_id(void)
{
    return mmio_read32(regs + REG_ID) >> 24;
}

/* Two registers make one command, and a handler may send too. An NMI may come between all the same:
 * who is stopped by it sends nothing any more. */
static void lapic_command(uint32_t apic, uint32_t what)
{
    uintptr_t state = interrupts_save();

    while (mmio_read32(regs + REG_COMMAND) & PENDING)
        ;
    mmio_write32(regs + REG_TARGET, apic << 24);
    mmio_write32(regs + REG_COMMAND, what);
    interrupts_restore(state);
}

void lapic_send(uint32_t apic, unsigned vector)
{
    lapic_command(apic, ASSERTED | vector);
}

void lapic_send_nmi(uint32_t apic)
{
    lapic_command(apic, ASSERTED | DELIVER_NMI);
}

void lapic_send_init(uint32_t apic)
{
    lapic_command(apic, ASSERTED | DELIVER_INIT);
}

void lapic_send_startup(uint32_t apic, unsigned page)
{
    lapic_command(apic, ASSERTED | DELIVER_STARTUP | page);
}

void lapic_timer_free_run(void)
{
    mmio_write32(regs + REG_LVT_TIMER, MASKED);
    mmio_write32(regs + REG_DIVIDE, DIVIDE_BY_1);
    mmio_write32(regs + REG_TIMER_FIRST, UINT32_MAX);
}

uint32_t lapic_timer_count(void)
{
    return mmio_read32(regs + REG_TIMER_NOW);
}

int lapic_timer_arm(uint64_t now, uint64_t deadline)
{
    uint64_t cycles = deadline - now; /* a second at most: no overflow below */

    mmio_write32(regs + REG_TIMER_FIRST, (uint32_t)(cycles * counts_per_cycle >> 32) + 1);
    return 1;
}

void lapic_timer_start(uint64_t frequency, uint64_t cycles_per_second, unsigned vector)
{
    counts_per_cycle =
        frequency < cycles_per_second ? (frequency << 32) / cycles_per_second : UINT32_MAX;
    timer_vector = vector;
    mmio_write32(regs + REG_LVT_TIMER, vector); /* one-shot */
}

void lapic_timer_start_here(void)
{
    mmio_write32(regs + REG_DIVIDE, DIVIDE_BY_1);
    mmio_write32(regs + REG_LVT_TIMER, timer_vector);
}

void lapic_pmi_arm(unsigned vector)
{
    mmio_write32(regs + REG_LVT_PMI, vector);
}
