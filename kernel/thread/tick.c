/* SPDX-License-Identifier: BSD-2-Clause */
/* The clock's interrupt: see tick.h. */
#include "kernel/thread/tick.h"
#include <arch/cpu.h>
#include <arch/event_timer.h>
#include <arch/interrupt_flag.h>
#include "kernel/cpu/cpu.h"
#include "kernel/interrupt/interrupt.h"
#include "kernel/thread/scheduler.h"
#include "kernel/thread/thread.h"
#include "kernel/time/clock.h"
#include "kernel/time/timer.h"

/* Nothing here wants a tick: no thread's time slice ends, and none can be given away. */
static bool tick_may_rest(const struct cpu *cpu)
{
    return cpu->current == cpu->idle && cpu->ready.top < 0;
}

/* The rare part: timers are due, ticks were missed, or there is nothing to do. */
static __attribute__((noinline)) int tick_work(struct cpu *cpu, uint64_t now)
{
    struct cpu_clock *clock = &cpu->clock;

    if (now >= clock->timer_deadline) {
        clock->timer_deadline = CLOCK_NEVER; /* callbacks may set timers */
        uint64_t earliest = timer_run(clock_now());

        clock_set_timer_deadline(clock, earliest);
    }
    if (now >= clock->next_tick) {
        clock_catch_up(clock, now);
        thread_tick();
    }
    clock->resting = tick_may_rest(cpu);
    return clock_arm_next(clock, now);
}

int tick_interrupt(void *unused)
{
    struct cpu *cpu = cpu_current();
    struct cpu_clock *clock = &cpu->clock;
    uint64_t now = cycles_extend(clock->extended);
    uint64_t next = clock->next_tick + clock_tick_cycles;

    (void)unused;
    clock->extended = now;
    if (__builtin_expect(now - clock->next_tick >= clock_tick_cycles || clock->next_timer < next ||
                             cpu->current == cpu->idle,
                         0))
        return tick_work(cpu, now);
    clock->next_tick = next;
    clock->armed = next;
    if (__builtin_expect(cpu->ready.top >= 0, 0))
        thread_tick();
    return event_timer_arm(now, next);
}

/* Whoever else is on the line came before the deadline, or after it: then what is due is done. */
int tick_interrupt_shared(void *unused)
{
    const struct cpu_clock *clock = &cpu_current()->clock;

    return cycles_extend(clock->extended) < clock->armed ? 0 : tick_interrupt(unused);
}

void tick_start(uint64_t cycles_per_second)
{
    uintptr_t state = interrupts_save();

    interrupt_time_begins();
    clock_start(cycles_per_second);
    interrupts_restore(state);
}
