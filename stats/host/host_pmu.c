/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A PMU for tests: its counters count what host_pmu_count says, on CPUs that run the threads that
 * host_pmu_switch says. Of any width and rule of overflow; overflows are reported in their instant,
 * or kept until somebody asks, as a plugin's ring does.
 */
#include <quipu_host.h>
#include <stddef.h>
#include <stdlib.h>

#include "stats/host/host_pmu.h"
#include "stats/pmc/pmc_private.h"
#include "stats/port.h"

#define RING 16

struct host_register {
    pmc_evid_t code;
    uint32_t modes;
    uint64_t value, reload, counted;
    bool interrupt, reloads, running;
};

struct host_machine {
    struct host_register reg[PMC_COUNTERS_MAX];
    struct pmu_overflow ring[RING];
    unsigned waiting;
    uint32_t lost[PMC_COUNTERS_MAX];
    struct lwp idle, *current;
    uint32_t mode;
    bool active;
};

static struct host_machine machines[HOST_PMU_CPUS];
static struct host_pmu options;
static unsigned writes;

static struct host_machine *host_pmu_here(void)
{
    return &machines[stats_port_cpu() % HOST_PMU_CPUS];
}

/* --- the class --- */

#define ALL    0xffffu
#define ANY(n) {"any", "a number of `pmc list`", n, ALL, PMU_EXACT, true, PMU_ITS_OWN}
static const struct pmu_event events[] = {
    {"cycles", "everything", HOST_PMU_CYCLES, ALL, PMU_EXACT, true, PMU_CYCLES},
    {"instructions", "half of it", HOST_PMU_INSTRUCTIONS, ALL, PMU_EXACT, true, PMU_INSTRUCTIONS},
    {"loads", "on counter 0 only", HOST_PMU_LOADS, 1, PMU_MODELLED, true, PMU_ITS_OWN},
    {"nothing", "cannot be counted", HOST_PMU_UNSUPPORTED, ALL, PMU_ALWAYS_ZERO, false,
     PMU_ITS_OWN},
    /* For programs that know <sys/pmc.h> only: the R10000's, Intel's, the kernel's. */
    ANY(0),
    ANY(1),
    ANY(2),
    ANY(3),
    ANY(4),
    ANY(5),
    ANY(6),
    ANY(7),
    ANY(8),
    ANY(9),
    ANY(10),
    ANY(11),
    ANY(12),
    ANY(13),
    ANY(14),
    ANY(15),
    ANY(16),
    ANY(17),
    ANY(18),
    ANY(19),
    ANY(20),
    ANY(21),
    ANY(22),
    ANY(23),
    ANY(24),
    ANY(25),
    ANY(26),
    ANY(27),
    ANY(28),
    ANY(29),
    ANY(30),
    ANY(31),
    ANY(0x3c),
    ANY(0xc0),
    ANY(0x13c),
    ANY(0x4f2e),
    ANY(0x412e),
    ANY(0xc4),
    ANY(0xc5),
    ANY(0x10000),
    ANY(0x10001),
    ANY(0x10002),
    ANY(0x10003),
    ANY(0x10004),
};

static void host_pmu_program(unsigned counter, pmc_evid_t code, uint32_t modes, bool interrupt)
{
    struct host_register *reg = &host_pmu_here()->reg[counter];

    if (reg->running)
        stats_port_panic("host: counter %u is programmed while it runs", counter);
    writes++;
    reg->code = code;
    reg->modes = modes;
    reg->interrupt = interrupt;
}

static void host_pmu_start(unsigned counter)
{
    host_pmu_here()->reg[counter].running = true;
}

static void host_pmu_stop(unsigned counter)
{
    host_pmu_here()->reg[counter].running = false;
}

static uint64_t host_pmu_read(unsigned counter)
{
    return host_pmu_here()->reg[counter].value;
}

static void host_pmu_write(unsigned counter, uint64_t value)
{
    if (value & ~(~0ull >> (64 - options.width)))
        stats_port_panic("host: counter %u is written too wide a value", counter);
    writes++;
    host_pmu_here()->reg[counter].value = value;
}

static void host_pmu_reload(unsigned counter, bool on, uint64_t value)
{
    host_pmu_here()->reg[counter].reloads = on;
    host_pmu_here()->reg[counter].reload = value;
}

static void host_pmu_poll(void)
{
    struct host_machine *m = host_pmu_here();

    for (unsigned i = 0; i < m->waiting; i++)
        pmc_overflow(&m->ring[i]);
    m->waiting = 0;
    for (unsigned n = 0; n < options.counters; n++)
        if (m->lost[n] != 0) {
            struct pmu_overflow o = {.class = m->ring[0].class,
                                     .counter = n,
                                     .cpu = stats_port_cpu(),
                                     .lost = m->lost[n]};

            m->lost[n] = 0;
            pmc_overflow(&o);
        }
}

static void host_pmu_quick(void **from, void *to, uintptr_t state, struct pmu_counts *thread,
                           uint64_t *last)
{
    (void)state;
    for (unsigned n = 0; n < options.counters; n++)
        if (thread->mask >> n & 1) {
            uint64_t value = host_pmu_here()->reg[n].value;

            thread->count[n] += (value - last[n]) & (~0ull >> (64 - options.width));
            last[n] = value;
        }
    *from = to;
}

pmc_quick_switch_t *pmc_port_quick_switch(const struct pmu_class *its_class, uint32_t mask)
{
    (void)its_class;
    return mask != 4 ? host_pmu_quick : NULL;
}

static struct pmu_class class = {.name = "host",
                                 .type = PMC_TYPE_FAKE,
                                 .modes = PMC_MODE_ALL,
                                 .events = events,
                                 .event_count = sizeof events / sizeof *events,
                                 .program = host_pmu_program,
                                 .start = host_pmu_start,
                                 .stop = host_pmu_stop,
                                 .read = host_pmu_read,
                                 .write = host_pmu_write};

void host_pmu_attach(const struct host_pmu *pmu)
{
    host_pmu_detach();
    options = *pmu;
    class.counters = pmu->counters;
    class.width = pmu->width;
    class.overflow_at = pmu->at_half ? 1ull << (pmu->width - 1) : 0;
    class.capabilities = PMU_CAN_MODES | PMU_EXACT_PC | (pmu->interrupts ? PMU_CAN_INTERRUPT : 0) |
                         (pmu->reloads ? PMU_CAN_RELOAD : 0) | (pmu->swaps ? PMU_QUICK : 0);
    class.reload = pmu->reloads ? host_pmu_reload : NULL;
    class.poll = pmu->keeps ? host_pmu_poll : NULL;
    pmu_attach(&class);
}

void host_pmu_reset(void)
{
    host_pmu_attach(&(struct host_pmu){.counters = 4, .width = 48, .interrupts = true});
}

void host_pmu_detach(void)
{
    free(pmc_system.cpus);
    while (pmc_system.states != NULL) {
        struct pmc_state *state = pmc_system.states;

        pmc_states_unlink(state);
        state->lwp->l_pmc = NULL;
        state->lwp->l_pmc_plan = 0;
        free(state);
    }
    pmc_system_reset();
    writes = 0;
    for (unsigned i = 0; i < HOST_PMU_CPUS; i++) {
        machines[i] = (struct host_machine){.mode = PMC_MODE_K};
        machines[i].current = &machines[i].idle;
    }
}

unsigned host_pmu_writes(void)
{
    return writes;
}

/* --- what happens --- */

static void host_pmu_overflow(struct host_machine *m, unsigned n)
{
    struct host_register *reg = &m->reg[n];
    struct pmu_overflow o = {.class = &class,
                             .counter = n,
                             .cpu = stats_port_cpu(),
                             .pc = reg->counted,
                             .value = reg->value,
                             .exact = true,
                             .user = (m->mode & PMC_MODE_U) != 0};

    if (reg->reloads)
        reg->value = reg->reload;
    if (!reg->interrupt)
        return;
    if (!options.keeps) {
        pmc_overflow(&o);
    } else if (m->waiting < RING) {
        m->ring[m->waiting++] = o;
    } else {
        m->lost[n]++;
    }
}

static void host_pmu_count_one(struct host_machine *m, unsigned n, uint64_t amount)
{
    struct host_register *reg = &m->reg[n];
    uint64_t mask = ~0ull >> (64 - options.width);

    while (amount != 0 && reg->running && (reg->modes & m->mode)) {
        uint64_t way = (class.overflow_at - reg->value) & mask; /* 0: all the way round */
        uint64_t step = way == 0 || way > amount ? amount : way;

        if (way == 0 && amount > mask)
            step = mask + 1;
        reg->value = (reg->value + step) & mask;
        reg->counted += step;
        amount -= step;
        if (reg->value == (class.overflow_at & mask))
            host_pmu_overflow(m, n);
    }
}

void host_pmu_count(unsigned cpu, int ctr, uint64_t amount)
{
    unsigned before = stats_port_cpu();

    host_cpu_set(cpu);
    host_pmu_count_one(host_pmu_here(), (unsigned)ctr, amount);
    host_cpu_set(before);
}

bool host_pmu_running(unsigned cpu, int ctr)
{
    return machines[cpu].reg[ctr].running;
}

void host_pmu_mode(unsigned cpu, uint32_t mode)
{
    machines[cpu].mode = mode;
}

void host_pmu_switch(unsigned cpu, struct lwp *l)
{
    struct host_machine *m = &machines[cpu];
    struct lwp *from = m->current, *to = l != NULL ? l : &m->idle;
    unsigned before = stats_port_cpu();
    void *next;

    host_cpu_set(cpu);
    m->current = to; /* as the scheduler does, before */
    if (m->active && pmc_count_the_same(from, to)) {
        from->l_pmc->quick(&next, to, 0, &from->l_pmc->counts, pmc_cpu_here()->last);
        if (next != to)
            stats_port_panic("host: the switch did not go on");
    } else if (m->active && from != to) {
        pmc_switch_context(from, to);
    }
    host_cpu_set(before);
}

void host_pmu_tick(unsigned cpu)
{
    unsigned before = stats_port_cpu();

    host_cpu_set(cpu);
    if (host_pmu_here()->active)
        pmc_tick();
    host_cpu_set(before);
}

bool host_pmu_active(unsigned cpu)
{
    return machines[cpu].active;
}

/* --- what pmc asks of its host --- */

struct lwp *lwp_current(void)
{
    return host_pmu_here()->current;
}

uintptr_t pmc_port_interrupts_save(void)
{
    return 0;
}

void pmc_port_interrupts_restore(uintptr_t state)
{
    (void)state;
}

unsigned pmc_port_cpu_count(void)
{
    return HOST_PMU_CPUS;
}

uint32_t pmc_port_number(const struct lwp *l)
{
    (void)l;
    return 0;
}

void pmc_port_each_cpu(void (*function)(void *), void *argument)
{
    unsigned before = stats_port_cpu();

    for (unsigned cpu = 0; cpu < HOST_PMU_CPUS; cpu++) {
        host_cpu_set(cpu);
        function(argument);
    }
    host_cpu_set(before);
}

void pmc_port_begin(struct pmc_cpu *cpu)
{
    (void)cpu;
    host_pmu_here()->active = true;
}

void pmc_port_current(struct lwp *l)
{
    host_pmu_here()->current = l != NULL ? l : &host_pmu_here()->idle;
}

void pmc_port_end(struct pmc_cpu *cpu)
{
    (void)cpu;
    host_pmu_here()->active = false;
}
