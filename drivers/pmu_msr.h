/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Intel's architectural performance monitoring (Intel SDM volume 3, chapter 19) as registers: what
 * CPUID says, and counters programmed by reading and writing MSRs, however that is done. Knows no
 * kernel: tests/host runs it against modelled registers.
 *
 * Counters: the general ones from 0 on, then the fixed ones.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "stats/pmc/pmu_class.h"

#define PMU_MSR_GENERAL  8
#define PMU_MSR_FIXED    3
#define PMU_MSR_COUNTERS (PMU_MSR_GENERAL + PMU_MSR_FIXED)
#define PMU_MSR_EVENTS   7 /* architectural ones */

#define MSR_PMC0            0xc1u /* writes sign-extend from bit 31 */
#define MSR_PERFEVTSEL0     0x186u
#define MSR_FIXED_CTR0      0x309u
#define MSR_CAPABILITIES    0x345u
#define MSR_FIXED_CTR_CTRL  0x38du
#define MSR_GLOBAL_STATUS   0x38eu
#define MSR_GLOBAL_CTRL     0x38fu
#define MSR_GLOBAL_OVF_CTRL 0x390u
#define MSR_A_PMC0          0x4c1u /* writes as wide as the counter */

struct pmu_msr {
    uint64_t (*read)(uint32_t msr);
    void (*write)(uint32_t msr, uint64_t value);
    unsigned version, general, fixed, width;
    bool full_width;
    uint32_t events; /* bit N: architectural event N exists */
};

/* What one CPU's registers have been told. */
struct pmu_msr_cpu {
    uint64_t select[PMU_MSR_COUNTERS]; /* what start writes */
    uint64_t fixed_control;
    uint64_t global;                   /* GLOBAL_CTRL: those that run */
    uint32_t selected;                 /* those whose control says what they count */
    uint64_t offset[PMU_MSR_COUNTERS]; /* of a value that the register could not be set to */
    uint32_t armed; /* version 1: counters that will have overflowed when their top bit is clear */
};

/* By CPUID, given as a function: false if there is no such PMU. */
bool pmu_msr_find(struct pmu_msr *pmu, void (*cpuid)(uint32_t leaf, uint32_t out[4]));

/* The registers of the CPU that calls, in a known state: nothing counts. */
void pmu_msr_reset(const struct pmu_msr *pmu, struct pmu_msr_cpu *cpu);
/* As in struct pmu_class. */
void pmu_msr_program(struct pmu_msr_cpu *cpu, const struct pmu_msr *pmu, unsigned n, uint32_t code,
                     uint32_t modes, bool interrupt);
void pmu_msr_start(struct pmu_msr_cpu *cpu, const struct pmu_msr *pmu, unsigned n);
/* Several by one write, from version 2 on; what is held still has its control. */
void pmu_msr_start_all(struct pmu_msr_cpu *cpu, const struct pmu_msr *pmu, uint32_t mask);
void pmu_msr_hold(struct pmu_msr_cpu *cpu, const struct pmu_msr *pmu, uint32_t mask);
void pmu_msr_stop(struct pmu_msr_cpu *cpu, const struct pmu_msr *pmu, unsigned n);
uint64_t pmu_msr_value(const struct pmu_msr_cpu *cpu, const struct pmu_msr *pmu, unsigned n);
void pmu_msr_set_value(struct pmu_msr_cpu *cpu, const struct pmu_msr *pmu, unsigned n,
                       uint64_t value);
/* Counters that have overflowed since it was last asked, bit N; asking takes the interrupt away. */
uint32_t pmu_msr_overflowed(struct pmu_msr_cpu *cpu, const struct pmu_msr *pmu);
/* Fills the events that this PMU has into EVENTS, with the counters that can hold them. */
void pmu_msr_events(const struct pmu_msr *pmu, struct pmu_event events[PMU_MSR_EVENTS]);
