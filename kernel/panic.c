/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The report of a panic: message, registers if a trap led here, stack trace with function names,
 * the last log lines. Written byte by byte past all rings and locks; a panic inside it stops at
 * once.
 */
#include "kernel/panic.h"
#include <arch/cpu.h>
#include <arch/interrupt_flag.h>
#include <arch/trap.h>
#include <stdarg.h>
#include "kernel/console.h"
#include "kernel/cpu.h"
#include "kernel/log.h"
#include "kernel/machine.h"
#include "kernel/script.h"
#include "kernel/symbol.h"
#include "kernel/thread.h"
#include "lib/format.h"

#define LOG_LINES   10
#define TRACE_DEPTH 24

static bool panicking;

bool panic_begun(void)
{
    return panicking;
}

static void put(void *unused, const char *text, size_t length)
{
    (void)unused;
    console_write_polled(text, length);
}

void panic_printf(const char *fmt, ...)
{
    va_list arguments;

    va_start(arguments, fmt);
    format_to(put, NULL, fmt, arguments);
    va_end(arguments);
}

static bool print_frame(void *count, uintptr_t address)
{
    uintptr_t offset;
    const char *name = symbol_find(address, &offset);

    if (name)
        panic_printf("  %016lx %s+0x%lx\n", (unsigned long)address, name, (unsigned long)offset);
    else
        panic_printf("  %016lx\n", (unsigned long)address);
    return ++*(unsigned *)count < TRACE_DEPTH;
}

static void print_log(void)
{
    char buffer[128];
    size_t offset = log_tail(LOG_LINES), length;

    panic_printf("last log lines:\n");
    while ((length = log_read(offset, buffer, sizeof buffer)) > 0) {
        console_write_polled(buffer, length);
        offset += length;
    }
}

static void report(struct trap_frame *frame, const char *fmt, va_list arguments)
{
    unsigned depth = 0;

    interrupts_disable();
    if (panicking) {
        panic_printf("\npanic: again, while panicking\n");
        cpu_stop();
    }
    panicking = true;
    if (script_get())
        panic_printf("\001%s panic\n", script_get()->tag);
    panic_printf("panic: ");
    format_to(put, NULL, fmt, arguments);
    panic_printf("\ncpu%u, thread %u (%s)\n", (unsigned)cpu_current()->id,
                 thread_current() ? thread_current()->id : 0,
                 thread_current() ? thread_current()->name : "none");
    if (frame)
        trap_frame_print(frame);
    panic_printf("stack trace:\n");
    trap_backtrace(frame, print_frame, &depth);
    print_log();
}

static _Noreturn void stop(void)
{
    if (script_get())
        machine_poweroff();
    panic_printf("The machine has stopped.\n");
    cpu_stop();
}

_Noreturn void panic(const char *fmt, ...)
{
    va_list arguments;

    va_start(arguments, fmt);
    report(NULL, fmt, arguments);
    va_end(arguments);
    stop();
}

_Noreturn void panic_trap(struct trap_frame *frame, const char *fmt, ...)
{
    va_list arguments;

    va_start(arguments, fmt);
    report(frame, fmt, arguments);
    va_end(arguments);
    stop();
}
