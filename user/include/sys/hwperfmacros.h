/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers of the event counters' interfaces: r10k_counters(5). */
#ifndef SYS_HWPERFMACROS_H
#define SYS_HWPERFMACROS_H

#define HWPERF_EVENTMAX    32 /* virtual counters */
#define HWPERF_CNTEVENTMAX 16 /* events of one hardware counter */
#define HWPERF_CNT1BASE    16 /* where those of counter 1 begin */
#define HWPERF_MAXEVENT    15

/* hwp_mode */
#define HWPERF_CNTEN_U 8 /* user */
#define HWPERF_CNTEN_S 4 /* supervisor: root only, and counts nothing */
#define HWPERF_CNTEN_K 2 /* kernel: root only */
#define HWPERF_CNTEN_E 1 /* exceptions (EXL) */

#endif
