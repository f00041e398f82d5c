/* SPDX-License-Identifier: BSD-2-Clause */
/* The host's answers to stats/port.h, and <quipu_host.h>. */
#include <quipu_host.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/evcnt.h>

#include "stats/devstat/devstat_list.h"
#include "stats/evcnt/evcnt_registry.h"
#include "stats/host/host_cells.h"
#include "stats/host/host_locks.h"
#include "stats/host/host_pmu.h"
#include "stats/kstat/kstat_registry.h"
#include "stats/port.h"

static int lock_word; /* 1: held */
static uint64_t clock_ns;

static uint64_t wall_at_zero;

static __thread bool holds_lock;
static __thread unsigned current_cpu;
static __thread jmp_buf *catcher; /* of the innermost host_panics */
static __thread char message[512];

uintptr_t stats_port_lock(void)
{
    while (__atomic_exchange_n(&lock_word, 1, __ATOMIC_ACQUIRE) != 0)
        ;
    holds_lock = true;
    return 0;
}

void stats_port_unlock(uintptr_t state)
{
    (void)state;
    holds_lock = false;
    __atomic_store_n(&lock_word, 0, __ATOMIC_RELEASE);
}

void *stats_port_alloc(size_t size)
{
    return malloc(size);
}

void stats_port_free(void *memory, size_t size)
{
    (void)size;
    free(memory);
}

uint64_t stats_port_time_ns(void)
{
    return __atomic_load_n(&clock_ns, __ATOMIC_RELAXED);
}

uint64_t stats_port_wall_ns(void)
{
    return wall_at_zero == 0 ? 0 : wall_at_zero + stats_port_time_ns();
}

void host_wall_set(uint64_t ns)
{
    wall_at_zero = ns;
}

unsigned stats_port_cpu(void)
{
    return current_cpu;
}

void stats_port_panic(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    if (holds_lock)
        stats_port_unlock(0);
    if (catcher != NULL)
        longjmp(*catcher, 1);
    fprintf(stderr, "panic: %s\n", message);
    abort();
}

int host_panics(void (*f)(void *), void *arg)
{
    jmp_buf *outer = catcher;
    jmp_buf here;

    if (setjmp(here) != 0) {
        catcher = outer;
        return 1;
    }
    catcher = &here;
    f(arg);
    catcher = outer;
    return 0;
}

const char *host_panic_message(void)
{
    return message;
}

void host_clock_set(uint64_t ns)
{
    __atomic_store_n(&clock_ns, ns, __ATOMIC_RELAXED);
}

void host_cpu_set(unsigned cpu)
{
    if (cpu >= HOST_CPUS)
        stats_port_panic("host: there is no CPU %u", cpu);
    current_cpu = cpu;
}

void host_reset(void)
{
    struct evcnt *const *member;

    host_locks_reset();
    host_pmu_reset();
    kstat_registry_reset();
    evcnt_registry_reset();
    devstat_list_reset();
    host_wall_set(0);
    host_cells_reset();
    host_clock_set(0);
    host_cpu_set(0);
    LINKER_SET_FOREACH (member, evcnts) {
        (*member)->ev_count = 0;
        evcnt_machine_clear(*member);
    }
    evcnt_init();
}

/* The first life. What static counters were initialised with, they keep. */
static void __attribute__((constructor(101))) host_port_start(void)
{
    host_pmu_reset();
    evcnt_init();
}
