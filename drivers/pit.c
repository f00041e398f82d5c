/* SPDX-License-Identifier: BSD-2-Clause */
/* The 8254 (Intel 8254 data sheet: control word, mode 0, counter latch). */
#include "drivers/pit.h"
#include <arch/io.h>

#define CHANNEL0     0x40
#define CONTROL      0x43
#define MODE0        0x30 /* channel 0, low byte then high, interrupt on terminal count */
#define LATCH0       0x00
#define COUNTS_PER_NS ((uint64_t)PIT_HZ * 4294967296 / 1000000000) /* 32.32 */

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

static void arm(uint64_t delay_ns)
{
    uint64_t count = delay_ns * COUNTS_PER_NS >> 32;

    pit_arm((uint16_t)(count ? count : 1));
}

const struct event_timer pit_event_timer = {"pit0", arm, 54000000}; /* 65535 counts are 54.9 ms */
