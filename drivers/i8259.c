/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The 8259A pair (Intel 8259A data sheet: ICW1-4, OCW1-3). No lock: where it is used there is one
 * CPU (a Malta board, or a PC with apic=off), and everything here is called with its interrupts
 * off.
 */
#include "drivers/i8259.h"
#include <arch/io.h>
#include "lib/format.h"
#include "lib/section.h"

#define MASTER    0x20
#define ELCR      0x4d0 /* PIIX4 data sheet (82371AB), 7.2.2: bit N: line N is level-triggered */
#define SLAVE     0xa0
#define CASCADE   2
#define ICW1      0x11 /* edge, cascaded, ICW4 follows */
#define ICW4      0x01 /* 8086 mode, normal end of interrupt */
#define OCW2_EOI  0x60 /* specific end of interrupt | line */
#define OCW3_ISR  0x0b /* next read: lines in service */
#define OCW3_POLL 0x0c
#define POLL_ANY  0x80

static SHARED_BSS struct interrupt_line lines[I8259_LINES];
static uint16_t masked = 0xffff & ~(1u << CASCADE);

static void i8259_write_masks(void)
{
    io_write8(MASTER + 1, (uint8_t)masked);
    io_write8(SLAVE + 1, (uint8_t)(masked >> 8));
}

static void i8259_mask(struct interrupt_line *line)
{
    masked |= (uint16_t)(1u << line->pin);
    i8259_write_masks();
}

static void i8259_unmask(struct interrupt_line *line)
{
    masked &= (uint16_t)~(1u << line->pin);
    i8259_write_masks();
}

/* The lines in service at CHIP. */
static uint8_t i8259_in_service(uint16_t chip)
{
    io_write8(chip, OCW3_ISR);
    return io_read8(chip);
}

/*
 * Ends the interrupt. A chip whose request went away before it was asked answers with its line 7
 * and has nothing in service: no end for that (only the cascade's); no device will claim it, so it
 * counts as spurious.
 */
static void i8259_acknowledge(struct interrupt_line *line)
{
    unsigned pin = line->pin;
    bool genuine = (pin & 7) != 7 || i8259_in_service(pin == 7 ? MASTER : SLAVE) & 0x80;

    if (pin >= 8) {
        if (genuine)
            io_write8(SLAVE, (uint8_t)(OCW2_EOI | (pin & 7)));
        io_write8(MASTER, OCW2_EOI | CASCADE);
    } else if (genuine) {
        io_write8(MASTER, (uint8_t)(OCW2_EOI | pin));
    }
}

static const struct interrupt_chip i8259_chip = {"i8259",    false,        i8259_acknowledge,
                                                 i8259_mask, i8259_unmask, NULL};

void i8259_boot(unsigned vector_base)
{
    io_write8(MASTER, ICW1);
    io_write8(SLAVE, ICW1);
    io_write8(MASTER + 1, (uint8_t)vector_base);
    io_write8(SLAVE + 1, (uint8_t)(vector_base + 8));
    io_write8(MASTER + 1, 1u << CASCADE);
    io_write8(SLAVE + 1, CASCADE);
    io_write8(MASTER + 1, ICW4);
    io_write8(SLAVE + 1, ICW4);
    i8259_write_masks();
}

static struct interrupt_line *i8259_prepare(unsigned irq, bool level, struct evcnt *parent)
{
    struct interrupt_line *line = &lines[irq];

    if (!line->attached) {
        format(line->name, sizeof line->name, "irq %u", irq);
        interrupt_line_attach(line, &i8259_chip, irq, level, "i8259", parent);
    }
    return line;
}

struct interrupt_line *i8259_line(unsigned irq, struct evcnt *parent)
{
    return i8259_prepare(irq, false, parent);
}

struct interrupt_line *i8259_level_line(unsigned irq, struct evcnt *parent)
{
    uint16_t port = (uint16_t)(ELCR + irq / 8);

    io_write8(port, (uint8_t)(io_read8(port) | 1u << irq % 8));
    return i8259_prepare(irq, true, parent);
}

/* One chip's answer to a poll: the line that it takes into service, or -1. */
static int i8259_poll_chip(uint16_t chip)
{
    uint8_t answer;

    io_write8(chip, OCW3_POLL);
    answer = io_read8(chip);
    return answer & POLL_ANY ? answer & 7 : -1;
}

bool i8259_poll(void)
{
    int irq = i8259_poll_chip(MASTER);

    if (irq == CASCADE) {
        irq = i8259_poll_chip(SLAVE);
        if (irq < 0) {
            io_write8(MASTER, OCW2_EOI | CASCADE);
            return false;
        }
        irq += 8;
    }
    if (irq < 0)
        return false;
    if (!lines[irq].attached)
        return false;
    interrupt_dispatch(&lines[irq]);
    return true;
}
