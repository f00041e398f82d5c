/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * format: the integer, character and string part of printf, for the kernel and for host tools.
 *
 * Flags `-`, `0`, `+`, space and `#`; width and precision, also as `*`; lengths hh h l ll z j t;
 * conversions d i u x X o c s p %. No floating point, no %n, no wide characters and no positional
 * arguments: an unknown conversion is copied to the output as it stands. Nothing is allocated, no
 * lock is taken and no global state is touched: callable from anywhere, also while panicking.
 */
#ifndef LIB_FORMAT_H
#define LIB_FORMAT_H

#include <stdarg.h>
#include <stddef.h>

/* Receives one piece of the output; the pieces are not NUL-terminated and never empty. */
typedef void format_put(void *arg, const char *text, size_t length);

/*
 * Write to buf, at most size bytes including the terminating NUL, which is always there when size
 * is not 0. Returns the length the whole text has without its NUL: a result >= size means it was
 * cut. buf may be NULL when size is 0.
 */
size_t format(char *buf, size_t size, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
size_t vformat(char *buf, size_t size, const char *fmt, va_list args)
    __attribute__((format(printf, 3, 0)));

/* The same text handed to put(arg, ...) piece by piece; returns its length. */
size_t format_to(format_put *put, void *arg, const char *fmt, va_list args)
    __attribute__((format(printf, 3, 0)));

#endif
