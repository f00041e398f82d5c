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

/* The rare part: timers are due, ticks were missed, or a thread's time slice is over. */
static __attribute__((noinline)) int tick_work(struct cpu_clock *clock, uint64_t now)
{
    if (now >= clock->timer_deadline) {
        clock->timer_deadline = CLOCK_NEVER; /* callbacks may set timers */
        uint64_t earliest = timer_run(clock_now());

        clock_set_timer_deadline(clock, earliest);
    }
    if (now >= clock->next_tick) {
        /* Late ticks that nobody saw do not come again. */
        clock->next_tick += ((now - clock->next_tick) / clock_tick_cycles + 1) * clock_tick_cycles;
        thread_tick();
        scheduler_balance();
    }
    return clock_arm_next(clock, now);
}

int tick_interrupt(void *unused)
{
    struct cpu_clock *clock = &cpu_current()->clock;
    uint64_t now = cycles_extend(clock->extended);
    uint64_t next = clock->next_tick + clock_tick_cycles;

    (void)unused;
    clock->extended = now;
    if (__builtin_expect(now - clock->next_tick >= clock_tick_cycles || clock->next_timer < next ||
                             thread_slice_over(),
                         0))
        return tick_work(clock, now);
    clock->next_tick = next;
    clock->armed = next;
    return event_timer_arm(now, next);
}

void tick_start(uint64_t cycles_per_second)
{
    uintptr_t state = interrupts_save();

    interrupt_time_begins();
    clock_start(cycles_per_second);
    interrupts_restore(state);
}
