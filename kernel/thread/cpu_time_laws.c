/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Laws between what CPUs and threads count of the same: time, switches, migrations. That the four
 * shares of a CPU's time are all of it stands in cpu_time.c.
 */
#include "kernel/thread/cpu_time_laws.h"
#include "kernel/cpu/law_cpus.h"
#include "kernel/cpu/cpu.h"
#include "kernel/time/cpu_clock.h"
#include "kernel/thread/law_check.h"
#include "kernel/thread/thread.h"

/* Sum over CPUs of the field at OFFSET in struct cpu. */
static uint64_t cpu_time_laws_sum_over_cpus(size_t offset)
{
    uint64_t sum = 0;

    for (unsigned n = 0; n < cpu_count(); n++)
        sum += *(const uint64_t *)((const char *)cpu_of(n) + offset);
    return sum;
}

#define SUM(field) cpu_time_laws_sum_over_cpus(offsetof(struct cpu, field))

/*
 * A CPU's own time is the cycle count minus time_interrupt, and some thread runs in it always: what
 * the clock has added to both sides since the CPUs started cancels out.
 */
uint64_t cpu_time_law_threads(uint64_t cycles)
{
    return cycles + law_cycles() * cpu_count() - SUM(time_interrupt);
}

uint64_t cpu_time_law_cpus(void *unused)
{
    uint64_t interrupts = SUM(time_interrupt) - CPU_TIME_BASE * cpu_count();

    (void)unused;
    return law_cycles() * cpu_count() - SUM(time_started) - interrupts;
}

static uint64_t cpu_time_laws_times_of_threads(void *unused)
{
    struct thread_totals totals;

    (void)unused;
    thread_totals_get(&totals);
    return cpu_time_law_threads(totals.cycles);
}

static uint64_t *cpu_time_laws_time_word(void *unused)
{
    (void)unused;
    return &cpu_current()->idle->cycles;
}

LAW(thread_time, .name = "thread-time", .about = &cpu_self, .left = "cycles of all threads",
    .right = "CPUs' cycles outside of interrupts", .get_left = cpu_time_laws_times_of_threads,
    .get_right = cpu_time_law_cpus, .word = cpu_time_laws_time_word);

static uint64_t cpu_time_laws_user_of_threads(void *unused)
{
    struct thread_totals totals;

    (void)unused;
    thread_totals_get(&totals);
    return totals.user_cycles;
}

uint64_t cpu_time_law_user(void *unused)
{
    (void)unused;
    return SUM(time_user);
}

static uint64_t *cpu_time_laws_user_word(void *unused)
{
    (void)unused;
    return &cpu_current()->idle->user_cycles;
}

LAW(user_time, .name = "user-time", .about = &cpu_self,
    .left = "cycles of all threads in user mode", .right = "CPUs' cycles in user mode",
    .get_left = cpu_time_laws_user_of_threads, .get_right = cpu_time_law_user,
    .word = cpu_time_laws_user_word);

/* What both sides lack of the idle thread's turn that has not ended. */
static uint64_t cpu_time_laws_idle_turn(const struct cpu *cpu)
{
    return cpu->current == cpu->idle ? law_cycles() - cpu->time_interrupt : 0;
}

static uint64_t cpu_time_laws_idle_thread_time(void *subject)
{
    const struct cpu *cpu = subject;

    return cpu->idle->cycles + cpu_time_laws_idle_turn(cpu);
}

static uint64_t cpu_time_laws_idle_time(void *subject)
{
    const struct cpu *cpu = subject;

    return cpu->time_idle + cpu_time_laws_idle_turn(cpu);
}

static uint64_t *cpu_time_laws_idle_word(void *cpu)
{
    return &((struct cpu *)cpu)->idle->cycles;
}

LAW(idle_time, .name = "idle-time", .subjects = &law_cpus, .left = "cycles of the idle thread",
    .right = "cycles idle", .get_left = cpu_time_laws_idle_thread_time,
    .get_right = cpu_time_laws_idle_time, .word = cpu_time_laws_idle_word);

/* A law between what all threads and all CPUs count of FIELD. */
#define THREADS_AND_CPUS(law_name, field)                                                          \
    static uint64_t cpu_time_laws_##field##_of_threads(void *unused)                               \
    {                                                                                              \
        struct thread_totals totals;                                                               \
                                                                                                   \
        (void)unused;                                                                              \
        thread_totals_get(&totals);                                                                \
        return totals.field;                                                                       \
    }                                                                                              \
    static uint64_t cpu_time_laws_##field##_of_cpus(void *unused)                                  \
    {                                                                                              \
        (void)unused;                                                                              \
        return SUM(field);                                                                         \
    }                                                                                              \
    static uint64_t *cpu_time_laws_##field##_word(void *unused)                                    \
    {                                                                                              \
        (void)unused;                                                                              \
        return &cpu_current()->idle->field;                                                        \
    }                                                                                              \
    LAW(field, .name = (law_name), .about = &cpu_self, .left = "of all threads",                   \
        .right = "of all CPUs", .get_left = cpu_time_laws_##field##_of_threads,                    \
        .get_right = cpu_time_laws_##field##_of_cpus, .word = cpu_time_laws_##field##_word)

THREADS_AND_CPUS("switches", switches);
THREADS_AND_CPUS("involuntary-switches", involuntary);
THREADS_AND_CPUS("migrations", migrations);
