/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The clock: cycle counter to nanoseconds, tick, deadlines.
 *
 * All decisions are made in cycles of a 64-bit count that never wraps: the TSC, or Count of MIPS
 * extended at every clock interrupt. Nanoseconds are cycles times a constant, so time cannot go
 * back and reading it takes no lock.
 */
#include "kernel/clock.h"
#include <arch/cpu.h>
#include <arch/event_timer.h>
#include <arch/interrupt_flag.h>
#include "kernel/panic.h"
#include "kernel/scheduler.h"
#include "kernel/thread.h"
#include "kernel/timer.h"

#define NEVER UINT64_MAX

/* What the clock interrupt works on, in one place; interrupts off, but for readers of extended. */
static struct {
    uint64_t extended;   /* a recent cycle count in 64 bits */
    uint64_t next_tick;  /* in cycles, as the others */
    uint64_t next_timer; /* NEVER if none is set; 0 if the straight way must not be taken */
    uint64_t armed;      /* the deadline that the event timer is set for */
    uint64_t tick_cycles;
} state = {0, NEVER, NEVER, NEVER, 1};

uint64_t clock_ns_per_cycle; /* 0 before clock_start, so that time stands still */
static uint64_t timer_deadline = NEVER;
static uint64_t first_cycles; /* the count at time 0 */
static uint64_t frequency = 1000000000;
static uint64_t (*wall_source)(void);
static uint64_t wall_at_zero;

/* cycles * clock_ns_per_cycle / 2^32 without overflow. */
uint64_t clock_cycles_to_ns(uint64_t cycles)
{
    return (uint64_t)(((unsigned __int128)cycles * clock_ns_per_cycle) >> 32);
}

uint64_t clock_ns_to_cycles(uint64_t ns)
{
    uint64_t seconds = ns / 1000000000, rest = ns % 1000000000;

    return seconds * frequency + rest * frequency / 1000000000;
}

uint64_t clock_frequency(void)
{
    return frequency;
}

uint64_t clock_now(void)
{
    uint64_t since = cycles_extend(*(volatile uint64_t *)&state.extended);

    return clock_cycles_to_ns(since - first_cycles);
}

/* The cycle count at time NS. */
static uint64_t cycles_at(uint64_t ns)
{
    return ns == NEVER ? NEVER : first_cycles + clock_ns_to_cycles(ns) + 1;
}

static void set_timer_deadline(uint64_t ns)
{
    timer_deadline = cycles_at(ns);
    state.next_timer = event_timer_peculiar() ? 0 : timer_deadline;
}

/* Arms for the nearer of tick and timer. */
static int arm_next(uint64_t now)
{
    uint64_t deadline = timer_deadline < state.next_tick ? timer_deadline : state.next_tick;

    if (deadline <= now)
        deadline = now + 1;
    state.armed = deadline;
    return event_timer_arm_anywhere(now, deadline);
}

/* The rare part: timers are due, ticks were missed, or a thread's turn is over. */
static __attribute__((noinline)) int clock_work(uint64_t now)
{
    if (now >= timer_deadline)
        set_timer_deadline(timer_run(clock_now()));
    if (now >= state.next_tick) {
        /* Late ticks that nobody saw do not come again. */
        state.next_tick += ((now - state.next_tick) / state.tick_cycles + 1) * state.tick_cycles;
        thread_tick();
    }
    return arm_next(now);
}

int clock_interrupt(void *unused)
{
    uint64_t now = cycles_extend(state.extended);
    uint64_t next = state.next_tick + state.tick_cycles;

    (void)unused;
    state.extended = now;
    if (__builtin_expect(now - state.next_tick >= state.tick_cycles || state.next_timer < next ||
                             thread_turn_over(),
                         0))
        return clock_work(now);
    state.next_tick = next;
    state.armed = next;
    return event_timer_arm(now, next);
}

void clock_deadline_changed(void)
{
    set_timer_deadline(timer_earliest());
    if (timer_deadline < state.armed)
        arm_next(state.extended = cycles_extend(state.extended));
}

void clock_start(uint64_t cycles_per_second)
{
    uintptr_t interrupts = interrupts_save();

    ASSERT(cycles_per_second > CLOCK_HZ);
    frequency = cycles_per_second;
    clock_ns_per_cycle = (1000000000ull << 32) / cycles_per_second;
    state.tick_cycles = frequency / CLOCK_HZ;
    state.extended = first_cycles = cycles_extend(0);
    state.next_tick = state.extended + state.tick_cycles;
    set_timer_deadline(NEVER);
    arm_next(state.extended);
    interrupts_restore(interrupts);
}

void clock_set_wall_source(uint64_t (*seconds)(void))
{
    wall_source = seconds;
}

uint64_t clock_wall(void)
{
    if (!wall_at_zero && wall_source) {
        uint64_t seconds = wall_source();

        if (seconds)
            wall_at_zero = seconds * 1000000000 - clock_now();
    }
    return wall_at_zero ? wall_at_zero + clock_now() : 0;
}
