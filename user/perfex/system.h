/* SPDX-License-Identifier: BSD-2-Clause */
/* The counters in system mode, by syssgi(2). Each returns the generation, or -1 and errno. */
#pragma once

#include <stdbool.h>
#include <sys/hwperftypes.h>

/* All that the system does. */
#define SYSTEM_MODES (HWPERF_CNTEN_U | HWPERF_CNTEN_K | HWPERF_CNTEN_E)

/* Each call and what it returned is told of on standard error from now on. */
void system_tell(void);

/* What is counted; EINVAL: the counters are not in system mode. */
int system_control(hwperf_eventctrl_t *control);
int system_counts(hwperf_cntr_t *counts);
int system_begin(hwperf_profevctrarg_t *args);
int system_change(hwperf_profevctrarg_t *args);
/* 0, not a generation. */
int system_release(void);
