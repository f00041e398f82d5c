/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kstats of interrupt lines: ioapic:0:pin4, of type KSTAT_TYPE_INTR, and ioapic:0:pin4_service, how
 * long its interrupts were served: a statistic for each power of two, `10_le_1023` for 512 to 1023
 * ns, from the least in use to the greatest.
 *
 *   hard              deliveries that a device claimed; of a line with others behind it none, as
 *                     they are those lines' (nor of lines without hardware)
 *   soft              of lines without hardware: as hard
 *   watchdog          how often watchdogs of the line's devices have bitten
 *   spurious          deliveries that nobody claimed
 *   multiple_service  interrupts of a second device, served on one entry
 *
 * No interrupt is in two of them: their sum over all lines has each once, as those who read
 * KSTAT_TYPE_INTR expect.
 */
#pragma once

/* Makes those of lines that have come since the last call. Thread context, no lock held. */
void kstat_line_refresh(void);
