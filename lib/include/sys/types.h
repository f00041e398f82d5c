/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The classic integer type names for freestanding code, so that headers and drivers written for
 * the BSD kernels compile. Only the kernel has this folder on its path: programs for a host use
 * the host's own <sys/types.h>.
 */
#ifndef LIB_INCLUDE_SYS_TYPES_H
#define LIB_INCLUDE_SYS_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u_int8_t;
typedef uint16_t u_int16_t;
typedef uint32_t u_int32_t;
typedef uint64_t u_int64_t;

typedef unsigned char u_char;
typedef unsigned short u_short;
typedef unsigned int u_int;
typedef unsigned long u_long;
typedef uint64_t u_quad_t;
typedef int64_t quad_t;

typedef intptr_t ssize_t;
typedef int64_t off_t;
typedef int64_t time_t;
typedef char *caddr_t;

#endif
