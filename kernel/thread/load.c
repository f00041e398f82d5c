/* SPDX-License-Identifier: BSD-2-Clause */
/* Load averages and sums, looked at once a second: see load.h. */
#include "kernel/thread/load.h"
#include "kernel/cpu/cpu.h"
#include "kernel/memory/page.h"
#include "kernel/time/clock.h"
#include "kernel/time/timer.h"

#define SECOND       UINT64_C(1000000000)
#define AVERAGE_BITS 20 /* of a fraction; 2^10 threads leave room for the product */
#define FADE_BITS    30

/* What a look counts in the mean over so many seconds: 1 - exp(-1 / seconds), of 2^30. */
static const uint64_t fade[LOAD_AVERAGES] = {
    17747391, /* 60 */
    3573181,  /* 300 */
    1192384,  /* 900 */
};

static struct timer load_timer;
static struct spinlock load_lock = SPINLOCK_INITIALIZER("load");
static struct load_sums load_sums; /* under the lock, as is what follows */
static uint64_t disk_waiters;
static uint64_t load_averages[LOAD_AVERAGES]; /* times 2^AVERAGE_BITS */

/* Towards NOW, which is in the same unit. */
static uint64_t load_faded(uint64_t average, uint64_t now, uint64_t part)
{
    if (now > average)
        return average + ((now - average) * part >> FADE_BITS);
    return average - ((average - now) * part >> FADE_BITS);
}

/* Threads that wait for a CPU; those that have one, by *RUNNING. */
static uint64_t load_count(uint64_t *running)
{
    uint64_t ready = 0;

    *running = 0;
    for (unsigned i = 0; i < cpu_count(); i++) {
        const struct cpu *cpu = cpu_of(i);

        ready += cpu->ready.count;
        *running += *(struct thread *const volatile *)&cpu->current != cpu->idle;
    }
    return ready;
}

uint32_t load_now(void)
{
    uint64_t running, ready = load_count(&running);

    return (uint32_t)(ready + running);
}

static void load_look(struct timer *timer)
{
    uint64_t running, ready = load_count(&running), next = timer_deadline(timer) + SECOND,
                      now = clock_now();
    struct page_stats pages;
    uintptr_t state;

    page_stats_get(&pages);
    state = spinlock_acquire(&load_lock);
    load_sums.looks++;
    load_sums.ready += ready;
    load_sums.occupied += ready > 0;
    load_sums.waiting += disk_waiters;
    load_sums.free += pages.free;
    for (unsigned i = 0; i < LOAD_AVERAGES; i++)
        load_averages[i] = load_faded(load_averages[i], (running + ready) << AVERAGE_BITS, fade[i]);
    spinlock_release(&load_lock, state);
    /* Seconds in which the machine stood still are left out. */
    timer_set(timer, next > now ? next : clock_after(now, SECOND), load_look);
}

void load_start(void)
{
    timer_set(&load_timer, clock_after(clock_now(), SECOND), load_look);
}

void load_disk_wait(bool begins)
{
    spinlock_lock(&load_lock);
    if (begins)
        disk_waiters++;
    else
        disk_waiters--;
    spinlock_unlock(&load_lock);
}

void load_sums_get(struct load_sums *out)
{
    uintptr_t state = spinlock_acquire(&load_lock);

    *out = load_sums;
    spinlock_release(&load_lock, state);
}

uint32_t load_average(unsigned which, unsigned bits)
{
    uintptr_t state = spinlock_acquire(&load_lock);
    uint64_t average = load_averages[which];

    spinlock_release(&load_lock, state);
    return (uint32_t)(average >> (AVERAGE_BITS - bits));
}
