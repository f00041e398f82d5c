/* SPDX-License-Identifier: BSD-2-Clause */
/* The I/O APIC. Registers are reached through a select and a window (82093AA, 3.1). */
#include "drivers/ioapic.h"
#include <arch/io.h>
#include "lib/format.h"

#define SELECT      0x00
#define WINDOW      0x10
#define VERSION     1
#define REDIRECT    0x10 /* + 2 * pin: low word; + 1: high word, destination APIC */
#define MASKED      0x10000u
#define LEVEL_LOW   0xa000u
#define VERSION_MIN 0x10 /* 82093AA 0x11, later ones 0x20 */

static volatile uint8_t *window;
static unsigned pins, base;
static struct interrupt_line lines[IOAPIC_PINS];
static struct interrupt_chip ioapic_chip;

static uint32_t get(unsigned reg)
{
    mmio_write32(window + SELECT, reg);
    return mmio_read32(window + WINDOW);
}

static void set(unsigned reg, uint32_t value)
{
    mmio_write32(window + SELECT, reg);
    mmio_write32(window + WINDOW, value);
}

static void route(struct interrupt_line *line, uint32_t masked)
{
    set(REDIRECT + 2u * line->pin, (base + line->pin) | (line->level ? LEVEL_LOW : 0) | masked);
}

static void mask(struct interrupt_line *line)
{
    route(line, MASKED);
}

static void unmask(struct interrupt_line *line)
{
    route(line, 0);
}

unsigned ioapic_boot(volatile void *registers, unsigned vector_base,
                     void (*acknowledge)(struct interrupt_line *))
{
    uint32_t version;

    window = registers;
    base = vector_base;
    ioapic_chip = (struct interrupt_chip){"ioapic0", false, acknowledge, mask, unmask, NULL};
    version = get(VERSION);
    if ((version & 0xff) < VERSION_MIN || (version & 0xff) == 0xff)
        return 0;
    pins = (version >> 16 & 0xff) + 1;
    if (pins > IOAPIC_PINS)
        pins = IOAPIC_PINS;
    for (unsigned pin = 0; pin < pins; pin++)
        set(REDIRECT + 2 * pin, MASKED);
    return pins;
}

struct interrupt_line *ioapic_line(unsigned pin, bool level)
{
    struct interrupt_line *line = &lines[pin];

    if (!line->attached) {
        format(line->name, sizeof line->name, "pin %u", pin);
        interrupt_line_attach(line, &ioapic_chip, pin, level, "ioapic0", NULL);
    }
    return line;
}
