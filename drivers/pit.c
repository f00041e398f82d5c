/* SPDX-License-Identifier: BSD-2-Clause */
/* The 8254 (Intel 8254 data sheet: control word, mode 0, counter latch). */
#include "drivers/pit.h"
#include <arch/io.h>

#define CHANNEL0 0x40
#define CONTROL  0x43
#define MODE0    0x30 /* channel 0, low byte then high, interrupt on terminal count */
#define MODE2    0x34 /* rate generator */
#define LATCH0   0x00

void pit_arm(uint16_t count)
{
    io_write8(CONTROL, MODE0);
    io_write8(CHANNEL0, (uint8_t)count);
    io_write8(CHANNEL0, (uint8_t)(count >> 8));
}

uint16_t pit_count(void)
{
    uint8_t low;

    io_write8(CONTROL, LATCH0);
    low = io_read8(CHANNEL0);
    return (uint16_t)(low | io_read8(CHANNEL0) << 8);
}

void pit_free_run(void)
{
    io_write8(CONTROL, MODE2);
    io_write8(CHANNEL0, 0); /* 65,536 */
    io_write8(CHANNEL0, 0);
}

static uint64_t counts_per_cycle; /* 32.32 fixed point */

int pit_timer_arm(uint64_t now, uint64_t deadline)
{
    uint64_t count = (deadline - now) * counts_per_cycle >> 32;

    if (count >= UINT16_MAX) /* 55 ms; the clock arms again then */
        count = UINT16_MAX - 1;
    pit_arm((uint16_t)(count + 1)); /* rounded up: too early would cost a second interrupt */
    return 1;
}

void pit_timer_start(uint64_t cycles_per_second)
{
    counts_per_cycle = ((uint64_t)PIT_HZ << 32) / cycles_per_second;
}
