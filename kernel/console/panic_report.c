/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The report of a panic: message, registers if a trap led here, stack trace with function names,
 * the last log lines. Written byte by byte past all rings and locks; a panic inside it stops at
 * once.
 */
#include "kernel/console/panic_report.h"
#include <arch/cpu.h>
#include <arch/interrupt_flag.h>
#include <arch/smp.h>
#include <arch/trap.h>
#include <stdarg.h>
#include "kernel/time/clock.h"
#include "kernel/console/console.h"
#include "kernel/cpu/cpu.h"
#include "kernel/lock/lock_order.h"
#include "kernel/base/panic.h"
#include "kernel/console/log_ring.h"
#include "kernel/console/script.h"
#include "kernel/console/shutdown.h"
#include "kernel/lock/spinlock.h"
#include "kernel/base/symbol.h"
#include "kernel/thread/thread.h"
#include "lib/format.h"

#define LOG_LINES   10
#define PATIENCE_S  3
#define TURN_CYCLES (1u << 20) /* half a millisecond: many times what a turn of a loop takes */
#define TRACE_DEPTH 24

static struct spinlock panicking = SPINLOCK_INITIALIZER("panic"); /* never released */
static volatile uint32_t panicking_cpu;

static void panic_report_put(void *unused, const char *text, size_t length)
{
    (void)unused;
    console_write_polled(text, length);
}

void panic_printf(const char *fmt, ...)
{
    va_list arguments;

    va_start(arguments, fmt);
    format_to(panic_report_put, NULL, fmt, arguments);
    va_end(arguments);
}

static bool panic_report_print_frame(void *count, uintptr_t address)
{
    uintptr_t offset;
    const char *name = symbol_find(address, &offset);

    if (name)
        panic_printf("  %016lx %s+0x%lx\n", (unsigned long)address, name, (unsigned long)offset);
    else
        panic_printf("  %016lx\n", (unsigned long)address);
    return ++*(unsigned *)count < TRACE_DEPTH;
}

static void panic_report_print_log(void)
{
    char buffer[128];
    size_t offset = log_tail(LOG_LINES), length;

    panic_printf("last log lines:\n");
    while ((length = log_read(&offset, buffer, sizeof buffer)) > 0)
        console_write_polled(buffer, length);
}

static bool panic_report_keep_frame(void *unused, uintptr_t address)
{
    struct cpu *cpu = cpu_current();

    (void)unused;
    cpu->trace[cpu->traced++] = address;
    return cpu->traced < CPU_TRACE;
}

_Noreturn void panic_stopped(struct trap_frame *frame)
{
    struct cpu *cpu = cpu_current();

    trap_backtrace(frame, panic_report_keep_frame, NULL);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    cpu->stopped = true;
    cpu_stop();
}

/*
 * Whether CPU has stopped. One that does not even take an NMI is given up, but not one that a busy
 * host has not let run yet: as time spent waiting counts what this CPU itself was seen to run, and
 * a longer gap between two turns of the loop only as TURN_CYCLES. PATIENCE is for all CPUs.
 */
static bool panic_report_has_stopped(const struct cpu *cpu, uint64_t *patience)
{
    uint64_t last = cycles_now();

    while (!cpu->stopped && *patience > 0) {
        uint64_t now = cycles_now(), turn = cycles_between(last, now);

        if (turn > TURN_CYCLES)
            turn = TURN_CYCLES;
        *patience -= turn < *patience ? turn : *patience;
        last = now;
        cpu_relax();
    }
    return cpu->stopped;
}

/* What another CPU was doing. */
static void panic_report_print_other(struct cpu *cpu, uint64_t *patience)
{
    bool stopped = panic_report_has_stopped(cpu, patience);
    unsigned depth = 0;

    panic_printf("cpu%u, thread %u (%s)%s\n", (unsigned)cpu->id,
                 cpu->current ? cpu->current->id : 0, cpu->current ? cpu->current->name : "none",
                 stopped ? "" : ", which does not answer");
    for (unsigned i = 0; stopped && i < cpu->traced; i++)
        panic_report_print_frame(&depth, cpu->trace[i]);
}

static void report(struct trap_frame *frame, const char *fmt, va_list arguments)
{
    uint64_t patience = PATIENCE_S * clock_frequency();
    unsigned depth = 0;

    interrupts_disable();
    lock_order_end();
    if (!spinlock_try(&panicking)) {
        if (panicking_cpu == cpu_here.id + 1)
            panic_printf("\npanic: again, while panicking\n");
        cpu_stop(); /* another CPU's panic comes first, and will stop this one */
    }
    panicking_cpu = cpu_here.id + 1;
    panic_begin();
    smp_stop_others();
    if (script_get())
        panic_printf("\001%s panic\n", script_get()->tag);
    panic_printf("panic: ");
    format_to(panic_report_put, NULL, fmt, arguments);
    panic_printf("\ncpu%u, thread %u (%s)\n", (unsigned)cpu_current()->id,
                 thread_current() ? thread_current()->id : 0,
                 thread_current() ? thread_current()->name : "none");
    if (frame)
        trap_frame_print(frame);
    panic_printf("stack trace:\n");
    trap_backtrace(frame, panic_report_print_frame, &depth);
    for (unsigned n = 0; n < cpu_count(); n++)
        if (n != cpu_here.id)
            panic_report_print_other(cpu_of(n), &patience);
    panic_report_print_log();
}

_Noreturn void panic_report(struct trap_frame *frame, const char *fmt, va_list arguments)
{
    report(frame, fmt, arguments);
    if (script_get())
        machine_poweroff();
    panic_printf("The machine has stopped.\n");
    cpu_stop();
}
