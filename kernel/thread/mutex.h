/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sleeping locks, as mutex(9) of NetBSD: who finds one taken sleeps until it is free. For thread
 * context only. Entering one that the caller owns, leaving one that it does not own, and destroying
 * one that is owned or waited for panic by name.
 *
 * Leaving wakes the longest sleeper, but does not hand the mutex over: whoever comes first enters.
 * A thread that leaves and enters again does so without a switch in between.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "kernel/thread/mutex_check.h"
#include "kernel/lock/spinlock.h"
#include "kernel/thread/wait.h"

struct thread;

typedef struct kmutex {
    const char *name;              /* referenced, never copied */
    struct thread *volatile owner; /* NULL: free; under lock, as the others */
    uint32_t waiting;              /* threads that wait to enter */
    struct spinlock lock;
    struct wait_queue waiters;
    MUTEX_CHECK(check)
} kmutex_t;

void mutex_init(kmutex_t *mutex, const char *name);
void mutex_destroy(kmutex_t *mutex);
void mutex_enter(kmutex_t *mutex);
bool mutex_tryenter(kmutex_t *mutex);
void mutex_exit(kmutex_t *mutex);
bool mutex_owned(const kmutex_t *mutex); /* by the caller */

/* How often CPU found a mutex taken: its part of the counter `sched`, `mutex waits`. */
uint64_t mutex_waits(unsigned cpu);

/* For condvar.c. The first gives MUTEX up, whose lock it takes, for a wait_sleep with that lock;
 * the second takes it again after that, and releases the lock. */
uintptr_t mutex_leave_for_sleep(kmutex_t *mutex);
void mutex_enter_after_sleep(kmutex_t *mutex, uintptr_t state, uintptr_t pc);
