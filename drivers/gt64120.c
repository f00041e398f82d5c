/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The GT-64120 (Galileo data sheet, 6.6: PCI 0 configuration address 0xcf8 and data 0xcfc). Its
 * registers are little-endian; data of other devices on the bus arrive with their bytes swapped
 * once more (PCI command register 0xc00, MByteSwap clear as the firmware leaves it), that is in the
 * CPU's order.
 */
#include "drivers/gt64120.h"
#include <arch/interrupt_flag.h>
#include <arch/io.h>
#include <stdbool.h>

#define ADDRESS 0xcf8
#define DATA    0xcfc
#define DEVICES                                                                                    \
    0xfffff800u /* bus and device of an address without its enable bit; 0 is the bridge itself */

#define GALILEO 0x11abu

static volatile uint8_t *regs;
static bool swaps_own; /* the bridge's own data arrive swapped: not in GXemul */

static uint32_t gt64120_swap(uint32_t address, uint32_t value)
{
    bool own = (address & DEVICES & ~(1u << 31)) == 0;

    return own && swaps_own ? __builtin_bswap32(value) : value;
}

static uint32_t gt64120_get(uint32_t address)
{
    uintptr_t state = interrupts_save();
    uint32_t value;

    mmio_write32(regs + ADDRESS, __builtin_bswap32(address));
    value = gt64120_swap(address, mmio_read32(regs + DATA));
    interrupts_restore(state);
    return value;
}

static void gt64120_set(uint32_t address, uint32_t value)
{
    uintptr_t state = interrupts_save();

    mmio_write32(regs + ADDRESS, __builtin_bswap32(address));
    mmio_write32(regs + DATA, gt64120_swap(address, value));
    interrupts_restore(state);
}

void gt64120_boot(volatile void *registers)
{
    regs = registers;
    swaps_own = (gt64120_get(1u << 31) & 0xffff) != GALILEO;
}

/* What QEMU's and YAMON's start code makes of the decoders (MIPS Malta User's Manual, memory map);
 * ports below 0x2000 belong to the PIIX4. */
const struct pci_bridge gt64120_bridge = {
    gt64120_get, gt64120_set, {0x10000000, 0x17e00000}, {0x2000, 0x8000}};
