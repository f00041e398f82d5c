/* SPDX-License-Identifier: BSD-2-Clause */
/* The end: reports and stops. ASSERT is always compiled in. */
#pragma once

struct trap_frame;

_Noreturn void panic(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same, from a trap: prints the registers in FRAME and the stack that led to it. */
_Noreturn void panic_trap(struct trap_frame *frame, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* For the machine's part of the report: registers. Only while panicking. */
void panic_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));

#define ASSERT(condition)                                                                          \
    ((condition) ? (void)0 : panic("%s: assertion failed: %s", __func__, #condition))
