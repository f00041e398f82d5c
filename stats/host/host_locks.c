/* SPDX-License-Identifier: BSD-2-Clause */
/* The host's answers to stats/port.h for what may sleep, and for the log and privilege. */
#include "stats/host/host_locks.h"

#include <quipu_host.h>

#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>

#include "stats/port.h"

static host_mutex_t chain;
static int (*on_sleep)(uint64_t ns);
static int unprivileged;

static __thread char self; /* its address stands for the thread */
static __thread char last_line[256];

void stats_port_mutex_enter(void *mutex)
{
    host_mutex_t *m = mutex;
    void *owner = NULL;

    while (!__atomic_compare_exchange_n(&m->owner, &owner, &self, 0, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED)) {
        if (owner == &self)
            stats_port_panic("host: mutex %p entered twice", mutex);
        owner = NULL;
        sched_yield();
    }
}

void stats_port_mutex_exit(void *mutex)
{
    host_mutex_t *m = mutex;

    if (!stats_port_mutex_owned(m))
        stats_port_panic("host: mutex %p left by another than its owner", mutex);
    __atomic_store_n(&m->owner, NULL, __ATOMIC_RELEASE);
}

bool stats_port_mutex_owned(const void *mutex)
{
    const host_mutex_t *m = mutex;

    return __atomic_load_n(&m->owner, __ATOMIC_RELAXED) == &self;
}

void host_mutex_enter(host_mutex_t *mutex)
{
    stats_port_mutex_enter(mutex);
}

void host_mutex_exit(host_mutex_t *mutex)
{
    stats_port_mutex_exit(mutex);
}

void *stats_port_chain_mutex(void)
{
    return &chain;
}

void stats_port_chain_wait(void)
{
    stats_port_mutex_exit(&chain);
    sched_yield();
    stats_port_mutex_enter(&chain);
}

void stats_port_chain_wake(void)
{
}

int stats_port_sleep(uint64_t ns)
{
    host_clock_set(stats_port_time_ns() + ns);
    return on_sleep != NULL ? on_sleep(ns) : 0;
}

int *stats_port_errno(void)
{
    return &errno;
}

bool stats_port_privileged(void)
{
    return !unprivileged;
}

void stats_port_log(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(last_line, sizeof last_line, format, args);
    va_end(args);
}

const char *host_log_last(void)
{
    return last_line;
}

void host_on_sleep(int (*f)(uint64_t ns))
{
    on_sleep = f;
}

void host_privileged_set(int privileged)
{
    unprivileged = !privileged;
}

void host_locks_reset(void)
{
    __atomic_store_n(&chain.owner, NULL, __ATOMIC_RELEASE);
    on_sleep = NULL;
    unprivileged = 0;
    last_line[0] = '\0';
}
