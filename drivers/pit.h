/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The Intel 8254 timer: channel 0, on line 0 of the interrupt controller. It measures the faster
 * clocks at boot, and is the event timer where there is nothing better.
 */
#pragma once

#include <stdint.h>

#define PIT_HZ 1193182u

/* Interrupt once after COUNT periods; the counter goes on through 0 (mode 0). */
void pit_arm(uint16_t count);
uint16_t pit_count(void);
/* Count round and round, interrupting each time (mode 2): what the chip is left at where its line
 * is masked. */
void pit_free_run(void);
/* The cycle counter's frequency; from here on pit_timer_arm works, as event_timer_arm. */
void pit_timer_start(uint64_t cycles_per_second);
int pit_timer_arm(uint64_t now, uint64_t deadline);
