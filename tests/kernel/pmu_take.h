/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counters that the system takes from the thread that calls, as pmc_take does it from one that runs
 * on another CPU: a clock tick comes before the thread's CPU has been asked to let go of them.
 */
#pragma once

#include <stdint.h>
#include <sys/pmc.h>

/* MASK is taken, to count as CFGS say. WORK is done before; until the tick; until the CPU lets go;
 * and afterwards. The thread has a set. Interrupts off. What pmc_take returns. */
int pmu_take_late(uint32_t mask, const struct pmc_counter_cfg *cfgs, void (*work)(void));
/* The same of counters that nobody has. */
int pmu_take_free(uint32_t mask, const struct pmc_counter_cfg *cfgs);
/* It is given back. Thread context. */
void pmu_take_give(uint32_t mask);
