/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The R10000's counters where there are none: the registers, with the kernel's own knowledge behind
 * them. Cycles are two for each step of Count, as on the R10000, and are split at each change of
 * mode that the kernel makes; TLB refills are those that the handler counted. A counter is brought
 * up to date when somebody looks, when its control register is written, and when the mode changes.
 */
#include "drivers/pmu_r10k.h"
#include <arch/cpu.h>
#include <arch/interrupt_flag.h>
#include <arch/pmu.h>
#include <sys/evcnt.h>
#include "kernel/time/cpu_clock.h"
#include "kernel/pmc/pmu_mode.h"

struct emulated {
    uint32_t control, value;
    uint64_t source; /* what the event's source was when value was brought up to date */
    bool overflowed; /* bit 31 has become set; not yet reported */
};

static struct emulated counters[R10K_COUNTERS];
static unsigned mode = PMC_MODE_K;

static uint64_t pmu_r10k_emulated_source(unsigned n)
{
    unsigned event = counters[n].control >> R10K_EVENT & 15;

    if (event == R10K_CYCLES)
        return 2 * cpu_cycles(cpu_current());
    if (event == R10K_REFILLS_1 && n == 1)
        return pmu_tlb_refills();
    return 0;
}

static void pmu_r10k_emulated_update(unsigned n)
{
    struct emulated *counter = &counters[n];
    uint64_t now = pmu_r10k_emulated_source(n), more = now - counter->source;
    uint32_t to_overflow = R10K_OVERFLOWED - counter->value; /* 0: one whole turn */

    counter->source = now;
    if (!(counter->control & mode) || more == 0)
        return;
    if (counter->control & R10K_IE && more >= (to_overflow ? to_overflow : 1ull << 32))
        counter->overflowed = true;
    counter->value += (uint32_t)more;
}

static void pmu_r10k_emulated_write_control(unsigned n, uint32_t value)
{
    pmu_r10k_emulated_update(n);
    counters[n].control = value & 0x1ff;
    counters[n].source = pmu_r10k_emulated_source(n);
}

static uint32_t pmu_r10k_emulated_read_counter(unsigned n)
{
    pmu_r10k_emulated_update(n);
    return counters[n].value;
}

static void pmu_r10k_emulated_write_counter(unsigned n, uint32_t value)
{
    counters[n].source = pmu_r10k_emulated_source(n);
    counters[n].value = value;
    counters[n].overflowed = false;
}

const struct r10k_registers r10k_emulated = {"no hardware PMU", pmu_r10k_emulated_write_control,
                                             pmu_r10k_emulated_read_counter,
                                             pmu_r10k_emulated_write_counter};

static void pmu_r10k_emulated_change_mode(unsigned to)
{
    for (unsigned n = 0; n < R10K_COUNTERS; n++)
        pmu_r10k_emulated_update(n);
    mode = to;
}

void r10k_emulated_poll(const struct pmu_class *class)
{
    pmu_mode_ask(pmu_r10k_emulated_change_mode);
    for (unsigned n = 0; n < R10K_COUNTERS; n++) {
        struct pmu_overflow overflow = {.class = class, .counter = n};

        pmu_r10k_emulated_update(n);
        if (!counters[n].overflowed)
            continue;
        counters[n].overflowed = false;
        overflow.value = counters[n].value;
        pmu_interrupted(&overflow.pc, &overflow.user);
        pmc_overflow(&overflow);
    }
}
