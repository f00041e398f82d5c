/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel log, for those who write into it; kernel/console/log_ring.h is for its readers. */
#pragma once

#include <stdarg.h>

/* Appends one line (no newline needed). Any context; in interrupts the console is left alone. */
void log_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* An upcall, answered above the console: the former ends here. */
void log_vprintf(const char *format, va_list arguments) __attribute__((format(printf, 1, 0)));
