/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The clock: cycle counter to nanoseconds, tick, deadlines.
 *
 * Time is kept as (cycles, ns) at the last clock interrupt; now is that plus what the counter has moved since, so a
 * 32-bit counter is extended at every interrupt. Readers with interrupts on retry if an interrupt came between.
 */
#include "kernel/clock.h"
#include <arch/cpu.h>
#include <arch/interrupt_flag.h>
#include "kernel/panic.h"
#include "kernel/thread.h"
#include "kernel/timer.h"

#define MASK CYCLES_MASK_OF(CYCLES_BITS)

static uint64_t base_cycles, base_ns;
static volatile uint32_t base_version; /* moves with the two */
static uint64_t ns_per_cycle; /* 32.32 fixed point; 0 before clock_start, so that time stands still */
static uint64_t frequency = 1000000000;
static uint64_t next_tick = UINT64_MAX; /* multiple of CLOCK_TICK_NS */
static uint64_t armed;                  /* deadline that the timer is set for */
static const struct event_timer *event_timer;
static uint64_t (*wall_source)(void);
static uint64_t wall_at_zero;

/* cycles * ns_per_cycle / 2^32 without overflow. */
uint64_t clock_cycles_to_ns(uint64_t cycles)
{
    return (uint64_t)(((unsigned __int128)cycles * ns_per_cycle) >> 32);
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
    uint64_t cycles, ns;
    uint32_t version;

    do {
        version = base_version;
        __asm__ volatile("" : : : "memory");
        cycles = (cycles_now() - base_cycles) & MASK;
        ns = base_ns;
        __asm__ volatile("" : : : "memory");
    } while (version != base_version);
    return ns + clock_cycles_to_ns(cycles);
}

/* Moves the base to now; interrupts off. */
static uint64_t advance(void)
{
    uint64_t cycles = cycles_now();

    base_ns += clock_cycles_to_ns((cycles - base_cycles) & MASK);
    base_cycles = cycles;
    base_version++;
    return base_ns;
}

static void arm(uint64_t now, uint64_t deadline)
{
    uint64_t delay = deadline > now ? deadline - now : 1;

    armed = deadline;
    if (delay > event_timer->longest_ns)
        delay = event_timer->longest_ns;
    event_timer->arm(delay);
}

int clock_interrupt(void *unused)
{
    uint64_t now = advance();
    uint64_t timer = timer_earliest();

    (void)unused;
    if (timer <= now)
        timer = timer_run(now);
    if (now >= next_tick) {
        next_tick += CLOCK_TICK_NS;
        if (now >= next_tick) /* late: ticks that nobody saw do not come again */
            next_tick = now - now % CLOCK_TICK_NS + CLOCK_TICK_NS;
        thread_tick();
    }
    arm(now, timer < next_tick ? timer : next_tick);
    return 1;
}

void clock_deadline_changed(void)
{
    uint64_t earliest = timer_earliest();

    if (event_timer && earliest < armed)
        arm(clock_now(), earliest);
}

void clock_start(uint64_t cycles_per_second, const struct event_timer *timer)
{
    uintptr_t state = interrupts_save();

    ASSERT(cycles_per_second > 0);
    frequency = cycles_per_second;
    ns_per_cycle = (1000000000ull << 32) / cycles_per_second;
    event_timer = timer;
    base_cycles = cycles_now();
    next_tick = base_ns + CLOCK_TICK_NS;
    arm(base_ns, next_tick);
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
