/* SPDX-License-Identifier: BSD-2-Clause */
/* The local APIC of the running CPU (Intel SDM volume 3, chapter 11): end of interrupt, and its
 * timer. */
#pragma once

#include <stdint.h>
#include "kernel/interrupt.h"

/* Turns it on at REGISTERS, with spurious interrupts as vector SPURIOUS. */
void lapic_boot(volatile void *registers, unsigned spurious);
void lapic_acknowledge(struct interrupt_line *line);
/* Chips for lines that end at the LAPIC itself: the timer, and spurious interrupts, which take no
 * acknowledgement. */
extern const struct interrupt_chip lapic_chip, lapic_spurious_chip;

/* The timer counts down from its largest value, without interrupts, for calibration; and where it
 * is. */
void lapic_timer_free_run(void);
uint32_t lapic_timer_count(void);
/*
 * The timer counts at FREQUENCY and interrupts as VECTOR; from here on lapic_timer_arm works, as
 * event_timer_arm. A timer that is faster than the cycle counter interrupts too early, which costs
 * interrupts but no time.
 */
void lapic_timer_start(uint64_t frequency, uint64_t cycles_per_second, unsigned vector);
int lapic_timer_arm(uint64_t now, uint64_t deadline);
