/* SPDX-License-Identifier: BSD-2-Clause */
/* <sys/time.h> with gethrtime(3C). */
#ifndef QUIPU_SYS_TIME_H
#define QUIPU_SYS_TIME_H

#include_next <sys/time.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Nanoseconds since start-up; kstats' times are of this clock. An hrtime_t. */
long long gethrtime(void);

#ifdef __cplusplus
}
#endif

#endif
