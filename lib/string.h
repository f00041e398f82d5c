/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * string: the memory and string functions of the C library under their standard names and with
 * their standard meaning, as far as the kernel needs them. On the host the C library supplies them
 * (all but strlcpy), and string.c is not linked. The compiler itself calls memcpy, memmove, memset
 * and memcmp. Numbers in text are read by lib/number.h, which this header includes.
 */
#ifndef LIB_STRING_H
#define LIB_STRING_H

#include <stddef.h>

#include "lib/number.h"

void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);
int memcmp(const void *a, const void *b, size_t size);

size_t strlen(const char *s);
size_t strnlen(const char *s, size_t limit);
int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t limit);
char *strchr(const char *s, int c);
char *strrchr(const char *s, int c);

/*
 * Copy as much of from as fits into size bytes with its NUL (nothing when size is 0); returns
 * strlen(from), so a result >= size means that the copy was cut.
 */
size_t strlcpy(char *restrict to, const char *restrict from, size_t size);

#endif
