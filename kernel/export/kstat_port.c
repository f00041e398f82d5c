/* SPDX-License-Identifier: BSD-2-Clause */
/* What statistics that may sleep ask of their host, answered by the kernel. */
#include <stdarg.h>
#include "stats/port.h"
#include "kernel/thread/condvar.h"
#include "kernel/base/log.h"
#include "kernel/thread/mutex.h"
#include "kernel/lock/spinlock.h"
#include "kernel/thread/thread.h"
#include "lib/format.h"

static struct spinlock lock = SPINLOCK_INITIALIZER("kstat start");
static bool ready; /* under lock, but for a first look; the two below are initialised */
static kmutex_t chain;
static kcondvar_t chain_changed;

void *stats_port_chain_mutex(void)
{
    uintptr_t state;

    if (__builtin_expect(__atomic_load_n(&ready, __ATOMIC_ACQUIRE), 1))
        return &chain;
    state = spinlock_acquire(&lock);
    if (!ready) {
        mutex_init(&chain, "kstat chain");
        cv_init(&chain_changed, "kstat chain");
        __atomic_store_n(&ready, true, __ATOMIC_RELEASE);
    }
    spinlock_release(&lock, state);
    return &chain;
}

void stats_port_chain_wait(void)
{
    cv_wait(&chain_changed, &chain);
}

void stats_port_chain_wake(void)
{
    cv_broadcast(&chain_changed);
}

void stats_port_mutex_enter(void *mutex)
{
    mutex_enter(mutex);
}

void stats_port_mutex_exit(void *mutex)
{
    mutex_exit(mutex);
}

bool stats_port_mutex_owned(const void *mutex)
{
    return mutex_owned(mutex);
}

int stats_port_sleep(uint64_t ns)
{
    return thread_sleep(ns);
}

int *stats_port_errno(void)
{
    return &thread_current()->error_number;
}

/* Who is at the console; programs are asked before, in linux/statistics/statistics_kstat.c. */
bool stats_port_privileged(void)
{
    return true;
}
