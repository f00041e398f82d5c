/* SPDX-License-Identifier: BSD-2-Clause */
/* The end: reports and stops. ASSERT is always compiled in. */
#pragma once

#include <stdbool.h>

struct trap_frame;

_Noreturn void panic(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same, from a trap: prints the registers in FRAME and the stack that led to it. */
_Noreturn void panic_trap(struct trap_frame *frame, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Where smp_stop_others brings the other CPUs: keeps what FRAME was doing for the report, and
 * stops. */
_Noreturn void panic_stopped(struct trap_frame *frame);
bool panic_in_progress(void);

/* For the machine's part of the report: registers. Only while panicking. */
void panic_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));

#define ASSERT(condition)                                                                          \
    ((condition) ? (void)0 : panic("%s: assertion failed: %s", __func__, #condition))
