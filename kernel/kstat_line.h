/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kstats of interrupt lines: ioapic:0:pin4, of type KSTAT_TYPE_INTR, and ioapic:0:pin4_service, how
 * long its interrupts were served: a statistic for each power of two, `10_le_1023` for 512 to 1023
 * ns, from the least in use to the greatest.
 *
 *   hard              deliveries (of lines without hardware: none)
 *   soft              soft interrupts of the line's devices (of lines without hardware: their own)
 *   watchdog          how often watchdogs of the line's devices have bitten
 *   spurious          nobody claimed it
 *   multiple_service  a second device was served on one entry
 */
#pragma once

/* Makes those of lines that have come since the last call. Thread context, no lock held. */
void kstat_line_refresh(void);
