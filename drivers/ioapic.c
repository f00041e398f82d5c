/* SPDX-License-Identifier: BSD-2-Clause */
/* The I/O APIC. Registers are reached through a select and a window (82093AA, 3.1). */
#include "drivers/ioapic.h"
#include <arch/io.h>
#include "kernel/lock/spinlock.h"
#include "lib/format.h"
#include "lib/section.h"

#define SELECT      0x00
#define WINDOW      0x10
#define VERSION     1
#define REDIRECT    0x10 /* + 2 * pin: low word; + 1: high word, destination APIC */
#define MASKED      0x10000u
#define LEVEL       0x8000u
#define ACTIVE_LOW  0x2000u
#define VERSION_MIN 0x10 /* 82093AA 0x11, later ones 0x20 */

static volatile uint8_t *window;
static unsigned pins, base;
static uint32_t (*apic_number)(unsigned cpu);
static SHARED_BSS struct interrupt_line lines[IOAPIC_PINS];
static uint32_t active_low_pins; /* bit N: pin N */
static uint32_t unmasked_pins;   /* under the lock, as all after the start */
static struct interrupt_chip ioapic_chip;
static struct spinlock chip_lock = SPINLOCK_INITIALIZER("ioapic0");

static uint32_t ioapic_get(unsigned reg)
{
    mmio_write32(window + SELECT, reg);
    return mmio_read32(window + WINDOW);
}

static void ioapic_set(unsigned reg, uint32_t value)
{
    mmio_write32(window + SELECT, reg);
    mmio_write32(window + WINDOW, value);
}

static void ioapic_set_low_word(const struct interrupt_line *line)
{
    uint32_t pin = line->pin;

    ioapic_set(REDIRECT + 2 * pin, (base + pin) | (line->level ? LEVEL : 0) |
                                       (active_low_pins >> pin & 1 ? ACTIVE_LOW : 0) |
                                       (unmasked_pins >> pin & 1 ? 0 : MASKED));
}

static void ioapic_set_mask(struct interrupt_line *line, bool masked)
{
    uintptr_t state = spinlock_acquire(&chip_lock);

    if (masked)
        unmasked_pins &= ~(1u << line->pin);
    else
        unmasked_pins |= 1u << line->pin;
    ioapic_set_low_word(line);
    spinlock_release(&chip_lock, state);
}

static void ioapic_mask(struct interrupt_line *line)
{
    ioapic_set_mask(line, true);
}

static void ioapic_unmask(struct interrupt_line *line)
{
    ioapic_set_mask(line, false);
}

/*
 * The destination is in the entry's upper half. A level-triggered pin is masked while it changes.
 * An edge that came while its pin is masked would be lost (82093AA, 3.2.4, bit 16), so such a pin
 * stays as it is: the write changes nothing but the destination, and either one is right.
 */
static void ioapic_route(struct interrupt_line *line, unsigned cpu)
{
    uintptr_t state = spinlock_acquire(&chip_lock);

    if (line->level)
        ioapic_set(REDIRECT + 2u * line->pin, ioapic_get(REDIRECT + 2u * line->pin) | MASKED);
    ioapic_set(REDIRECT + 2u * line->pin + 1, apic_number(cpu) << 24);
    if (line->level)
        ioapic_set_low_word(line);
    spinlock_release(&chip_lock, state);
}

unsigned ioapic_boot(volatile void *registers, unsigned vector_base,
                     void (*acknowledge)(struct interrupt_line *), uint32_t (*apic_of)(unsigned))
{
    uint32_t version;

    window = registers;
    base = vector_base;
    apic_number = apic_of;
    ioapic_chip = (struct interrupt_chip){"ioapic0",   false,         acknowledge,
                                          ioapic_mask, ioapic_unmask, ioapic_route};
    version = ioapic_get(VERSION);
    if ((version & 0xff) < VERSION_MIN || (version & 0xff) == 0xff)
        return 0;
    pins = (version >> 16 & 0xff) + 1;
    if (pins > IOAPIC_PINS)
        pins = IOAPIC_PINS;
    for (unsigned pin = 0; pin < pins; pin++) {
        ioapic_set(REDIRECT + 2 * pin, MASKED);
        ioapic_set(REDIRECT + 2 * pin + 1, apic_of(0) << 24);
    }
    return pins;
}

struct interrupt_line *ioapic_line(unsigned pin, bool level, bool active_low)
{
    struct interrupt_line *line = &lines[pin];

    if (!line->attached) {
        if (active_low)
            active_low_pins |= 1u << pin;
        format(line->name, sizeof line->name, "pin %u", pin);
        interrupt_line_attach(line, &ioapic_chip, pin, level, "ioapic0", NULL);
    }
    return line;
}
