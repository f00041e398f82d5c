/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The event counters as programs see them: r10k_counters(5). 32 virtual counters of 64 bits; the
 * element of index i is event i of hardware counter 0, of index 16 + i event i of counter 1. An
 * event that nobody wants is 0. The calls are ioctls on /proc/PID opened O_RDWR, of one's own
 * process group or (root) of anybody; they return a positive generation number, or -1 and errno,
 * found in this order: EFAULT, EINVAL, EPERM, EBUSY; of what a call writes, EFAULT at last.
 */
#ifndef SYS_HWPERFTYPES_H
#define SYS_HWPERFTYPES_H

#include <sched.h> /* struct timespec, also in strict C99 */
#include <stdint.h>
#include "hwperfmacros.h"
#include <sys/types.h>
#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef unsigned short ushort_t;
typedef struct timespec timespec_t;

/* The low 16 bits of a control register on both byte orders: event << 5 | interrupt << 4 | mode. */
struct hwperf_ctrlreg {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    ushort_t hwp_ev : 11, /* event counted */
        hwp_ie : 1,       /* overflow interrupt enable */
        hwp_mode : 4;     /* HWPERF_CNTEN_ */
#else
    ushort_t hwp_mode : 4, hwp_ie : 1, hwp_ev : 11;
#endif
};

typedef union {
    short hwperf_spec;
    struct hwperf_ctrlreg hwperf_creg;
} hwperf_ctrl_t;

typedef struct {
    hwperf_ctrl_t hwp_evctrl[HWPERF_EVENTMAX];
} hwperf_eventctrl_t;

typedef struct hwperf_profevctrarg {
    hwperf_eventctrl_t hwp_evctrargs;
    int hwp_ovflw_freq[HWPERF_EVENTMAX]; /* overflow thresholds; 0: none */
    int hwp_ovflw_sig;                   /* 1 to 32; 0: none */
} hwperf_profevctrarg_t;

typedef struct {
    __uint64_t hwp_evctr[HWPERF_EVENTMAX];
} hwperf_cntr_t;

typedef hwperf_cntr_t cpu_mon_t; /* here the counters of the process */

typedef struct hwperf_prusage {
    timespec_t pu_tstamp;        /* time stamp */
    timespec_t pu_starttime;     /* time process was started */
    timespec_t pu_utime;         /* user CPU time */
    timespec_t pu_stime;         /* system CPU time */
    __uint64_t pu_minf;          /* minor page faults */
    __uint64_t pu_majf;          /* major page faults */
    __uint64_t pu_utlb;          /* user TLB misses: not known of a process, 0 */
    __uint64_t pu_nswap;         /* swaps: 0 */
    __uint64_t pu_gbread;        /* gigabytes ... */
    __uint64_t pu_bread;         /* and bytes read */
    __uint64_t pu_gbwrit;        /* gigabytes ... */
    __uint64_t pu_bwrit;         /* and bytes written */
    __uint64_t pu_sigs;          /* signals received */
    __uint64_t pu_vctx;          /* voluntary context switches */
    __uint64_t pu_ictx;          /* involuntary context switches */
    __uint64_t pu_sysc;          /* system calls */
    __uint64_t pu_syscr;         /* read() */
    __uint64_t pu_syscw;         /* write() */
    __uint64_t pu_syscps;        /* poll() or select(): not counted, 0 */
    __uint64_t pu_sysci;         /* ioctl(): not counted, 0 */
    __uint64_t pu_graphfifo;     /* graphics: 0 */
    __uint64_t pu_graph_req[8];  /* 0 */
    __uint64_t pu_graph_wait[8]; /* 0 */
    __uint64_t pu_size;          /* size in pages */
    __uint64_t pu_rss;           /* resident set size in pages */
    __uint64_t pu_inblock;       /* block operations: not known of a process, 0 */
    __uint64_t pu_oublock;
    __uint64_t pu_vfault; /* all page faults */
    __uint64_t pu_ktlb;   /* kernel TLB misses: 0 */
    cpu_mon_t pu_cpu_mon; /* the counters */
} hwperf_prusage_t;

#define PIOC            ('q' << 8)
#define PIOCENEVCTRS    (PIOC | 0x40) /* hwperf_profevctrarg_t: begin, from 0 */
#define PIOCGETEVCTRS   (PIOC | 0x41) /* hwperf_cntr_t */
#define PIOCGETPREVCTRS (PIOC | 0x42) /* hwperf_prusage_t */
#define PIOCGETEVCTRL   (PIOC | 0x43) /* hwperf_eventctrl_t */
#define PIOCSETEVCTRL   (PIOC | 0x44) /* hwperf_profevctrarg_t: go on otherwise; the number grows */
#define PIOCRELEVCTRS   (PIOC | 0x45) /* none: stop; counts stay to be read. Returns 0 */
#define PIOCSAVECCNTRS  (PIOC | 0x46) /* none: at its end its counts are its parent's. Returns 0 */

#ifdef __cplusplus
}
#endif

#endif
