/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The classic time types for freestanding code. Only the kernel has this folder on its path:
 * programs for a host use the host's own <sys/time.h>.
 */
#ifndef LIB_INCLUDE_SYS_TIME_H
#define LIB_INCLUDE_SYS_TIME_H

#include <sys/types.h>

struct timeval {
    time_t tv_sec;
    int64_t tv_usec;
};

#endif
