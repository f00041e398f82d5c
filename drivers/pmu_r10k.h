/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The R10000's two performance counters (MIPS R10000 User's Manual 14.20): 32 bits, overflow when
 * bit 31 becomes set. Reached directly, through qpmu, or emulated by the kernel from what it knows.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "stats/pmc/pmu_class.h"

#define R10K_COUNTERS    2
#define R10K_EVENTS      32
#define R10K_EVENT       5 /* of a control register: where its event is */
#define R10K_IE          0x10u
#define R10K_CYCLES      0   /* of counter 0 and of counter 1 */
#define R10K_GRADUATED_0 15u /* instructions, of counter 0 */
#define R10K_REFILLS_1   7   /* of counter 1 */
#define R10K_OVERFLOWED  0x80000000u

/* How the registers are reached; interrupts off. */
struct r10k_registers {
    const char *text; /* what they are, in the boot line */
    void (*write_control)(unsigned n, uint32_t value);
    uint32_t (*read_counter)(unsigned n);
    void (*write_counter)(unsigned n, uint32_t value);
};
extern const struct r10k_registers r10k_emulated, r10k_direct;

/* Start-up, by the board: the line of the timer's pin, which is the counters', too; called where it
 * is about to be shared. */
struct interrupt_line;
void pmu_r10k_set_line(struct interrupt_line *(*line)(void (*hold)(bool held)));
/* Start-up: finds out how, and logs one line. */
void pmu_r10k_boot(void);

/* The emulation's part of pmu_class.poll. */
void r10k_emulated_poll(const struct pmu_class *class);

/* Whether the registers are such, and count; start-up. */
bool r10k_direct_advances(void);
/* Thread context: overflows are CLASS's, and interrupt if they can. CONTROLS: what each counter's
 * control register is while it runs. */
void r10k_direct_attach(const struct pmu_class *class, const uint32_t *controls);
/* Their part of pmu_class.poll. */
void r10k_direct_poll(void);
