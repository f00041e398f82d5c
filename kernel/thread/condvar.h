/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Condition variables, as condvar(9) of NetBSD: a wait leaves the mutex and enters it again,
 * without a gap in which a signal could be lost, if whoever changes the condition owns the mutex
 * while it does. Waits may end without a signal: callers check their condition in a loop.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "kernel/thread/mutex.h"

typedef struct kcondvar {
    const char *name;
    struct wait_queue waiters;
} kcondvar_t;

void cv_init(kcondvar_t *cv, const char *name);
void cv_destroy(kcondvar_t *cv); /* panics by name if somebody waits */
void cv_wait(kcondvar_t *cv, kmutex_t *mutex);
/* 0, or -EINTR where an interruption (kernel/thread/thread.h) ended it. */
int cv_wait_sig(kcondvar_t *cv, kmutex_t *mutex);
/* Until clock_now() reaches DEADLINE: 0, or -ETIMEDOUT. */
int cv_timedwait(kcondvar_t *cv, kmutex_t *mutex, uint64_t deadline);
/* Both: 0, -EINTR, -ETIMEDOUT. */
int cv_timedwait_sig(kcondvar_t *cv, kmutex_t *mutex, uint64_t deadline);
void cv_signal(kcondvar_t *cv);    /* any context */
void cv_broadcast(kcondvar_t *cv); /* any context */
bool cv_has_waiters(const kcondvar_t *cv);
