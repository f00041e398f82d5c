/* SPDX-License-Identifier: BSD-2-Clause */
/* Intel's architectural PMU, version 2: MSR numbers, fields, events. Counters 0-3 are general, 4-6
 * the fixed ones 0-2. */
#ifndef QPMU_X86_MSR_H
#define QPMU_X86_MSR_H
#include <stdint.h>

#include "tools/qpmu/events.h"

#define X86_GENERAL 4
#define X86_FIXED   3
#define X86_WIDTH   48

#define X86_MSR_PMC0            0xc1u /* writes sign-extend from bit 31 */
#define X86_MSR_PERFEVTSEL0     0x186u
#define X86_MSR_FIXED_CTR0      0x309u
#define X86_MSR_CAPABILITIES    0x345u /* reads X86_FULL_WIDTH */
#define X86_MSR_FIXED_CTR_CTRL  0x38du
#define X86_MSR_GLOBAL_STATUS   0x38eu
#define X86_MSR_GLOBAL_CTRL     0x38fu
#define X86_MSR_GLOBAL_OVF_CTRL 0x390u
#define X86_MSR_A_PMC0          0x4c1u /* full-width writes */

#define X86_FULL_WIDTH  (1u << 13)
#define X86_GLOBAL_BITS 0x70000000full
#define X86_EVTSEL_USR  (1u << 16)
#define X86_EVTSEL_OS   (1u << 17)
#define X86_EVTSEL_EDGE (1u << 18)
#define X86_EVTSEL_INT  (1u << 20)
#define X86_EVTSEL_EN   (1u << 22)
#define X86_EVTSEL_INV  (1u << 23)

#define X86_EVTSEL_CMASK_SHIFT 24 /* 8 bits */

/* The raw event that PERFEVTSEL value SELECT counts, by event, umask, cmask, inv and edge. */
enum qpmu_event qpmu_x86_event(uint64_t select);

/* The raw event of fixed counter 0 (instructions), 1 (cycles), 2 (reference cycles). */
enum qpmu_event qpmu_x86_fixed_event(unsigned fixed);
#endif
