/* SPDX-License-Identifier: BSD-2-Clause */
/* What the checked build sees of mutexes: their order, and their statistics. Nothing in the release
 * build. Called with the mutex's spinlock
 * held, but for mutex_check_enter. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "kernel/lock/lock_stats.h"

struct kmutex;

/* A thread's mutexes are a list, the latest first. */
struct mutex_check {
    struct kmutex *next; /* its owner writes */
    uintptr_t pc;
    uint64_t since;
    struct lock_record record;
};

#if LOCK_STATS

#define MUTEX_CHECK(field) struct mutex_check field;

void mutex_check_init(struct kmutex *mutex);
/* The caller is about to enter it, or to wait for a condition with it, at PLACE: panics if that is
 * in the wrong order, or with a spinlock held. */
void mutex_check_enter(struct kmutex *mutex, uintptr_t pc);
/* The time, where it is wanted. */
uint64_t mutex_check_clock(void);
/* It is the caller's, who asked for it at ASKED. */
void mutex_check_taken(struct kmutex *mutex, uintptr_t pc, bool contended, uint64_t asked);
/* It is about to be no longer. */
void mutex_check_left(struct kmutex *mutex);

#else

#define MUTEX_CHECK(field)

static inline void mutex_check_init(struct kmutex *mutex)
{
    (void)mutex;
}

static inline uint64_t mutex_check_clock(void)
{
    return 0;
}

static inline void mutex_check_enter(struct kmutex *mutex, uintptr_t pc)
{
    (void)mutex;
    (void)pc;
}

static inline void mutex_check_taken(struct kmutex *mutex, uintptr_t pc, bool contended,
                                     uint64_t asked)
{
    (void)mutex;
    (void)pc;
    (void)contended;
    (void)asked;
}

static inline void mutex_check_left(struct kmutex *mutex)
{
    (void)mutex;
}

#endif
