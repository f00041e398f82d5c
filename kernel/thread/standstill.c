/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Standstill: see standstill.h. The caller asks each CPU with the interrupt that also asks it to
 * switch; so it comes to thread_preempt, and from there to standstill_join. While others are still
 * on their way, those that stand do what is asked of them by cross calls; then nobody does
 * anything. Who stands has halted: where a host has fewer cores than the machine has CPUs, those
 * that wait would keep the cores from those that are waited for.
 */
#include "kernel/cpu/preempt.h"
#include "kernel/thread/standstill.h"
#include <arch/cpu.h>
#include <arch/interrupt_flag.h>
#include <arch/smp.h>
#include <stdbool.h>
#include "kernel/time/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/thread/mutex.h"
#include "kernel/thread/thread.h"
#include "lib/errno.h"

/* Who does not come may wait for one that stands; so they go on meanwhile, and each try is given
 * twice the time of the one before: ten seconds together. */
#define TRIES       8
#define PATIENCE_NS 40000000ull
#define GO_ON_NS    1000000ull

static kmutex_t one_at_a_time = {.name = "standstill",
                                 .lock = SPINLOCK_INITIALIZER("mutex interlock"),
                                 .waiters = WAIT_QUEUE_INITIALIZER(one_at_a_time.waiters)};

/* Which one it is, never 0: who is asked for one that is over has nothing to wait for. */
static volatile uint32_t generation = 1;
static volatile uint32_t came[CPU_MAX]; /* the last generation that each CPU came for; its own */
/* The last one for which it saw all gathered; or ~that, if it was given up before it did. Whoever
 * changes it first decides. */
static volatile uint32_t quiet[CPU_MAX];
static volatile bool stands[CPU_MAX];   /* its own: between coming and going */
static volatile uint32_t told[CPU_MAX]; /* its own: how often, by standstill_interrupt */
static void (*each_function)(void);     /* what every CPU does first */

/* Who stands is told twice, and goes on only then: when all have come, and when it is over; or
 * once, if it is given up. So none of these interrupts is left to come at another time. */
int standstill_interrupt(void *unused)
{
    (void)unused;
    told[cpu_here.id]++;
    return stands[cpu_here.id];
}

/* Whether MARK, which was BEFORE, is NOW by this. Interrupts off. */
static bool standstill_decide(volatile uint32_t *mark, uint32_t before, uint32_t now)
{
    static struct spinlock lock = SPINLOCK_INITIALIZER("standstill marks");
    bool first;

    spinlock_lock(&lock);
    first = *mark == before;
    if (first)
        *mark = now;
    spinlock_unlock(&lock);
    return first;
}

/* Until all have come interrupts are served as ever, calls of other CPUs among them. */
static void standstill_stand(struct cpu *cpu)
{
    static const bool nothing;
    uint32_t mine = cpu->stand, before = told[cpu->id], last = quiet[cpu->id];

    cpu->stand = 0;
    stands[cpu->id] = true;
    __atomic_store_n(&came[cpu->id], mine, __ATOMIC_RELEASE);
    while (generation == mine && told[cpu->id] == before) {
        cpu_wait(&nothing);
        interrupts_disable();
    }
    if (told[cpu->id] != before) {
        if (generation == mine && each_function)
            each_function();
        if (standstill_decide(&quiet[cpu->id], last, mine))
            while (told[cpu->id] == before + 1)
                smp_wait_standstill();
    }
    stands[cpu->id] = false;
}

/* It may be asked again while it waits for a generation that comes to nothing. */
void standstill_join(struct cpu *cpu)
{
    cpu->preempt_off++; /* an interrupt that is served meanwhile ends here */
    while (cpu->stand != 0)
        standstill_stand(cpu);
    cpu->preempt_off--;
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
}

/* The first CPU but this one whose mark is not of this generation; -1: none. */
static int standstill_missing(const volatile uint32_t *marks)
{
    for (unsigned n = 0; n < cpu_count(); n++)
        if (n != cpu_here.id && __atomic_load_n(&marks[n], __ATOMIC_ACQUIRE) != generation)
            return (int)n;
    return -1;
}

/* Whether all others have this generation in their MARKS before DEADLINE. */
static bool standstill_await(const volatile uint32_t *marks, uint64_t deadline, unsigned *late)
{
    int absent;

    while ((absent = standstill_missing(marks)) >= 0) {
        if (clock_now() >= deadline) {
            *late = (unsigned)absent;
            return false;
        }
        cpu_relax();
    }
    return true;
}

/* Whether all others came. */
static bool standstill_gather(uint64_t deadline, unsigned *late)
{
    for (unsigned n = 0; n < cpu_count(); n++) {
        if (n == cpu_here.id)
            continue;
        cpu_of(n)->stand = generation;
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
        smp_send(n, SMP_RESCHEDULE);
    }
    return standstill_await(came, deadline, late);
}

static void standstill_send_others(enum smp_ipi what)
{
    for (unsigned n = 0; n < cpu_count(); n++)
        if (n != cpu_here.id)
            smp_send(n, what);
}

static void standstill_disperse(void)
{
    for (unsigned n = 0; n < cpu_count(); n++)
        cpu_of(n)->stand = 0;
    __atomic_store_n(&generation, generation + 1 != 0 ? generation + 1 : 1, __ATOMIC_RELEASE);
}

/* All have come, but some CPU is still in an interrupt that it served meanwhile: it leaves when it
 * is told the first time, the others the second. */
static void standstill_give_up(void)
{
    uint32_t mine = generation;

    standstill_disperse();
    for (unsigned n = 0; n < cpu_count(); n++) {
        uint32_t mark = quiet[n];

        if (n != cpu_here.id && (mark == mine || !standstill_decide(&quiet[n], mark, ~mine)))
            smp_send(n, SMP_STANDSTILL);
    }
}

/* Whether there was one. */
static bool standstill_try(void (*function)(void *), void *argument, uint64_t patience,
                           unsigned *late)
{
    bool all = standstill_gather(clock_now() + patience, late);
    uintptr_t state;

    if (!all) {
        standstill_disperse();
        standstill_send_others(SMP_RESCHEDULE); /* as any interrupt, it ends their waiting */
        return false;
    }
    state = interrupts_save();
    standstill_send_others(SMP_STANDSTILL);
    if (each_function)
        each_function();
    all = standstill_await(quiet, clock_now() + patience, late);
    if (all) {
        function(argument);
        standstill_disperse();
        standstill_send_others(SMP_STANDSTILL);
    } else {
        standstill_give_up();
    }
    spl_restore(state);
    return all;
}

int standstill(void (*each)(void), void (*function)(void *), void *argument, unsigned *late)
{
    bool done = false;

    mutex_enter(&one_at_a_time);
    each_function = each;
    for (unsigned n = 0; n < TRIES && !done; n++) {
        preempt_disable();
        done = standstill_try(function, argument, PATIENCE_NS << n, late);
        preempt_enable();
        if (!done)
            thread_sleep(GO_ON_NS);
    }
    mutex_exit(&one_at_a_time);
    return done ? 0 : -EBUSY;
}
