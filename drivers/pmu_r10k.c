/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The class r10k. Its registers are the R10000's own, by PRId and if a counter really advances;
 * qpmu's, which the same instructions reach; or the kernel's emulation (pmu_r10k_emulated.c).
 */
#include "drivers/pmu_r10k.h"
#include <arch/cpu.h>
#include <arch/pmu.h>
#include <machine/cpu.h>
#include <machine/pmu.h>
#include "drivers/pmu_overflow.h"
#include "kernel/base/inventory.h"
#include "kernel/base/log.h"
#include "kernel/device/late.h"
#include "kernel/pmc/pmu_slot.h"
#include "lib/format.h"

#define PRID_R10000(prid)   (((prid) >> 8 & 0xff) == 0x09)
#define PRID_REVISION(prid) ((prid) >> 4 & 0xf)

/* Event NUMBER is number NUMBER & 15 of counter NUMBER / 16. A generic name is only for what it
 * means everywhere (docs/PMC.md). */
#define EVENT(number, event_name, where, what)                                                     \
    {.name = (event_name),                                                                         \
     .description = (what),                                                                        \
     .code = (number),                                                                             \
     .counters = 1u << (number) / 16,                                                              \
     .source = (where),                                                                            \
     .supported = true}

static struct pmu_event events[R10K_EVENTS] = {
    EVENT(0, "cycles", PMU_MODELLED, "cycles"),
    EVENT(1, "instructions-issued", PMU_EXACT,
          "instructions issued to ALU, FPU or load/store unit"),
    EVENT(2, "loads-issued", PMU_EXACT, "loads, prefetches and syncs issued"),
    EVENT(3, "stores-issued", PMU_EXACT, "stores issued"),
    EVENT(4, "sc-issued", PMU_EXACT, "store conditionals issued"),
    EVENT(5, "sc-failed", PMU_EXACT, "store conditionals that failed"),
    EVENT(6, "branches-resolved", PMU_EXACT, "conditional branches resolved"), /* 3.x; see attach */
    EVENT(7, "L2-writebacks", PMU_MODELLED, "quadwords written back from the secondary cache"),
    EVENT(8, "ecc-errors", PMU_ALWAYS_ZERO, "single-bit ECC errors of the secondary cache"),
    EVENT(9, "L1-icache-misses", PMU_MODELLED, "instruction cache misses"),
    EVENT(10, "L2-icache-misses", PMU_MODELLED, "secondary cache misses (instruction)"),
    EVENT(11, "L2-icache-way-misses", PMU_MODELLED,
          "secondary cache way mispredicted (instruction)"),
    EVENT(12, "interventions", PMU_MODELLED, "external intervention requests"),
    EVENT(13, "invalidations", PMU_MODELLED, "external invalidation requests"),
    EVENT(14, "fu-completions", PMU_MODELLED, "functional unit completion cycles"), /* the same */
    EVENT(15, "instructions", PMU_EXACT, "instructions graduated"),
    EVENT(16, "cycles", PMU_MODELLED, "cycles"),
    EVENT(17, "instructions", PMU_EXACT, "instructions graduated"),
    EVENT(18, "loads", PMU_EXACT, "loads, prefetches and syncs graduated"),
    EVENT(19, "stores", PMU_EXACT, "stores graduated"),
    EVENT(20, "sc", PMU_EXACT, "store conditionals graduated"),
    EVENT(21, "fp-instructions", PMU_EXACT, "floating-point instructions graduated"),
    EVENT(22, "L1-dcache-writebacks", PMU_MODELLED, "quadwords written back from the data cache"),
    EVENT(23, "tlb-refill-exceptions", PMU_EXACT, "TLB refill exceptions"),
    EVENT(24, "branch-misses", PMU_MODELLED, "branches mispredicted"), /* no others are predicted */
    EVENT(25, "L1-dcache-misses", PMU_MODELLED, "data cache misses"),
    EVENT(26, "L2-dcache-misses", PMU_MODELLED, "secondary cache misses (data)"),
    EVENT(27, "L2-dcache-way-misses", PMU_MODELLED, "secondary cache way mispredicted (data)"),
    EVENT(28, "intervention-hits", PMU_MODELLED, "external intervention hits"),
    EVENT(29, "invalidation-hits", PMU_MODELLED, "external invalidation hits"),
    EVENT(30, "upgrades-clean", PMU_MODELLED, "upgrade requests on clean secondary cache lines"),
    EVENT(31, "upgrades-shared", PMU_MODELLED, "upgrade requests on shared secondary cache lines"),
};

static const struct r10k_registers *registers;
static uint32_t controls[R10K_COUNTERS];

/* --- through qpmu: the value travels in the slot --- */

/* A control register that asks for an event which is not counted yet is to be written again. */
static void pmu_r10k_qpmu_write_control(unsigned n, uint32_t value)
{
    struct qpmu_slot *slot = &pmu_first_slot;

    do {
        PMU_SLOT(slot, again) = 0;
        PMU_SLOT(slot, value) = value;
        r10k_write_control(n, value);
    } while (PMU_SLOT(slot, again));
}

static uint32_t pmu_r10k_qpmu_read_counter(unsigned n)
{
    r10k_read_counter(n);
    return (uint32_t)PMU_SLOT(&pmu_first_slot, value);
}

static void pmu_r10k_qpmu_write_counter(unsigned n, uint32_t value)
{
    PMU_SLOT(&pmu_first_slot, value) = value;
    r10k_write_counter(n, value);
}

static const struct r10k_registers through_qpmu = {"R10000 (qpmu)", pmu_r10k_qpmu_write_control,
                                                   pmu_r10k_qpmu_read_counter,
                                                   pmu_r10k_qpmu_write_counter};

/* --- the class --- */

static void pmu_r10k_program(unsigned n, pmc_evid_t code, uint32_t modes, bool interrupt)
{
    controls[n] = (code & 15) << R10K_EVENT | (interrupt ? R10K_IE : 0) | (modes & PMC_MODE_ALL);
}

static void pmu_r10k_start(unsigned n)
{
    registers->write_control(n, controls[n]);
}

static void pmu_r10k_stop(unsigned n)
{
    registers->write_control(n, 0);
}

/* Counter FIRST encloses the other: it begins before it and ends after it. Events are never more
 * than cycles, nor those of some modes more than those of all, if so the order is. */
static unsigned pmu_r10k_weight(unsigned n)
{
    unsigned modes = 0;

    for (uint32_t left = controls[n] & PMC_MODE_ALL; left; left &= left - 1)
        modes++;
    return modes + ((controls[n] >> R10K_EVENT & 15) == R10K_CYCLES ? 8 : 0);
}

static unsigned pmu_r10k_first(void)
{
    return pmu_r10k_weight(1) > pmu_r10k_weight(0);
}

/* Both, with as little between as can be. What it asks for is counted already. */
#define WRITE_BOTH(a, b, control_a, control_b)                                                     \
    do {                                                                                           \
        PMU_SLOT(slot, value) = (control_a);                                                       \
        PMU_WRITE_CONTROL(a, control_a);                                                           \
        PMU_SLOT(slot, value) = (control_b);                                                       \
        PMU_WRITE_CONTROL(b, control_b);                                                           \
    } while (0)

static void pmu_r10k_qpmu_start_both(void)
{
    struct qpmu_slot *slot = &pmu_first_slot;
    uint32_t control[] = {controls[0], controls[1]};

    /* Nothing here is in supervisor mode, so this counts nothing. */
    for (unsigned n = 0; n < R10K_COUNTERS; n++)
        pmu_r10k_qpmu_write_control(n, (control[n] & ~PMC_MODE_ALL) | PMC_MODE_S);
    if (pmu_r10k_first() == 0)
        WRITE_BOTH(0, 1, control[0], control[1]);
    else
        WRITE_BOTH(1, 0, control[1], control[0]);
}

static void pmu_r10k_qpmu_hold_both(void)
{
    struct qpmu_slot *slot = &pmu_first_slot;

    if (pmu_r10k_first() == 0)
        WRITE_BOTH(1, 0, 0, 0);
    else
        WRITE_BOTH(0, 1, 0, 0);
}

#define BOTH 3u

static void pmu_r10k_start_all(uint32_t mask)
{
    unsigned n = pmu_r10k_first();

    if (mask == BOTH && registers == &through_qpmu) {
        pmu_r10k_qpmu_start_both();
        return;
    }
    for (unsigned i = 0; i < R10K_COUNTERS; i++, n ^= 1)
        if (mask >> n & 1)
            pmu_r10k_start(n);
}

static void pmu_r10k_hold(uint32_t mask)
{
    unsigned n = !pmu_r10k_first();

    if (mask == BOTH && registers == &through_qpmu) {
        pmu_r10k_qpmu_hold_both();
        return;
    }
    for (unsigned i = 0; i < R10K_COUNTERS; i++, n ^= 1)
        if (mask >> n & 1)
            pmu_r10k_stop(n);
}

static uint64_t pmu_r10k_read(unsigned n)
{
    return registers->read_counter(n);
}

static void pmu_r10k_write(unsigned n, uint64_t value)
{
    registers->write_counter(n, (uint32_t)value);
}

#define VALUE(n)                                                                                   \
    static uint64_t pmu_r10k_value_##n(const uint64_t *counts, const uint64_t *last)               \
    {                                                                                              \
        const struct qpmu_slot *slot = &pmu_first_slot;                                            \
                                                                                                   \
        PMU_READ_COUNTER(n);                                                                       \
        return counts[n] + (uint64_t)(int32_t)(((const volatile uint32_t *)&slot->value)[1] -      \
                                               (uint32_t)last[n]);                                 \
    }
VALUE(0)
VALUE(1)

static pmu_value_t *pmu_r10k_reader(unsigned n)
{
    return n == 0 ? pmu_r10k_value_0 : pmu_r10k_value_1;
}

static void pmu_r10k_poll(void);

static struct pmu_class class = {
    .name = "r10k",
    .type = PMC_TYPE_R10K,
    .counters = R10K_COUNTERS,
    .width = 32,
    .overflow_at = R10K_OVERFLOWED,
    .capabilities = PMU_CAN_INTERRUPT | PMU_CAN_MODES,
    .modes = PMC_MODE_ALL,
    .events = events,
    .event_count = R10K_EVENTS,
    .program = pmu_r10k_program,
    .start = pmu_r10k_start,
    .stop = pmu_r10k_stop,
    .read = pmu_r10k_read,
    .write = pmu_r10k_write,
    .start_all = pmu_r10k_start_all,
    .hold = pmu_r10k_hold,
    .poll = pmu_r10k_poll,
};

static void pmu_r10k_poll(void)
{
    if (registers == &r10k_direct)
        r10k_direct_poll();
    else
        r10k_emulated_poll(&class);
}

void pmu_r10k_boot(void)
{
    registers = &r10k_emulated;
    if (pmu_slot_boot())
        registers = &through_qpmu;
    else if ((PRID_R10000(CP0_READ32(15)) || pmu_slot_unwanted()) && r10k_direct_advances())
        registers = &r10k_direct;
    log_printf("pmu: %s", registers->text);
}

/* The emulation knows cycles and TLB refills, and EXL only as a part of kernel mode. */
static void pmu_r10k_keep_emulated(void)
{
    for (unsigned i = 0; i < R10K_EVENTS; i++)
        events[i].supported = i % 16 == R10K_CYCLES || i == 16 + R10K_REFILLS_1;
    class.modes = PMC_MODE_U | PMC_MODE_S | PMC_MODE_K;
    class.capabilities |= PMU_VIRTUAL;
    r10k_emulated_poll(&class);
}

/* qpmu knows which revision it is; else PRId tells, on an R10000. */
static bool pmu_r10k_is_revision_2(void)
{
    uint32_t prid = CP0_READ32(15);

    if (registers == &through_qpmu)
        return !(pmu_first_slot.features & QPMU_REV_3X);
    return PRID_R10000(prid) && PRID_REVISION(prid) < 3;
}

/* As the chip's own: IRIX's hinv says the processor's revision. */
static size_t pmu_r10k_inventory(unsigned line, char *buffer, size_t size)
{
    uint32_t prid = CP0_READ32(15);

    if (line != 0)
        return 0;
    if (registers == &r10k_direct)
        return format(buffer, size, "Event counters: R10000 Revision %u.%u", PRID_REVISION(prid),
                      prid & 0xf);
    if (registers == &through_qpmu)
        return format(buffer, size, "Event counters: R10000 Revision %s (qpmu)",
                      pmu_r10k_is_revision_2() ? "2.x" : "3.x");
    return format(buffer, size, "Event counters: none; cycles and TLB refills by the kernel");
}
INVENTORY(pmu_r10k, INVENTORY_PROCESSOR, pmu_r10k_inventory);

static void pmu_r10k_attach(void)
{
    if (pmu_r10k_is_revision_2()) { /* two events of counter 0 are others */
        events[6].name = "branches-decoded";
        events[6].description = "conditional branches decoded";
        events[14].name = "virtual-coherency";
        events[14].description = "virtual coherency";
    }
    if (registers == &through_qpmu) {
        class.capabilities |= PMU_EXACT_PC | PMU_CAN_RELOAD | PMU_QUICK;
        class.reader = pmu_r10k_reader;
        class.reload = pmu_slot_reload;
        class.poll = pmu_overflow_poll;
        pmu_slot_start();
        pmu_overflow_attach(&class);
    } else if (registers == &r10k_emulated) {
        pmu_r10k_keep_emulated();
    } else {
        r10k_direct_attach(&class, controls);
    }
    pmu_attach(&class);
}
LATE(1, pmu_r10k_attach);
