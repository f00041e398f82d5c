/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What stats/ needs from whoever hosts it. The kernel answers in kernel/time/stats_port.c, the
 * host library in stats/host/host_port.c; nothing else in stats/ reaches outside its layer, except
 * the increment itself, which is <machine/evcnt.h>.
 */
#ifndef STATS_PORT_H
#define STATS_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * One spinlock for all of stats/: interrupts of this CPU are held off, other CPUs kept out. It is
 * not recursive. What lock() returned goes to the matching unlock(). Held for a bounded number of
 * instructions only. Usable in interrupt handlers and before anything else is set up.
 */
uintptr_t stats_port_lock(void);
void stats_port_unlock(uintptr_t state);

/*
 * Memory, not cleared, aligned for any type. NULL when there is none, or none yet. Called without
 * the lock, from thread context.
 */
void *stats_port_alloc(size_t size);
void stats_port_free(void *memory, size_t size);

/* Nanoseconds since start-up; never goes back. */
uint64_t stats_port_time_ns(void);

/* Nanoseconds since 1970-01-01 UTC; 0 if nobody knows. Thread context. */
uint64_t stats_port_wall_ns(void);

/* The number of the CPU this runs on, from 0. */
unsigned stats_port_cpu(void);

/*
 * Sleeping locks, in thread context: a kmutex_t in the kernel, a host_mutex_t on the host. Entering
 * one that the caller owns panics.
 */
void stats_port_mutex_enter(void *mutex);
void stats_port_mutex_exit(void *mutex);
bool stats_port_mutex_owned(const void *mutex); /* by the caller */

/* The one that guards the list of kstats. wait() is called with it: leaves it, sleeps until wake()
 * or for no reason, enters it again. */
void *stats_port_chain_mutex(void);
void stats_port_chain_wait(void);
void stats_port_chain_wake(void);

/* 0 after at least that time, not 0 if the sleep was interrupted. Thread context. */
int stats_port_sleep(uint64_t ns);

/* Where the calling thread keeps the error number of a library call. */
int *stats_port_errno(void);

/* Whether the caller may change what the kernel exports. */
bool stats_port_privileged(void);

/* A line for the log, without its end. The formats of stats_port_panic. */
void stats_port_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * The end: a programming error was found. Formats understand %s, %.*s, %u, %d, %p. Called without
 * the lock.
 */
void stats_port_panic(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

#endif
