/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading the CPU times. They change without a lock, one store at a time, and each store leaves
 * them consistent: what is read twice without a change between was true at one moment.
 */
#include "kernel/cpu_time.h"
#include <arch/interrupt_flag.h>
#include <sys/evcnt.h>
#include "kernel/clock.h"
#include "kernel/cpu_clock.h"
#include "kernel/interrupt.h"
#include "kernel/thread.h"

struct moment {
    uint64_t interrupt, idle, user, now;
};

static void read(const volatile struct cpu *cpu, struct moment *m)
{
    m->interrupt = cpu->time_interrupt;
    m->idle = cpu->time_idle;
    m->user = cpu->time_user;
}

/* The CPU's own time at the moment. */
static uint64_t own_time(const struct moment *m)
{
    if ((int64_t)m->interrupt <
        (int64_t)CPU_TIME_BASE) /* it stands: an interrupt is being served */
        return -m->interrupt;
    return m->now - m->interrupt;
}

static uint64_t running(uint64_t sum, uint64_t now)
{
    return (int64_t)sum < 0 ? sum + now : sum;
}

void cpu_time_get(unsigned cpu, struct cpu_time *out)
{
    const struct cpu *from = cpu_of(cpu);
    struct moment m, again;
    uint64_t own, idle, user, all;
    uintptr_t state = interrupts_save();

    do {
        read(from, &m);
        m.now = cpu_cycles(cpu_current());
        __asm__ volatile("" : : : "memory");
        read(from, &again);
    } while (m.interrupt != again.interrupt || m.idle != again.idle || m.user != again.user);
    interrupts_restore(state);
    own = own_time(&m);
    idle = running(m.idle, own);
    user = running(m.user, own);
    all = m.now - from->time_started;
    own += CPU_TIME_BASE; /* minus the base, which is negative */
    own -= from->time_started;
    out->idle = clock_cycles_to_ns(idle);
    out->user = clock_cycles_to_ns(user);
    out->system = clock_cycles_to_ns(own - idle - user);
    out->interrupt = clock_cycles_to_ns(all - own);
    out->elapsed = out->idle + out->user + out->system + out->interrupt;
}

uint64_t cpu_time_of_thread(const struct thread *thread)
{
    const volatile struct thread *t = thread;
    struct moment m;
    uint64_t sum;
    unsigned cpu;

    do {
        sum = t->cycles;
        cpu = t->cpu;
        if ((int64_t)sum >= 0)
            return sum;
        m.interrupt = ((const volatile struct cpu *)cpu_of(cpu))->time_interrupt;
        m.now = cpu_cycles(cpu_current());
        __asm__ volatile("" : : : "memory");
    } while (t->cycles != sum || t->cpu != cpu ||
             ((const volatile struct cpu *)cpu_of(cpu))->time_interrupt != m.interrupt);
    return sum + own_time(&m);
}

void cpu_counts_get(unsigned cpu, struct cpu_counts *out)
{
    const volatile struct cpu *from = cpu_of(cpu);

    *out = (struct cpu_counts){.cross_calls = from->cross_calls,
                               .switches = from->switches,
                               .involuntary = from->involuntary,
                               .migrations = from->migrations,
                               .mutex_waits = 0};
}
