/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The clock: cycle counter to nanoseconds, tick, deadlines.
 *
 * All decisions are made in cycles of a 64-bit count that never wraps: the TSC, or Count of MIPS extended at every clock
 * interrupt. Nanoseconds are cycles times a constant, so time cannot go back and reading it takes no lock.
 */
#include "kernel/clock.h"
#include <arch/cpu.h>
#include <arch/interrupt_flag.h>
#include "kernel/panic.h"
#include "kernel/thread.h"
#include "kernel/timer.h"

#define NEVER UINT64_MAX

static uint64_t extended;     /* a recent cycle count in 64 bits; the clock interrupt writes */
static uint64_t first_cycles; /* the count at time 0 */
uint64_t clock_ns_per_cycle; /* 32.32 fixed point; 0 before clock_start, so that time stands still */
static uint64_t frequency = 1000000000;
static uint64_t tick_cycles;
static uint64_t next_tick = NEVER; /* in cycles, as the next two */
static uint64_t next_timer = NEVER;
static uint64_t armed = NEVER; /* deadline that the timer is set for */
static void (*arm)(uint64_t now, uint64_t deadline);
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
    uint64_t since = cycles_extend(*(volatile uint64_t *)&extended);

    return clock_cycles_to_ns(since - first_cycles);
}

/* The cycle count at time NS. */
static uint64_t cycles_at(uint64_t ns)
{
    return ns == NEVER ? NEVER : first_cycles + clock_ns_to_cycles(ns) + 1;
}

/* Runs the timers that are due; rare, so kept out of the way of the tick. */
static __attribute__((noinline)) void run_timers(void)
{
    next_timer = cycles_at(timer_run(clock_now()));
}

/* The tick is late by more than one: ticks that nobody saw do not come again. */
static __attribute__((noinline)) void skip_ticks(uint64_t now)
{
    next_tick += ((now - next_tick) / tick_cycles + 1) * tick_cycles;
}

int clock_interrupt(void *unused)
{
    uint64_t now = cycles_extend(extended);

    (void)unused;
    extended = now;
    if (__builtin_expect(now >= next_timer, 0))
        run_timers();
    if (now >= next_tick) {
        next_tick += tick_cycles;
        if (__builtin_expect(now >= next_tick, 0))
            skip_ticks(now);
        thread_tick();
    }
    armed = next_timer < next_tick ? next_timer : next_tick;
    arm(now, armed);
    return 1;
}

void clock_deadline_changed(void)
{
    next_timer = cycles_at(timer_earliest());
    if (next_timer < armed) {
        armed = next_timer;
        arm(cycles_extend(extended), armed);
    }
}

void clock_start(uint64_t cycles_per_second, const struct event_timer *timer)
{
    uintptr_t state = interrupts_save();

    ASSERT(cycles_per_second > CLOCK_HZ);
    frequency = cycles_per_second;
    tick_cycles = frequency / CLOCK_HZ;
    extended = first_cycles = cycles_extend(0);
    clock_ns_per_cycle = (1000000000ull << 32) / cycles_per_second;
    next_tick = extended + tick_cycles;
    armed = next_tick;
    arm = timer->arm;
    arm(extended, armed);
    interrupts_restore(state);
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
