/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What r10k_counters(5) shares with programs: the same layouts as <sys/hwperftypes.h>, whose
 * bit-fields are a number of 16 bits here: event << 5 | interrupt << 4 | modes.
 */
#pragma once

#include <stdint.h>
#include "abi/common.h"

#define ABI_HWPERF_EVENTS 32

struct abi_hwperf_control { /* hwperf_eventctrl_t */
    uint16_t spec[ABI_HWPERF_EVENTS];
};

struct abi_hwperf_arguments { /* hwperf_profevctrarg_t */
    struct abi_hwperf_control control;
    int32_t frequency[ABI_HWPERF_EVENTS];
    int32_t signal;
};
_Static_assert(sizeof(struct abi_hwperf_arguments) == 196, "hwperf_profevctrarg_t");

struct abi_hwperf_counts { /* hwperf_cntr_t */
    uint64_t count[ABI_HWPERF_EVENTS];
};

struct abi_hwperf_prusage { /* hwperf_prusage_t */
    struct abi_timespec tstamp, starttime, utime, stime;
    uint64_t minf, majf, utlb, nswap, gbread, bread, gbwrit, bwrit, sigs, vctx, ictx, sysc, syscr,
        syscw, syscps, sysci, graphfifo, graph_req[8], graph_wait[8], size, rss, inblock, oublock,
        vfault, ktlb;
    struct abi_hwperf_counts cpu_mon;
};
_Static_assert(sizeof(struct abi_hwperf_prusage) == 4 * 16 + 39 * 8 + 256, "hwperf_prusage_t");

/* ioctls of /proc/PID. */
#define ABI_PIOCENEVCTRS    0x7140u
#define ABI_PIOCGETEVCTRS   0x7141u
#define ABI_PIOCGETPREVCTRS 0x7142u
#define ABI_PIOCGETEVCTRL   0x7143u
#define ABI_PIOCSETEVCTRL   0x7144u
#define ABI_PIOCRELEVCTRS   0x7145u
#define ABI_PIOCSAVECCNTRS  0x7146u
