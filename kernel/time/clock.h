/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Time: monotonic nanoseconds from the CPU's cycle counter, the 100 Hz tick, and the wall clock.
 *
 * The tick is 100 Hz (NetBSD's hz): often enough to share the CPU fairly and to extend MIPS's
 * 32-bit Count long before it wraps, seldom enough to cost nothing. A CPU that is idle has no use
 * for it: from its first idle tick on it ticks once a second. Between ticks the timer is programmed
 * for the earliest deadline, so sleeps and timers are as precise as the hardware, not as the tick.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define CLOCK_HZ      100u
#define CLOCK_TICK_NS (1000000000ull / CLOCK_HZ)

/* Nanoseconds since boot; never goes back. Any context. */
uint64_t clock_now(void);

/* NS after TIME, or UINT64_MAX, which never comes. */
static inline uint64_t clock_after(uint64_t time, uint64_t ns)
{
    uint64_t after;

    return __builtin_add_overflow(time, ns, &after) ? UINT64_MAX : after;
}

/* Nanoseconds since 1970-01-01 UTC, 0 if the board has no clock. The RTC is read on first use.
 * Thread context. */
uint64_t clock_wall(void);
/* When the system started, likewise. */
uint64_t clock_boot_time(void);

/* Cycle-counter units to nanoseconds and back, for durations. Any context. */
uint64_t clock_cycles_to_ns(uint64_t cycles);
uint64_t clock_ns_to_cycles(uint64_t ns);
extern uint64_t clock_ns_per_cycle; /* 32.32 fixed point; clock.c writes, once */
/* The former, quick, where clock_is_short says that the result is below 2^32. */
static inline bool clock_is_short(uint64_t cycles)
{
    return cycles >> 22 == 0;
}

static inline uint64_t clock_short_ns(uint64_t cycles)
{
    return cycles * clock_ns_per_cycle >> 32;
}

/* The cycle counter's frequency in Hz, as measured at boot. */
uint64_t clock_frequency(void);

/* For tick.c. Boot: the counter runs at CYCLES_PER_SECOND; ticks come from the machine's event
 * timer (<arch/event_timer.h>). Interrupts off. */
void clock_start(uint64_t cycles_per_second);
/* DEADLINE (of clock_now()) has become the earliest of this CPU's timers; interrupts off. For
 * timer.c. */
void clock_deadline_changed(uint64_t deadline);
/* A CPU other than the first begins to tick; interrupts off. */
void clock_start_cpu(void);
/*
 * For tick.c, interrupts off: the next timer of CLOCK, this CPU's, is due at NS; the event timer is
 * armed for the nearer of tick and timer, NOW being the cycle count.
 */
struct cpu_clock;
#define CLOCK_NEVER UINT64_MAX
void clock_set_timer_deadline(struct cpu_clock *clock, uint64_t ns);
int clock_arm_next(struct cpu_clock *clock, uint64_t now);
extern uint64_t clock_tick_cycles; /* clock.c writes, once */
/* The next tick of CLOCK comes after NOW: late ones that nobody saw do not come again. */
void clock_catch_up(struct cpu_clock *clock, uint64_t now);
/* The CPU has been idle, its ticks resting, and is not any more; interrupts off. */
void clock_end_rest(struct cpu_clock *clock);
/* The board's wall-clock source: seconds since 1970, 0 if unreadable. Set by the machine. */
void clock_set_wall_source(uint64_t (*seconds)(void));
