/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading the CPU times. They change without a lock, one store at a time, and each store leaves
 * them consistent: what is read twice without a change between was true at one moment.
 */
#include "kernel/time/cpu_time.h"
#include <arch/interrupt_flag.h>
#include "kernel/time/clock.h"
#include "kernel/time/cpu_clock.h"
#include "kernel/cpu/law_cpus.h"
#include "kernel/lock/spinlock.h"
#include "lib/section.h"

struct moment {
    uint64_t interrupt, idle, user, now;
};

static void cpu_time_read(const volatile struct cpu *cpu, struct moment *m)
{
    m->interrupt = cpu->time_interrupt;
    m->idle = cpu->time_idle;
    m->user = cpu->time_user;
}

static uint64_t cpu_time_running(uint64_t sum, uint64_t now)
{
    return (int64_t)sum < 0 ? sum + now : sum;
}

/* In cycles since the CPU started. `system` is what the others leave of `all`. */
struct shares {
    uint64_t all, interrupt, idle, user, system;
};

/* What CPU's times are now, but for `system`. */
static void cpu_time_look(const struct cpu *cpu, struct shares *out)
{
    struct moment m, again;
    uint64_t own;

    do {
        cpu_time_read(cpu, &m);
        m.now = cpu_cycles(cpu_current());
        __asm__ volatile("" : : : "memory");
        cpu_time_read(cpu, &again);
    } while (m.interrupt != again.interrupt || m.idle != again.idle || m.user != again.user);
    own = cpu_own_time_at(m.interrupt, m.now);
    out->all = m.now - cpu->time_started;
    out->idle = cpu_time_running(m.idle, own);
    out->user = cpu_time_running(m.user, own);
    own += CPU_TIME_BASE - cpu->time_started;
    out->interrupt = out->all - own;
}

/* VALUE grows by no more than is LEFT to be given away since the LAST look, and does not go back.
 */
static uint64_t cpu_time_grown(uint64_t value, uint64_t last, uint64_t *left)
{
    uint64_t more = (int64_t)(value - last) > 0 ? value - last : 0;

    if (more > *left)
        more = *left;
    *left -= more;
    return last + more;
}

/*
 * A CPU takes the time of a change a few instructions before it stores it, and another one that
 * looks in between sees a little too much of the old state. So that no sum ever goes back, that
 * little stays with it until the next look.
 */
static void cpu_time_settle(struct shares *now, struct shares *last)
{
    uint64_t left = (int64_t)(now->all - last->all) > 0 ? now->all - last->all : 0;

    last->all += left;
    last->interrupt = cpu_time_grown(now->interrupt, last->interrupt, &left);
    last->idle = cpu_time_grown(now->idle, last->idle, &left);
    last->user = cpu_time_grown(now->user, last->user, &left);
    last->system += left;
}

static SHARED_BSS struct shares all_told[CPU_MAX]; /* at the last look */

/* The shares of CPU at this moment; how long it has run by the clock. */
static uint64_t cpu_time_tell(unsigned cpu, struct shares *out)
{
    static struct spinlock lock = SPINLOCK_INITIALIZER("CPU times");
    struct shares now;
    uintptr_t state = interrupts_save();

    spinlock_lock(&lock);
    cpu_time_look(cpu_of(cpu), &now);
    cpu_time_settle(&now, &all_told[cpu]);
    *out = all_told[cpu];
    spinlock_unlock(&lock);
    interrupts_restore(state);
    return now.all;
}

void cpu_time_get(unsigned cpu, struct cpu_time *out)
{
    struct shares now;

    cpu_time_tell(cpu, &now);
    out->idle = clock_cycles_to_ns(now.idle);
    out->user = clock_cycles_to_ns(now.user);
    out->system = clock_cycles_to_ns(now.system);
    out->interrupt = clock_cycles_to_ns(now.interrupt);
    out->elapsed = out->idle + out->user + out->system + out->interrupt;
}

static uint64_t elapsed; /* of the CPU whose law is being looked at, when its shares were told */

static uint64_t cpu_time_sum_of_shares(void *cpu)
{
    struct shares now;

    elapsed = cpu_time_tell(((const struct cpu *)cpu)->id, &now);
    return now.user + now.system + now.interrupt + now.idle;
}

static uint64_t cpu_time_elapsed_then(void *cpu)
{
    (void)cpu;
    return elapsed;
}

static uint64_t *cpu_time_idle_told(void *cpu)
{
    return &all_told[((const struct cpu *)cpu)->id].idle;
}

LAW(cpu_time, .name = "cpu-time", .subjects = &law_cpus, .left = "user + system + interrupt + idle",
    .right = "elapsed", .get_left = cpu_time_sum_of_shares, .get_right = cpu_time_elapsed_then,
    .word = cpu_time_idle_told);
