/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Spinlocks and mutexes of the checked build: what each CPU and each thread holds, so that order,
 * sleep and statistics can be looked after. Compiled in the checked build only.
 */
#include <arch/cpu.h>
#include <arch/interrupt_flag.h>
#include "kernel/time/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/lock/lock_order.h"
#include "kernel/thread/mutex.h"
#include "kernel/base/panic.h"
#include "kernel/lock/spinlock.h"
#include "kernel/base/symbol.h"
#include "kernel/thread/thread.h"

#define CALLER    ((uintptr_t)__builtin_return_address(0))
#define HELD_MOST 16 /* spinlocks that a CPU holds at once */

/* Its CPU's own, interrupts off. */
static struct held {
    unsigned count;
    struct lock_hold locks[HELD_MOST];
} held_by[CPU_MAX];

static struct held *lock_checked_held_here(void)
{
    return &held_by[cpu_current()->id];
}

static bool lock_checked_nothing_held(void)
{
    uintptr_t state = interrupts_save();
    const struct cpu *cpu = cpu_current();
    bool nothing = lock_checked_held_here()->count == 0 && !cpu->in_handler &&
                   cpu->ipl == IPL_NONE && cpu->current && cpu->current != cpu->idle &&
                   cpu->preempt_off == 0;

    interrupts_restore(state);
    return nothing;
}

static void lock_checked_push(const struct lock_hold *hold)
{
    struct held *held = lock_checked_held_here();

    if (held->count == HELD_MOST)
        panic("spinlock: %s taken while %u others are held", hold->record->name, HELD_MOST);
    held->locks[held->count++] = *hold;
}

static void lock_checked_pop(struct spinlock *lock)
{
    struct held *held = lock_checked_held_here();
    unsigned i = held->count;

    while (i > 0 && held->locks[i - 1].lock != lock)
        i--;
    if (i == 0)
        return; /* taken when checking had ended */
    lock_stats_left(&lock->record, cycles_between(held->locks[i - 1].since, cycles_now()));
    for (held->count--; i <= held->count; i++)
        held->locks[i - 1] = held->locks[i];
}

static void lock_checked_check(struct spinlock *lock, const struct lock_hold *hold)
{
    const struct held *held = lock_checked_held_here();

    if (lock_order_ended())
        return;
    if (!lock->record.name)
        lock_stats_begin(&lock->record, lock->name, false);
    for (unsigned i = 0; i < held->count; i++)
        lock_order_check(&held->locks[i], hold);
}

static void lock_checked_taken(struct spinlock *lock, struct lock_hold *hold, bool contended)
{
    uint64_t now = cycles_now();

    if (lock_order_ended())
        return;
    lock_stats_taken(&lock->record, contended, cycles_between(hold->since, now));
    hold->since = now;
    lock_checked_push(hold);
}

/* Interrupts off; STATE says what they were. */
static void lock_checked_take(struct spinlock *lock, uintptr_t state, uintptr_t pc)
{
    struct lock_hold hold = {lock, &lock->record, pc, cycles_now()};
    bool contended;

    if (!spinlock_held(lock)) /* if it is, that is what will be reported */
        lock_checked_check(lock, &hold);
    contended = !spinlock_word_take(&lock->held, spinlock_here());
    if (contended)
        spinlock_wait_open(lock, state);
    lock_checked_taken(lock, &hold, contended);
}

static void lock_checked_give_up(struct spinlock *lock)
{
    if (!spinlock_held(lock))
        spinlock_not_held(lock);
    lock_checked_pop(lock);
    spinlock_word_free(&lock->held);
}

void spinlock_init(struct spinlock *lock, const char *name)
{
    lock->name = name;
    lock->held = 0;
    lock_stats_reset(&lock->record);
}

uintptr_t spinlock_acquire(struct spinlock *lock)
{
    uintptr_t state = interrupts_save();

    lock_checked_take(lock, state, CALLER);
    return state;
}

void spinlock_release(struct spinlock *lock, uintptr_t state)
{
    lock_checked_give_up(lock);
    spl_restore(state);
    if (interrupts_were_enabled(state) && lock_checked_nothing_held())
        lock_order_complain();
}

void spinlock_lock(struct spinlock *lock)
{
    uintptr_t state = interrupts_save();

    if (interrupts_were_enabled(state))
        panic("spinlock: %s locked with interrupts on", lock->name);
    lock_checked_take(lock, state, CALLER);
}

void spinlock_unlock(struct spinlock *lock)
{
    lock_checked_give_up(lock);
}

bool spinlock_try(struct spinlock *lock)
{
    struct lock_hold hold = {lock, &lock->record, CALLER, cycles_now()};

    if (!spinlock_word_take(&lock->held, spinlock_here()))
        return false;
    if (!lock->record.name && !lock_order_ended())
        lock_stats_begin(&lock->record, lock->name, false);
    lock_checked_taken(lock, &hold, false); /* in no order: it did not wait */
    return true;
}

/* --- sleep, and what sleeps --- */

static void lock_checked_check_sleep(const struct spinlock *except, uintptr_t pc)
{
    uintptr_t state = interrupts_save(), at = 0, from = 0;
    const struct held *held = lock_checked_held_here();
    const char *taker, *sleeper;
    unsigned i = 0;

    while (i < held->count && held->locks[i].lock == except)
        i++;
    if (i < held->count && !lock_order_ended()) {
        lock_order_end();
        taker = symbol_find(held->locks[i].pc, &at);
        sleeper = symbol_find(pc, &from);
        panic("lock order: a sleep at %s+0x%lx while spinlock \"%s\" is held, taken at %s+0x%lx",
              sleeper ? sleeper : "?", (unsigned long)from, held->locks[i].record->name,
              taker ? taker : "?", (unsigned long)at);
    }
    interrupts_restore(state);
}

void lock_order_sleep(const struct spinlock *except)
{
    lock_checked_check_sleep(except, CALLER);
}

void mutex_check_init(struct kmutex *mutex)
{
    lock_stats_reset(&mutex->check.record);
}

uint64_t mutex_check_clock(void)
{
    return clock_now();
}

/* Since BEFORE; mutexes are held for longer than the cycle counter of every machine lasts. */
static uint64_t lock_checked_cycles_since(uint64_t before)
{
    return clock_ns_to_cycles(clock_now() - before);
}

void mutex_check_enter(struct kmutex *mutex, uintptr_t pc)
{
    uintptr_t state = interrupts_save();
    struct lock_record *record = &mutex->check.record;
    struct lock_hold next = {mutex, record, pc, 0};

    lock_checked_check_sleep(NULL, pc);
    if (!record->name)
        lock_stats_begin(record, mutex->name, true);
    for (struct kmutex *held = thread_current()->mutexes; held; held = held->check.next) {
        struct lock_hold hold = {held, &held->check.record, held->check.pc, 0};

        if (held != mutex)
            lock_order_check(&hold, &next);
    }
    interrupts_restore(state);
}

void mutex_check_taken(struct kmutex *mutex, uintptr_t pc, bool contended, uint64_t asked)
{
    struct mutex_check *check = &mutex->check;
    struct thread *self = thread_current();

    if (!check->record.name)
        lock_stats_begin(&check->record, mutex->name, true);
    lock_stats_taken(&check->record, contended, contended ? lock_checked_cycles_since(asked) : 0);
    check->pc = pc;
    check->since = clock_now();
    check->next = self->mutexes;
    self->mutexes = mutex;
}

void mutex_check_left(struct kmutex *mutex)
{
    struct kmutex **link = &thread_current()->mutexes;

    while (*link && *link != mutex)
        link = &(*link)->check.next;
    if (*link)
        *link = mutex->check.next;
    lock_stats_left(&mutex->check.record, lock_checked_cycles_since(mutex->check.since));
}
