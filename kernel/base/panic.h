/* SPDX-License-Identifier: BSD-2-Clause */
/* The end: reports and stops. ASSERT is always compiled in. */
#pragma once

#include <stdarg.h>
#include <stdbool.h>

struct trap_frame;

_Noreturn void panic(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same, from a trap: prints the registers in FRAME and the stack that led to it. */
_Noreturn void panic_trap(struct trap_frame *frame, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Whether the report has begun: others may have stopped with locks taken. */
bool panic_in_progress(void);
void panic_begin(void); /* for the report */

/* An upcall, answered above the console: both of the former end here. FRAME may be NULL. */
_Noreturn void panic_report(struct trap_frame *frame, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));

#define ASSERT(condition)                                                                          \
    ((condition) ? (void)0 : panic("%s: assertion failed: %s", __func__, #condition))
