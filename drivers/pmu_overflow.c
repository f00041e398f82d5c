/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From qpmu's interrupt to pmc_overflow; see pmu_overflow.h. docs/PMC.md, "From an overflow to a
 * line of tprof", says what comes after.
 */
#include "drivers/pmu_overflow.h"
#include <sys/evcnt.h>
#include "drivers/pmu_rate.h"
#include "drivers/uart16550_registers.h"
#include "kernel/cpu/cross_call.h"
#include "kernel/interrupt/interrupt.h"
#include "kernel/lock/spinlock.h"
#include "kernel/pmc/sample_ring.h"
#include "kernel/pmc/pmu_slot.h"
#include "lib/section.h"

static const struct pmu_class *class;
static const struct pmu_port *port;
static SHARED_BSS struct interrupt_handler handler;
static struct evcnt overflows = EVCNT_INITIALIZER(EVCNT_TYPE_MISC, NULL, "pmu", "overflows");
static struct evcnt dropped = EVCNT_INITIALIZER(EVCNT_TYPE_MISC, NULL, "pmu", "dropped");

/* By its CPU, interrupts off. */
static SHARED_BSS uint32_t dropped_seen[CPU_MAX], lost_seen[CPU_MAX][QPMU_COUNTERS];

struct pmu_ring {
    struct qpmu_slot *slot;
    struct pmu_records records;
};

/* The ring was full: there are overflows of which only the number is known. */
static void pmu_overflow_report_lost(unsigned cpu, struct qpmu_slot *slot)
{
    dropped_seen[cpu] = PMU_SLOT(slot, dropped);
    for (unsigned n = 0; n < class->counters && n < QPMU_COUNTERS; n++) {
        uint32_t more = PMU_SLOT(slot, lost[n]) - lost_seen[cpu][n];
        struct pmu_overflow overflow = {.class = class, .counter = n, .cpu = cpu, .lost = more};

        if (more == 0)
            continue;
        lost_seen[cpu][n] += more;
        for (; more > 0; more--)
            evcnt_incr(&dropped);
        if (slot->reload_on >> n & 1) /* else the register tells */
            pmc_overflow(&overflow);
    }
}

/* Record AT of RING, which is taken with that. */
static void pmu_overflow_report(unsigned cpu, const struct pmu_ring *ring, uint32_t at)
{
    const struct qpmu_record *record = pmu_records_at(&ring->records, at);
    const struct pmu_class *its_class = class;
    struct pmu_overflow overflow = {.class = its_class,
                                    .counter = record->counter,
                                    .cpu = cpu,
                                    .pc = record->pc,
                                    .value = record->value,
                                    .exact = true,
                                    .user = (record->mode & (QPMU_MODE_U | QPMU_MODE_S)) != 0};

    evcnt_incr(&overflows);
    if (overflow.counter < its_class->counters) {
        bool callers = ring->records.words && PMU_SLOT(ring->slot, following);

        if (callers)
            sample_rings_callers(pmu_records_callers(&ring->records, record),
                                 pmu_records_words(&ring->records), ring->records.words - 1);
        pmc_overflow(&overflow);
        if (callers)
            sample_rings_callers(NULL, NULL, 0);
    }
    PMU_SLOT(ring->slot, tail) = at + 1; /* its callers are read until now */
}

/* RING's records AT to END are more samples than may be kept: what each counter had of them is told
 * at once. One by one they would make more records than they are. */
static void pmu_overflow_report_refused(unsigned cpu, const struct pmu_ring *ring, uint32_t at,
                                        uint32_t end)
{
    uint32_t passed[QPMU_COUNTERS] = {0};

    for (; at != end; at++) {
        unsigned n = pmu_records_at(&ring->records, at)->counter;

        if (n >= QPMU_COUNTERS || (ring->slot->reload_on >> n & 1) == 0) {
            pmu_overflow_report(cpu, ring, at); /* it does not stand for a period */
            continue;
        }
        evcnt_incr(&overflows);
        passed[n]++;
    }
    PMU_SLOT(ring->slot, tail) = end;
    for (unsigned n = 0; n < class->counters && n < QPMU_COUNTERS; n++) {
        struct pmu_overflow overflow = {
            .class = class, .counter = n, .cpu = cpu, .lost = passed[n]};

        if (passed[n] != 0)
            pmc_overflow(&overflow);
    }
}

void pmu_overflow_poll(void)
{
    unsigned cpu = cpu_here.id;
    struct pmu_ring ring = {.slot = pmu_slots[cpu]};
    uint32_t at, end;

    if (!ring.slot)
        return;
    ring.records = pmu_slot_records();
    at = PMU_SLOT(ring.slot, tail);
    end = PMU_SLOT(ring.slot, head); /* with short periods this makes more of them itself */
    if (at == end && PMU_SLOT(ring.slot, dropped) == dropped_seen[cpu])
        return;
    sample_rings_begin();
    while (at != end && !sample_rings_refused())
        pmu_overflow_report(cpu, &ring, at++);
    if (at != end)
        pmu_overflow_report_refused(cpu, &ring, at, end);
    sample_rings_end();
    if (PMU_SLOT(ring.slot, dropped) != dropped_seen[cpu])
        pmu_overflow_report_lost(cpu, ring.slot);
    if (class->acknowledge)
        class->acknowledge();
}

/* --- the interrupt --- */

/* Of all below: the line may be given to another CPU while this one serves it. */
static struct spinlock lock = SPINLOCK_INITIALIZER("pmu port");

/*
 * To take overflows one by one costs most. So after so many interrupts in a tick the others until
 * the next one find a ring worth their while only if a part of it is full: qpmu interrupts then,
 * too. The rest is taken at the tick.
 */
#define BURST      50
#define QUIET_PART 4

static struct pmu_rate rate;

/* Whether CPU has overflows to take. */
static bool pmu_overflow_waits(unsigned cpu, bool quiet)
{
    struct qpmu_slot *slot = pmu_slots[cpu];
    uint32_t waiting = slot ? PMU_SLOT(slot, head) - PMU_SLOT(slot, tail) : 0;

    return waiting > 0 && (!quiet || waiting >= PMU_SLOT(slot, ring_size) / QUIET_PART);
}

static void pmu_overflow_poll_there(void *unused)
{
    (void)unused;
    pmu_overflow_poll();
}

/* The line interrupts one CPU, for all of them. */
static void pmu_overflow_poll_others(bool quiet)
{
    static SHARED_BSS struct cross_call calls[CPU_MAX];

    for (unsigned cpu = 0; CPU_MAX > 1 && cpu < CPU_MAX && cpu < cpu_count(); cpu++) {
        if (cpu == cpu_here.id || !pmu_overflow_waits(cpu, quiet))
            continue;
        if (calls[cpu].function && !calls[cpu].done)
            continue;
        calls[cpu] = (struct cross_call){.function = pmu_overflow_poll_there, .done = true};
        cross_call_start(cpu, &calls[cpu]);
    }
}

/* The bytes go first: one that comes later belongs to a record that is or is not seen below. */
static int pmu_overflow_handle(void *unused)
{
    bool any = uart16550_chip_drain(&port->chip), quiet;
    uintptr_t state = spinlock_acquire(&lock);

    (void)unused;
    quiet = pmu_rate_exceeded(&rate, BURST);
    pmu_overflow_poll_others(quiet);
    spinlock_release(&lock, state);
    if (pmu_overflow_waits(cpu_here.id, quiet))
        pmu_overflow_poll();
    return any;
}

void pmu_overflow_set_port(const struct pmu_port *new_port)
{
    port = new_port;
}

void pmu_overflow_attach(const struct pmu_class *its_class)
{
    class = its_class;
    sample_ring_takers[0] = (uintptr_t)pmu_overflow_poll;
    sample_ring_takers[1] = (uintptr_t)pmu_overflow_handle;
    evcnt_attach_static(&overflows);
    evcnt_attach_static(&dropped);
    if (!port || !(pmu_first_slot.features & QPMU_INTERRUPTS))
        return;
    uart16550_chip_boot(&port->chip, FCR_EACH_BYTE);
    interrupt_establish(port->line(), IPL_SCHED, pmu_overflow_handle, NULL, "pmu", &handler);
    uart16550_set(&port->chip, IER, IER_RX);
}
