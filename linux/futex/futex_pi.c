/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Locks of futex(2) whose word is the number of the thread that has them. A program takes and
 * leaves one that nobody waits for by itself; from the first waiter on the kernel hands it on.
 * Words change in one step here, as programs change them at the same time.
 */
#include "kernel/time/clock.h"
#include "linux/futex/futex.h"
#include "linux/futex/futex_private.h"
#include "linux/program/program_private.h"

#define MUST_FAULT 1 /* the page is not there, or not to be written to yet */

static struct futex_waiter *futex_pi_waiter(struct futex_key key, const struct futex_waiter *after)
{
    struct futex_waiter *waiter = after ? TAILQ_NEXT(after, link) : TAILQ_FIRST(futex_list(key));

    while (waiter && (waiter->owner == 0 || !futex_key_is(waiter->key, key)))
        waiter = TAILQ_NEXT(waiter, link);
    return waiter;
}

/* Takes the lock's page in, writable. */
static int futex_pi_fault(uint64_t at)
{
    uint32_t word = 0;

    return copyswap((void *)at, &word, 0);
}

static bool futex_pi_owner_lives(uint32_t owner)
{
    bool lives;

    spinlock_lock(&program_lock);
    lives = task_find(owner) != NULL;
    spinlock_unlock(&program_lock);
    return lives;
}

/* With the lock: takes the word for SELF, or (WAIT) says that somebody waits. 0, -EAGAIN: another
 * has it; -EDEADLK, -ESRCH, MUST_FAULT. */
static int futex_pi_take(uint64_t at, struct futex_key key, uint32_t self, bool wait)
{
    uint32_t word = 0, old, new;

    do {
        uint32_t owner = word & FUTEX_TID_MASK;

        old = word;
        if (owner == self)
            return -EDEADLK;
        if (owner != 0 && !wait)
            return -EAGAIN;
        if (owner != 0 && !futex_pi_owner_lives(owner))
            return -ESRCH;
        new = owner != 0 ? old | FUTEX_WAITERS
                         : self | (old & FUTEX_OWNER_DIED) |
                               (futex_pi_waiter(key, NULL) ? FUTEX_WAITERS : 0);
        if (copyswap((void *)at, &word, new) != 0)
            return MUST_FAULT;
    } while (word != old);
    return word & FUTEX_TID_MASK ? -EAGAIN : 0;
}

/* One turn: 0, an errno, or MUST_FAULT. -EAGAIN: it was woken, and looks again. */
static int futex_pi_turn(uint64_t at, struct futex_waiter *waiter, uint64_t deadline)
{
    uintptr_t state = spinlock_acquire(&futex_lock);
    int error = futex_pi_take(at, waiter->key, waiter->owner, true);

    if (error == -EAGAIN) {
        error = futex_sleep(waiter, &state, deadline);
        if (waiter->granted)
            error = 0;
        else if (error == 0)
            error = -EAGAIN;
    }
    spinlock_release(&futex_lock, state);
    return error;
}

long futex_lock_pi(uint64_t at, uint32_t operation, const void *timeout)
{
    struct futex_waiter waiter = {.bits = FUTEX_BITSET_MATCH, .owner = task_current()->id};
    bool real = (operation & 127) == FUTEX_LOCK_PI || operation & FUTEX_CLOCK_REALTIME;
    uint64_t deadline = WAIT_FOREVER;
    int error = timeout ? futex_deadline(timeout, real, &deadline) : 0;

    if (error == 0)
        error = futex_key(at, operation & FUTEX_PRIVATE, &waiter.key);
    if (error != 0)
        return error;
    do {
        error = futex_pi_turn(at, &waiter, deadline);
        if (error == MUST_FAULT)
            error = futex_pi_fault(at) == 0 ? -EAGAIN : -EFAULT;
    } while (error == -EAGAIN);
    return error == -EINTR ? -RESTART_ALWAYS : error;
}

long futex_trylock_pi(uint64_t at, bool private)
{
    struct futex_key key;
    uintptr_t state;
    int error = futex_key(at, private, &key);

    while (error == 0) {
        state = spinlock_acquire(&futex_lock);
        error = futex_pi_take(at, key, task_current()->id, false);
        spinlock_release(&futex_lock, state);
        if (error != MUST_FAULT)
            return error;
        error = futex_pi_fault(at);
    }
    return error;
}

/* With the lock: hands the word, which is SELF's, on. 0, -EPERM, MUST_FAULT. */
static int futex_pi_give(uint64_t at, struct futex_key key, uint32_t self)
{
    struct futex_waiter *next = futex_pi_waiter(key, NULL);
    uint32_t word = self | FUTEX_WAITERS, old, new = 0;

    if (next)
        new = next->owner | (futex_pi_waiter(key, next) ? FUTEX_WAITERS : 0);
    do {
        old = word;
        if ((old & FUTEX_TID_MASK) != self)
            return -EPERM;
        if (copyswap((void *)at, &word, new) != 0)
            return MUST_FAULT;
    } while (word != old);
    if (next) {
        next->granted = true;
        futex_wake_one(futex_list(key), next);
    }
    return 0;
}

long futex_unlock_pi(uint64_t at, bool private)
{
    struct futex_key key;
    uintptr_t state;
    int error = futex_key(at, private, &key);

    while (error == 0) {
        state = spinlock_acquire(&futex_lock);
        error = futex_pi_give(at, key, task_current()->id);
        spinlock_release(&futex_lock, state);
        if (error != MUST_FAULT)
            return error;
        error = futex_pi_fault(at);
    }
    return error;
}
