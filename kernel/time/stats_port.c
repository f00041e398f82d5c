/* SPDX-License-Identifier: BSD-2-Clause */
/* What the statistics ask of their host, answered by the kernel. */
#include "stats/port.h"
#include <arch/cpu.h>
#include <arch/interrupt_flag.h>
#include <stdarg.h>
#include "kernel/time/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/memory/kmem.h"
#include "kernel/base/log.h"
#include "kernel/base/panic.h"
#include "kernel/lock/spinlock.h"
#include "lib/format.h"
#include "lib/section.h"

static struct spinlock lock = SPINLOCK_INITIALIZER("statistics");

/* Letting go of it wakes nobody, so it needs no look at what has become due. */
uintptr_t stats_port_lock(void)
{
    uintptr_t state = interrupts_save();

    spinlock_lock(&lock);
    return state;
}

void stats_port_unlock(uintptr_t state)
{
    spinlock_unlock(&lock);
    interrupts_restore(state);
}

void *stats_port_alloc(size_t size)
{
    return kmem_alloc(size);
}

void stats_port_free(void *memory, size_t size)
{
    (void)size;
    kmem_free(memory);
}

uint64_t stats_port_time_ns(void)
{
    return clock_now();
}

uint64_t stats_port_wall_ns(void)
{
    return clock_wall();
}

unsigned stats_port_cpu(void)
{
    return cpu_here.id;
}

void stats_port_panic(const char *fmt, ...)
{
    static char message[640] SHARED_BSS; /* two names of 255 characters fit */
    va_list arguments;

    va_start(arguments, fmt);
    vformat(message, sizeof message, fmt, arguments);
    va_end(arguments);
    panic("%s", message);
}

void stats_port_log(const char *fmt, ...)
{
    char line[160];
    va_list arguments;

    va_start(arguments, fmt);
    vformat(line, sizeof line, fmt, arguments);
    va_end(arguments);
    log_printf("%s", line);
}
