/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sleeping locks, as mutex(9) of NetBSD: who finds one taken sleeps until it is free. For thread
 * context only. Entering one that the caller owns, leaving one that it does not own, and destroying
 * one that is owned panic by name.
 */
#pragma once

#include <stdbool.h>
#include "kernel/wait.h"

struct thread;

typedef struct kmutex {
    const char *name;
    struct thread *owner; /* NULL: free */
    struct spinlock lock;
    struct wait_queue waiters;
} kmutex_t;

void mutex_init(kmutex_t *mutex, const char *name);
void mutex_destroy(kmutex_t *mutex);
void mutex_enter(kmutex_t *mutex);
bool mutex_tryenter(kmutex_t *mutex);
void mutex_exit(kmutex_t *mutex);
bool mutex_owned(const kmutex_t *mutex); /* by the caller */
