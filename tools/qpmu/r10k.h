/* SPDX-License-Identifier: BSD-2-Clause */
/* The R10000's event numbers and control registers: bits 8:5 event, 4 IE, 3 U, 2 S, 1 K, 0 EXL. */
#ifndef QPMU_R10K_H
#define QPMU_R10K_H
#include <stdbool.h>
#include <stdint.h>

#include "tools/qpmu/events.h"

#define R10K_COUNTERS     2
#define R10K_CONTROL_MASK 0x1ffu
#define R10K_IE           0x10u
#define R10K_MODES        0x0fu

/* The raw event of NUMBER (0-15) on COUNTER (0, 1); REV3: events 6 and 14 of counter 0 as in
 * revision 3.x silicon, else as in 2.x. */
enum qpmu_event qpmu_r10k_event(unsigned counter, unsigned number, bool rev3);

/* The QPMU_MODE_ bit that STATUS (KSU 4:3, ERL 2, EXL 1) enables; 0: none. */
unsigned qpmu_r10k_mode(uint32_t status);
#endif
