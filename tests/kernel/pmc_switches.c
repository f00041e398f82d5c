/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every counter of the hardware, alone and together, through every kind of thread switch. Threads
 * run code in user mode of which each instruction is known, and their counters count user mode
 * only: so what each thread has on each counter is known to the instruction, whatever the kernel
 * does for a switch, how many ticks come, and on which CPUs it runs.
 */
#include <sys/pmc.h>
#include "kernel/cpu/preempt.h"
#include "kernel/cpu/cpu.h"
#include "kernel/pmc/pmc_read.h"
#include "tests/kernel/selftest.h"
#include "kernel/thread/thread.h"
#include "lib/string.h"
#include "tests/kernel/pmu_measure.h"

#define CPUS        4u /* that threads go round, or fewer */
#define THREADS_MAX (2 * CPUS)
#define RUNS        100u
#define SLEEPS      10u
#define PREEMPTIONS 2u
#define LONG        200u /* times as many turns where a thread is to be preempted */
#define LIMIT       20000u

struct part;
typedef void leave_t(struct part *part, unsigned run);

struct part {
    uint64_t turns; /* of the loop in each run */
    uint32_t mask;  /* counters that it has running; 0: it does not count */
    uint32_t modes; /* in these modes */
    leave_t *leave; /* how it loses the CPU after each run */
    unsigned runs;  /* to make */
    bool preempted; /* goes on until it was, often enough */
    unsigned made;  /* out: runs */
    unsigned ended; /* out: runs of its children */
    uint64_t count[PMC_COUNTERS_MAX], children[PMC_COUNTERS_MAX], read[PMC_COUNTERS_MAX]; /* out */
    int error;
};

static struct part parts[THREADS_MAX];

/* The hardware's event called NAME on counter N; -1: none. */
static int64_t event_on(unsigned n, const char *name)
{
    const struct pmu_class *class = pmu_hardware();

    for (unsigned i = 0; i < class->event_count; i++) {
        const struct pmu_event *event = &class->events[i];

        if (event->supported && (event->counters >> n & 1) && strcmp(event->name, name) == 0)
            return event->code;
    }
    return -1;
}

/* Instructions; where a counter has another event only, cycles, of which each instruction of the
 * pieces takes one in qpmu's model. */
static pmc_evid_t code_on(unsigned n)
{
    static const char *const names[] = {"instructions", "cycles", "ref-cycles"};
    int64_t code = -1;

    for (unsigned i = 0; i < 3 && code < 0; i++)
        code = event_on(n, names[i]);
    return (pmc_evid_t)code;
}

static int count_here(uint32_t mask, uint32_t modes)
{
    int error = 0;

    MASK_FOREACH (n, mask) {
        struct pmc_counter_cfg cfg = {code_on(n), 0, modes};

        if (error == 0)
            error = pmc_configure_counter(curlwp, (int)n, &cfg);
        if (error == 0)
            error = pmc_enable_counter(curlwp, (int)n);
    }
    return error;
}

static uint64_t instructions(uint64_t turns)
{
    return CODE_USER_STUB + CODE_LOOP_TURN * turns + CODE_LOOP_MORE;
}

/* A CPU has one user at a time. */
static int run_once(uint64_t turns)
{
    bool called;

    preempt_disable();
    called = pmu_code_user(USER_MODE_USER, turns);
    preempt_enable();
    return called ? 0 : -1;
}

static void run_part(void *argument)
{
    struct part *part = argument;
    const struct thread *self = thread_current();
    uint64_t involuntary = self->involuntary;

    part->error = count_here(part->mask, part->modes);
    while (part->error == 0 && part->made < LIMIT &&
           (part->made < part->runs ||
            (part->preempted && self->involuntary < involuntary + PREEMPTIONS))) {
        part->error = run_once(part->turns);
        if (part->leave)
            part->leave(part, part->made);
        part->made++;
    }
    if (part->made == LIMIT)
        part->error = -1;
    MASK_FOREACH (n, part->mask) {
        part->read[n] = pmc_count((int)n);
        (void)pmc_get_counter_value(curlwp, (int)n, 0, &part->count[n]);
        (void)pmc_get_counter_value(curlwp, (int)n, PMC_VALUE_FLAGS_CHILDREN, &part->children[n]);
    }
}

/* --- the ways to lose the CPU --- */

static void yield(struct part *part, unsigned run)
{
    (void)part;
    (void)run;
    thread_yield();
}

static void block(struct part *part, unsigned run)
{
    (void)part;
    (void)run;
    thread_sleep(1);
}

static void run_child(void *argument)
{
    struct part *part = argument;

    if (run_once(part->turns + 5) != 0)
        part->error = -1;
}

/* To a child, which has inherited the counters and soon ends. */
static void outlive(struct part *part, unsigned run)
{
    struct thread *child;

    (void)run;
    if (thread_create("child", THREAD_PRIORITY_NORMAL, run_child, part, &child) != 0) {
        part->error = -1;
        return;
    }
    thread_join(child);
    part->ended++;
}

static unsigned cpus(void)
{
    return cpu_count() < CPUS ? cpu_count() : CPUS;
}

static void migrate(struct part *part, unsigned run)
{
    unsigned cpu = (thread_cpu() + 1 + run % 2) % cpus();

    if (thread_set_affinity(thread_current(), 1u << cpu) != 0)
        part->error = -1;
}

/* --- the tests --- */

static int check(const struct part *part, unsigned which)
{
    uint64_t ought = part->made * instructions(part->turns);
    uint64_t children = part->ended * instructions(part->turns + 5);

    if (part->error != 0)
        return selftest_fail("thread %u: error %d, %u runs", which, part->error, part->made);
    if (part->modes != PMC_MODE_U)
        return 0; /* it is there to be another plan */
    MASK_FOREACH (n, part->mask) {
        if (part->count[n] != ought || part->read[n] != ought || part->children[n] != children)
            return selftest_fail("mask %x, thread %u, counter %u: %lu, read %lu, not %lu; "
                                 "children %lu, not %lu",
                                 part->mask, which, n, (unsigned long)part->count[n],
                                 (unsigned long)part->read[n], (unsigned long)ought,
                                 (unsigned long)part->children[n], (unsigned long)children);
    }
    return 0;
}

static int run_parts(unsigned count)
{
    struct thread *threads[THREADS_MAX];
    int result = 0;

    preempt_disable();
    for (unsigned i = 0; i < count; i++)
        if (thread_create("part", THREAD_PRIORITY_NORMAL, run_part, &parts[i], &threads[i]) != 0)
            threads[i] = NULL;
    preempt_enable();
    for (unsigned i = 0; i < count; i++) {
        if (threads[i])
            thread_join(threads[i]);
        if (result == 0)
            result = threads[i] ? check(&parts[i], i) : selftest_fail("no thread");
    }
    return result;
}

/* COUNT threads like KIND, each with turns of its own; the second counts OTHER in MODES instead. */
static int run_kind(const struct part *kind, unsigned count, uint32_t other, uint32_t modes)
{
    for (unsigned i = 0; i < count; i++) {
        parts[i] = *kind;
        parts[i].turns += 13 * i;
        if (i == 1) {
            parts[i].mask = other;
            parts[i].modes = modes;
        }
    }
    return run_parts(count);
}

/* All, each alone, and 2, 3, ... of them. */
static unsigned make_masks(uint32_t *masks)
{
    unsigned counters = pmu_hardware()->counters, count = 0;

    for (unsigned n = 0; n < counters; n++)
        masks[count++] = 1u << n;
    for (unsigned n = 2; n <= counters; n++)
        masks[count++] = (1u << n) - 1;
    return count;
}

/* With a partner that counts the same, one that does not count, one that counts less, and one that
 * counts the same in other modes. */
static int run_masks(struct part kind, unsigned threads)
{
    uint32_t masks[2 * PMC_COUNTERS_MAX];
    unsigned count;
    int result = 0;

    if (!pmu_hardware())
        return selftest_skip("no hardware counters");
    if (pmu_code_user_prepare(&pmu_code_loop, 0) != 0)
        return selftest_fail("no memory");
    count = make_masks(masks);
    kind.modes = PMC_MODE_U;
    for (unsigned i = 0; i < count && result == 0; i++) {
        kind.mask = masks[i];
        result = run_kind(&kind, threads, masks[i], PMC_MODE_U);
        if (result == 0)
            result = run_kind(&kind, threads, 0, PMC_MODE_U);
        if (result == 0)
            result = run_kind(&kind, threads, masks[i] & (masks[i] - 1), PMC_MODE_U);
        if (result == 0)
            result = run_kind(&kind, threads, masks[i], PMC_MODE_K);
    }
    pmu_code_user_done();
    return result;
}

SELFTEST_COUNTERS_ONE_CPU(pmc_switch_yield, "pmc-switch-yield",
                          "each counter's count is the thread's own, where it gives the CPU away")
{
    return run_masks((struct part){.turns = 10, .runs = RUNS, .leave = yield}, 2);
}

SELFTEST_COUNTERS_ONE_CPU(pmc_switch_block, "pmc-switch-block", "the same, where it sleeps")
{
    return run_masks((struct part){.turns = 10, .runs = SLEEPS, .leave = block}, 2);
}

SELFTEST_COUNTERS_ONE_CPU(pmc_switch_preempt, "pmc-switch-preempt",
                          "the same, where ticks take the CPU away")
{
    return run_masks((struct part){.turns = LONG * 10, .runs = 1, .preempted = true}, 2);
}

SELFTEST_COUNTERS_ONE_CPU(pmc_switch_end, "pmc-switch-end",
                          "the same, where threads that have inherited the counters end")
{
    return run_masks((struct part){.turns = 10, .runs = SLEEPS, .leave = outlive}, 2);
}

SELFTEST_COUNTERS(pmc_switch_migrate, "pmc-switch-migrate",
                  "the same, where it goes from CPU to CPU")
{
    if (cpu_count() < 2)
        return selftest_skip("there is one CPU");
    return run_masks((struct part){.turns = 10, .runs = SLEEPS, .leave = migrate}, 2 * cpus());
}
