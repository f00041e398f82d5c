/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The class soft, which every machine has: what the kernel counts anyway, shown as a PMU with four
 * counters of 64 bits. A register is the difference of two readings of its source on its CPU, so
 * counting costs nothing. Sources are those of the CPU; overflow is noticed at ticks.
 */
#include <arch/cpu.h>
#include <arch/pmu.h>
#include <arch/trap.h>
#include <sys/evcnt.h>
#include "kernel/cpu/cpu.h"
#include "kernel/time/cpu_clock.h"
#include "kernel/thread/cpu_counts.h"
#include "kernel/interrupt/trap_count.h"
#include "kernel/device/late.h"
#include "kernel/pmc/pmu_mode.h"
#include "stats/pmc/pmu_class.h"
#include "lib/section.h"

#define COUNTERS    4
#define WIDTH       63
#define MASK        ((1ull << WIDTH) - 1)
#define ALL         ((1u << COUNTERS) - 1)
#define CODE(event) (0x10000u + (event))

enum { SWITCHES, INTERRUPTS, FAULTS, TLB_REFILLS, CLOCK_CYCLES, EVENTS };

#define EVENT(number, event_name, what)                                                            \
    [number] = {.name = (event_name),                                                              \
                .description = (what),                                                             \
                .code = CODE(number),                                                              \
                .counters = ALL,                                                                   \
                .source = PMU_EXACT,                                                               \
                .supported = true}

static SHARED_DATA struct pmu_event events[EVENTS] = {
    EVENT(SWITCHES, "context-switches", "thread switches of the CPU"),
    EVENT(INTERRUPTS, "interrupts", "interrupts of hardware on the CPU"),
    EVENT(FAULTS, "faults", "exceptions of the CPU, without TLB refills"),
    EVENT(TLB_REFILLS, "tlb-refills", "TLB refills that the kernel made"),
    EVENT(CLOCK_CYCLES, "clock-cycles", "cycles of the clock (TSC, Count), also while idle"),
};

/* A counter on one CPU; its CPU, interrupts off. */
struct soft {
    unsigned event;
    bool running, interrupt;
    uint64_t value; /* if it runs: of which SOURCE's reading has been subtracted */
};
static SHARED_BSS struct soft counters[CPU_MAX][COUNTERS];

static const struct evcnt *pmu_soft_refill_counter(void)
{
    return trap_memory_counter(TRAP_MEMORY_REFILL, 0);
}

uint64_t pmu_tlb_refills(void)
{
    return pmu_soft_refill_counter() ? evcnt_value(pmu_soft_refill_counter()) : 0;
}

static uint64_t pmu_soft_source(unsigned event)
{
    struct cpu *cpu = cpu_current();

    switch (event) {
    case SWITCHES:
        return cpu->switches;
    case INTERRUPTS:
        return cpu_interrupts(cpu->id);
    case FAULTS:
        return trap_count(cpu->id) - trap_count_memory(cpu->id, TRAP_MEMORY_REFILL);
    case TLB_REFILLS:
        return pmu_tlb_refills();
    default:
        return cpu_cycles(cpu);
    }
}

static struct soft *pmu_soft_here(unsigned n)
{
    return &counters[cpu_here.id][n];
}

static void pmu_soft_program(unsigned n, pmc_evid_t code, uint32_t modes, bool interrupt)
{
    (void)modes;
    pmu_soft_here(n)->event = code - CODE(0);
    pmu_soft_here(n)->interrupt = interrupt;
}

static void pmu_soft_start(unsigned n)
{
    struct soft *counter = pmu_soft_here(n);

    if (!counter->running)
        counter->value -= pmu_soft_source(counter->event);
    counter->running = true;
}

static void pmu_soft_stop(unsigned n)
{
    struct soft *counter = pmu_soft_here(n);

    if (counter->running)
        counter->value += pmu_soft_source(counter->event);
    counter->running = false;
}

/* With the bit above the register's, which says that it has wrapped since the last poll. */
static uint64_t pmu_soft_whole(unsigned n)
{
    const struct soft *counter = pmu_soft_here(n);

    return counter->value + (counter->running ? pmu_soft_source(counter->event) : 0);
}

static uint64_t pmu_soft_read(unsigned n)
{
    return pmu_soft_whole(n) & MASK;
}

static void pmu_soft_write(unsigned n, uint64_t value)
{
    struct soft *counter = pmu_soft_here(n);

    counter->value = value - (counter->running ? pmu_soft_source(counter->event) : 0);
}

static void pmu_soft_poll(void);

static const struct pmu_class class = {
    .name = "soft",
    .type = PMC_TYPE_SOFT,
    .counters = COUNTERS,
    .width = WIDTH,
    .overflow_at = 0,
    .capabilities = PMU_CAN_INTERRUPT | PMU_VIRTUAL,
    .events = events,
    .event_count = EVENTS,
    .program = pmu_soft_program,
    .start = pmu_soft_start,
    .stop = pmu_soft_stop,
    .read = pmu_soft_read,
    .write = pmu_soft_write,
    .poll = pmu_soft_poll,
};

static void pmu_soft_poll(void)
{
    for (unsigned n = 0; n < COUNTERS; n++) {
        const struct soft *counter = pmu_soft_here(n);
        struct pmu_overflow overflow = {.class = &class, .counter = n, .cpu = cpu_here.id};
        uint64_t value;

        if (!counter->running || !counter->interrupt)
            continue;
        value = pmu_soft_whole(n);
        if (value <= MASK)
            continue;
        overflow.value = value & MASK;
        pmu_soft_write(n, overflow.value);
        if (!pmu_interrupted(&overflow.pc, &overflow.user)) /* at a switch: who asks */
            overflow.pc = (uintptr_t)__builtin_return_address(0);
        pmc_overflow(&overflow);
    }
}

static void pmu_soft_attach(void)
{
    events[TLB_REFILLS].supported = pmu_soft_refill_counter() != NULL;
    pmu_attach(&class);
}
LATE(2, pmu_soft_attach);
