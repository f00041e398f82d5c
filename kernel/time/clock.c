/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The clock: cycle counter to nanoseconds, and the deadline that the event timer is set for. What
 * happens at a tick is thread/tick.c's business.
 *
 * All decisions are made in cycles of a 64-bit count that never wraps: the TSC, or Count of MIPS
 * extended at every clock interrupt. Nanoseconds are cycles times a constant, so time cannot go
 * back and reading it takes no lock.
 */
#include "kernel/time/clock.h"
#include <arch/cpu.h>
#include <arch/event_timer.h>
#include "kernel/cpu/cpu.h"
#include "kernel/base/panic.h"
#include "kernel/lock/spinlock.h"

uint64_t clock_ns_per_cycle; /* 0 before clock_start, so that time stands still */
uint64_t clock_tick_cycles = 1;
static uint64_t first_cycles; /* the count at time 0 */
static uint64_t frequency = 1000000000;
static uint64_t (*wall_source)(void);
static volatile uint64_t wall_at_zero;
static struct spinlock wall_lock = SPINLOCK_INITIALIZER("wall clock");

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
    uint64_t since = cycles_extend(*(volatile uint64_t *)&cpu_of(0)->clock.extended);

    return clock_cycles_to_ns(since - first_cycles);
}

/* The cycle count at time NS. */
static uint64_t clock_cycles_at(uint64_t ns)
{
    return ns == CLOCK_NEVER ? CLOCK_NEVER : first_cycles + clock_ns_to_cycles(ns) + 1;
}

void clock_set_timer_deadline(struct cpu_clock *clock, uint64_t ns)
{
    clock->timer_deadline = clock_cycles_at(ns);
    clock->next_timer = event_timer_peculiar() ? 0 : clock->timer_deadline;
}

int clock_arm_next(struct cpu_clock *clock, uint64_t now)
{
    uint64_t tick = clock->next_tick + (clock->resting ? (CLOCK_HZ - 1) * clock_tick_cycles : 0);
    uint64_t deadline = clock->timer_deadline < tick ? clock->timer_deadline : tick;

    if (deadline <= now)
        deadline = now + 1;
    clock->armed = deadline;
    return event_timer_arm_anywhere(now, deadline);
}

void clock_catch_up(struct cpu_clock *clock, uint64_t now)
{
    if (now >= clock->next_tick)
        clock->next_tick += ((now - clock->next_tick) / clock_tick_cycles + 1) * clock_tick_cycles;
}

void clock_end_rest(struct cpu_clock *clock)
{
    clock->resting = false;
    clock->extended = cycles_extend(clock->extended);
    clock_catch_up(clock, clock->extended);
    if (clock->next_tick < clock->armed)
        clock_arm_next(clock, clock->extended);
}

void clock_deadline_changed(uint64_t deadline)
{
    struct cpu_clock *clock = &cpu_current()->clock;

    clock_set_timer_deadline(clock, deadline);
    if (clock->timer_deadline < clock->armed)
        clock_arm_next(clock, clock->extended = cycles_extend(clock->extended));
}

void clock_start_cpu(void)
{
    struct cpu_clock *clock = &cpu_current()->clock;

    clock->extended = cycles_extend(0);
    clock->next_tick = clock->extended + clock_tick_cycles;
    clock_set_timer_deadline(clock, CLOCK_NEVER);
    clock_arm_next(clock, clock->extended);
}

void clock_start(uint64_t cycles_per_second)
{
    ASSERT(cycles_per_second > CLOCK_HZ);
    frequency = cycles_per_second;
    clock_ns_per_cycle = (1000000000ull << 32) / cycles_per_second;
    clock_tick_cycles = frequency / CLOCK_HZ;
    first_cycles = cycles_extend(0);
    clock_start_cpu();
}

void clock_set_wall_source(uint64_t (*seconds)(void))
{
    wall_source = seconds;
}

uint64_t clock_wall(void)
{
    if (!wall_at_zero && wall_source) {
        uint64_t seconds = wall_source(), at_zero = seconds * 1000000000 - clock_now();
        uintptr_t state = spinlock_acquire(&wall_lock);

        if (seconds && !wall_at_zero) /* another CPU may have been first */
            wall_at_zero = at_zero;
        spinlock_release(&wall_lock, state);
    }
    return wall_at_zero ? wall_at_zero + clock_now() : 0;
}

uint64_t clock_boot_time(void)
{
    clock_wall();
    return wall_at_zero;
}
