/* SPDX-License-Identifier: BSD-2-Clause */
/* The local APIC. */
#include "drivers/lapic.h"
#include <arch/io.h>

#define REG_EOI         0x0b0
#define REG_SPURIOUS    0x0f0
#define REG_LVT_TIMER   0x320
#define REG_LVT_LINT0   0x350
#define REG_TIMER_FIRST 0x380
#define REG_TIMER_NOW   0x390
#define REG_DIVIDE      0x3e0
#define ENABLE          0x100
#define MASKED          0x10000
#define DIVIDE_BY_1     0xb

static volatile uint8_t *regs;
static uint64_t counts_per_cycle; /* 32.32 fixed point, below 1 << 32 */

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
    mmio_write32(regs + REG_LVT_LINT0, MASKED);
    mmio_write32(regs + REG_SPURIOUS, ENABLE | spurious);
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
    uint64_t cycles = deadline - now; /* a tick at most */

    mmio_write32(regs + REG_TIMER_FIRST, (uint32_t)(cycles * counts_per_cycle >> 32) + 1);
    return 1;
}

void lapic_timer_start(uint64_t frequency, uint64_t cycles_per_second, unsigned vector)
{
    counts_per_cycle =
        frequency < cycles_per_second ? (frequency << 32) / cycles_per_second : UINT32_MAX;
    mmio_write32(regs + REG_LVT_TIMER, vector); /* one-shot */
}
