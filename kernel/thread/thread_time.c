/* SPDX-License-Identifier: BSD-2-Clause */
/* The CPU time of a thread, read without a lock as in kernel/time/cpu_time.c. */
#include "kernel/thread/thread_time.h"
#include "kernel/cpu/cpu.h"
#include "kernel/lock/spinlock.h"
#include "kernel/thread/thread.h"
#include "kernel/time/cpu_clock.h"

#define NOWHERE CPU_MAX

/* The CPU whose current thread THREAD is. Its cpu field may say already where it goes. */
static unsigned thread_time_runs_on(const struct thread *thread)
{
    for (unsigned cpu = 0; cpu < CPU_MAX && cpu < cpu_possible(); cpu++) {
        const volatile struct cpu *record = cpu_of(cpu);

        if ((cpu == 0 || cpu < cpu_count()) && record->current == thread)
            return cpu;
    }
    return NOWHERE;
}

/* As of CPUs: what was told of THREAD a little early stays until its time has come that far. */
static void thread_time_tell(struct thread *thread, uint64_t all, uint64_t user,
                             struct thread_time *out)
{
    static struct spinlock lock = SPINLOCK_INITIALIZER("threads' CPU times");
    struct thread_time *told = &thread->told;
    uint64_t more;

    spinlock_lock(&lock);
    more = all > told->all ? all - told->all : 0;
    told->all += more;
    if (user > told->user)
        told->user += user - told->user < more ? user - told->user : more;
    *out = *told;
    spinlock_unlock(&lock);
}

static uint64_t thread_time_running(uint64_t sum, uint64_t own)
{
    return (int64_t)sum < 0 ? sum + own : sum;
}

void thread_time_get(struct thread *thread, struct thread_time *out)
{
    const volatile struct thread *t = thread;
    uint64_t all, user, interrupt, now, own;
    unsigned cpu;

    do {
        user = t->user_cycles;
        all = t->cycles;
        if ((int64_t)all >= 0 && (int64_t)user >= 0 && t->user_cycles == user) {
            thread_time_tell(thread, all, user, out);
            return;
        }
        cpu = thread_time_runs_on(thread);
        if (cpu == NOWHERE)
            continue; /* it is being switched to or from at this moment */
        interrupt = ((const volatile struct cpu *)cpu_of(cpu))->time_interrupt;
        now = cpu_cycles(cpu_current());
        __asm__ volatile("" : : : "memory");
    } while (cpu == NOWHERE || t->cycles != all || t->user_cycles != user ||
             thread_time_runs_on(thread) != cpu ||
             ((const volatile struct cpu *)cpu_of(cpu))->time_interrupt != interrupt);
    own = cpu_own_time_at(interrupt, now);
    thread_time_tell(thread, thread_time_running(all, own), thread_time_running(user, own), out);
}

uint64_t cpu_time_of_thread(struct thread *thread)
{
    struct thread_time time;

    thread_time_get(thread, &time);
    return time.all;
}
