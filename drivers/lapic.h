/* SPDX-License-Identifier: BSD-2-Clause */
/* The local APIC of the running CPU (Intel SDM volume 3, chapter 11): end of interrupt, and its
 * timer, and
 * interrupts to other CPUs. */
#pragma once

#include <stdint.h>
#include "kernel/interrupt/interrupt.h"

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
/* The same timer of another CPU, which calls this. */
void lapic_timer_start_here(void);
int lapic_timer_arm(uint64_t now, uint64_t deadline);

/* For a CPU that has been started: turns on its LAPIC, as lapic_boot did the first's. */
void lapic_enable(void);
/* This LAPIC's number; with 8 bits, that is of an xAPIC. */
uint32_t lapic_id(void);

/* What one CPU can send another, by the number of its LAPIC: an interrupt with VECTOR; an NMI;
 * INIT; start-up at physical PAGE * 4096, below 1 MiB. Any context. */
void lapic_send(uint32_t apic, unsigned vector);
void lapic_send_nmi(uint32_t apic);
void lapic_send_init(uint32_t apic);
void lapic_send_startup(uint32_t apic, unsigned page);

/* This CPU's next performance interrupt comes as VECTOR; the LAPIC masks it then, until it is armed
 * again (11.5.1). */
void lapic_pmi_arm(unsigned vector);
