/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How libkstat reaches the kernel. In the kernel and on a host that is a call, of kstat_access.c;
 * in a program it is /dev/kstat, of user/lib/kstat_access.c. Private to libkstat.
 */
#ifndef STATS_KSTAT_ACCESS_H
#define STATS_KSTAT_ACCESS_H

#include <sys/kstat.h>

#define KSTAT_ACCESS_NONE (-1) /* no descriptor is needed */

/* 0 and a descriptor for the two below, or a negative error number. */
int kstat_access_open(int *descriptor);
void kstat_access_close(int descriptor);
/* As kstat_ioctl. */
int kstat_access_ioctl(int descriptor, int cmd, kstat_t *ks);

#endif
