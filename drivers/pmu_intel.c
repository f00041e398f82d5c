/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The class intel. Real MSRs have been met only as a model (tests/host/pmu_msr.c); here they are
 * qpmu's, whose values travel in the slot, and whose overflows come by its ring.
 */
#include "drivers/pmu_intel.h"
#include <arch/cpu.h>
#include <arch/interrupt_flag.h>
#include <arch/pmu.h>
#include "drivers/pmu_overflow.h"
#include "drivers/pmu_msr.h"
#include "kernel/cpu/cross_call.h"
#include "kernel/interrupt/interrupt.h"
#include "kernel/device/late.h"
#include "kernel/base/inventory.h"
#include "kernel/base/log.h"
#include "kernel/pmc/pmu_slot.h"
#include "lib/format.h"
#include "lib/section.h"

#define QPMU_GENERAL  4
#define QPMU_FIXED    3
#define QPMU_WIDTH    48
#define PROBE_COUNTER 0u
#define INSTRUCTIONS  0x00c0u
#define PROBE_LOOP    100u

static struct pmu_msr pmu;
static SHARED_BSS struct pmu_msr_cpu cpus[CPU_MAX];
static bool through_qpmu, found;
static SHARED_BSS struct pmu_event events[PMU_MSR_EVENTS];
static struct interrupt_line *(*pmi_line)(void);
static void (*pmi_rearm)(void);
static SHARED_BSS struct interrupt_handler pmi_handler;

/* The MSR that the instruction itself names does not matter to qpmu; others must find a harmless
 * one there. */
static uint64_t pmu_intel_slot_read(uint32_t msr)
{
    struct qpmu_slot *slot = pmu_slot_here();

    PMU_SLOT(slot, number) = msr;
    msr_read(msr);
    return PMU_SLOT(slot, value);
}

/* What asks for an event that is not counted yet is to be written again. */
static void pmu_intel_slot_write(uint32_t msr, uint64_t value)
{
    struct qpmu_slot *slot = pmu_slot_here();

    do {
        PMU_SLOT(slot, again) = 0;
        PMU_SLOT(slot, number) = msr;
        PMU_SLOT(slot, value) = value;
        msr_write(msr, 0);
    } while (PMU_SLOT(slot, again));
}

static struct pmu_msr_cpu *pmu_intel_here(void)
{
    return &cpus[cpu_here.id];
}

static void pmu_intel_program(unsigned n, pmc_evid_t code, uint32_t modes, bool interrupt)
{
    pmu_msr_program(pmu_intel_here(), &pmu, n, code, modes, interrupt);
}

static void pmu_intel_start(unsigned n)
{
    pmu_msr_start(pmu_intel_here(), &pmu, n);
}

static void pmu_intel_start_all(uint32_t mask)
{
    pmu_msr_start_all(pmu_intel_here(), &pmu, mask);
}

static void pmu_intel_hold(uint32_t mask)
{
    pmu_msr_hold(pmu_intel_here(), &pmu, mask);
}

static void pmu_intel_stop(unsigned n)
{
    pmu_msr_stop(pmu_intel_here(), &pmu, n);
}

static uint64_t pmu_intel_read(unsigned n)
{
    return pmu_msr_value(pmu_intel_here(), &pmu, n);
}

static void pmu_intel_write(unsigned n, uint64_t value)
{
    pmu_msr_set_value(pmu_intel_here(), &pmu, n, value);
}

static int pmu_intel_counter_type(unsigned n)
{
    return n < pmu.general ? PMC_TYPE_INTEL_GENERAL : PMC_TYPE_INTEL_FIXED;
}

static void pmu_intel_poll(void);

static SHARED_DATA struct pmu_class class = {
    .name = "intel",
    .type = PMC_TYPE_INTEL_GENERAL,
    .capabilities = PMU_CAN_INTERRUPT | PMU_CAN_MODES,
    .modes = PMC_MODE_U | PMC_MODE_K,
    .events = events,
    .event_count = PMU_MSR_EVENTS,
    .program = pmu_intel_program,
    .start = pmu_intel_start,
    .stop = pmu_intel_stop,
    .read = pmu_intel_read,
    .write = pmu_intel_write,
    .counter_type = pmu_intel_counter_type,
    .start_all = pmu_intel_start_all,
    .hold = pmu_intel_hold,
    .poll = pmu_intel_poll,
};

/* Whether there were any. */
static bool pmu_intel_poll_direct(void)
{
    uint32_t overflowed = pmu_msr_overflowed(pmu_intel_here(), &pmu);
    bool any = false;

    for (unsigned n = 0; overflowed; n++, overflowed >>= 1) {
        struct pmu_overflow overflow = {.class = &class, .counter = n, .cpu = cpu_here.id};

        if (!(overflowed & 1))
            continue;
        overflow.value = pmu_intel_read(n);
        if (interrupt_active())
            pmu_interrupted(&overflow.pc, &overflow.user);
        pmc_overflow(&overflow);
        any = true;
    }
    return any;
}

static void pmu_intel_poll(void)
{
    pmu_intel_poll_direct();
}

static void pmu_intel_acknowledge(void)
{
    pmu_intel_slot_write(MSR_GLOBAL_OVF_CTRL, pmu_intel_slot_read(MSR_GLOBAL_STATUS));
}

#define VALUE(n)                                                                                   \
    static uint64_t pmu_intel_value_##n(const uint64_t *counts, const uint64_t *last)              \
    {                                                                                              \
        struct qpmu_slot *slot = pmu_slot_here();                                                  \
                                                                                                   \
        PMU_SLOT(slot, number) =                                                                   \
            (n) < QPMU_GENERAL ? MSR_PMC0 + (n) : MSR_FIXED_CTR0 + (n) - QPMU_GENERAL;             \
        msr_read(MSR_PMC0);                                                                        \
        return counts[n] + ((uint32_t)PMU_SLOT(slot, value) - (uint32_t)last[n]);                  \
    }
VALUE(0)
VALUE(1)
VALUE(2)
VALUE(3)

static pmu_value_t *pmu_intel_reader(unsigned n)
{
    static pmu_value_t *const values[] = {pmu_intel_value_0, pmu_intel_value_1, pmu_intel_value_2,
                                          pmu_intel_value_3};

    return n < sizeof values / sizeof *values ? values[n] : NULL;
}

/* An emulator may answer CPUID and count nothing. */
static bool pmu_intel_advances(void)
{
    uintptr_t state = interrupts_save();
    uint64_t first, second, stopped;
    bool good;

    pmu_msr_reset(&pmu, pmu_intel_here());
    pmu_intel_program(PROBE_COUNTER, INSTRUCTIONS, PMC_MODE_ALL, false);
    pmu_intel_write(PROBE_COUNTER, 0);
    pmu_intel_start(PROBE_COUNTER);
    first = pmu_intel_read(PROBE_COUNTER);
    for (volatile unsigned i = 0; i < PROBE_LOOP; i++)
        ;
    second = pmu_intel_read(PROBE_COUNTER);
    pmu_intel_stop(PROBE_COUNTER);
    stopped = pmu_intel_read(PROBE_COUNTER);
    good = second >= first + PROBE_LOOP && pmu_intel_read(PROBE_COUNTER) == stopped;
    pmu_intel_write(PROBE_COUNTER, 0);
    interrupts_restore(state);
    return good;
}

void pmu_intel_boot(void)
{
    through_qpmu = pmu_slot_boot();
    if (through_qpmu) {
        pmu = (struct pmu_msr){
            pmu_intel_slot_read, pmu_intel_slot_write, 2,    QPMU_GENERAL,
            QPMU_FIXED,          QPMU_WIDTH,           true, (1u << PMU_MSR_EVENTS) - 1};
        found = true;
    } else {
        pmu.read = msr_read;
        pmu.write = msr_write;
        found = pmu_msr_find(&pmu, cpuid) && pmu_intel_advances();
    }
    if (found)
        log_printf("pmu: intel version %u, %u general and %u fixed counters of %u bits%s",
                   pmu.version, pmu.general, pmu.fixed, pmu.width, through_qpmu ? " (qpmu)" : "");
    else
        log_printf("pmu: no hardware PMU");
}

static size_t pmu_intel_inventory(unsigned line, char *buffer, size_t size)
{
    if (line != 0)
        return 0;
    if (!found)
        return format(buffer, size, "Event counters: none");
    return format(buffer, size,
                  "Event counters: Intel version %u, %u general and %u fixed of %u bits%s",
                  pmu.version, pmu.general, pmu.fixed, pmu.width, through_qpmu ? " (qpmu)" : "");
}
INVENTORY(pmu_intel, INVENTORY_PROCESSOR, pmu_intel_inventory);

void pmu_intel_set_line(struct interrupt_line *(*line)(void), void (*rearm)(void))
{
    pmi_line = line;
    pmi_rearm = rearm;
}

/* The LAPIC masks its entry when it delivers (Intel SDM volume 3, 11.5.1). */
static int pmu_intel_pmi(void *unused)
{
    bool any = pmu_intel_poll_direct();

    (void)unused;
    pmi_rearm();
    return any;
}

static void pmu_intel_prepare(void *unused)
{
    (void)unused;
    pmu_msr_reset(&pmu, pmu_intel_here());
    if (!through_qpmu && pmi_rearm)
        pmi_rearm();
}

static void pmu_intel_attach(void)
{
    struct interrupt_line *line;

    if (!found || (through_qpmu && !pmu_slot_start()))
        return;
    pmu_msr_events(&pmu, events);
    class.counters = pmu.general + pmu.fixed;
    class.width = pmu.width;
    if (through_qpmu) {
        class.capabilities |= PMU_EXACT_PC | PMU_CAN_RELOAD | PMU_QUICK;
        class.reader = pmu_intel_reader;
        class.reload = pmu_slot_reload;
        class.poll = pmu_overflow_poll;
        class.acknowledge = pmu_intel_acknowledge;
        pmu_overflow_attach(&class);
    } else if (pmi_line && (line = pmi_line()) != NULL) {
        interrupt_establish(line, IPL_SCHED, pmu_intel_pmi, NULL, "pmu", &pmi_handler);
    }
    cross_call_all(pmu_intel_prepare, NULL);
    pmu_attach(&class);
}
LATE(1, pmu_intel_attach);
