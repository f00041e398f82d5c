/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What stats/ needs from whoever hosts it. The kernel answers in kernel/stats_port.c, the host
 * library in stats/host/host_port.c; nothing else in stats/ reaches outside its layer, except the
 * increment itself, which is <machine/evcnt.h>.
 */
#ifndef STATS_PORT_H
#define STATS_PORT_H

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

/* A line for the log, without a newline: something is wrong that is no reason to stop. Any context,
 * without the lock. Formats as below. */
void stats_port_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The number of the CPU this runs on, from 0. */
unsigned stats_port_cpu(void);

/*
 * The end: a programming error was found. Formats understand %s, %.*s, %u, %d, %p. Called without
 * the lock.
 */
void stats_port_panic(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

#endif
