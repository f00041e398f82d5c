/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libperfex(3): two event counters of the calling process around a part of its program. Events are
 * numbers of r10k_counters(5), one of 0 to 15 and one of 16 to 31, in either order; T5_EVENT0 and
 * T5_EVENT1 of the environment come before them, in every call. Each returns 0, or -1 and errno.
 * IRIX has no header for these; a program's own declarations are as good.
 */
#ifndef PERFEX_H
#define PERFEX_H

#ifdef __cplusplus
extern "C" {
#endif

/* Counts from 0, in user mode. */
int start_counters(int e0, int e1);
/* What was counted, and the counters stop. EBUSY: they were taken for system mode meanwhile, and
 * the counts are of the time before that. EINVAL: these were not started. */
int read_counters(int e0, long long *c0, int e1, long long *c1);
/* On standard error, what was read; with the times that it costs. */
int print_counters(int e0, long long c0, int e1, long long c1);
int print_costs(int e0, long long c0, int e1, long long c1);
/* The table of costs, perfex_costs(5); without this print_costs takes /etc/perfex.costs. What is
 * wrong with it is told on standard error. */
int load_costs(const char *file);

#ifdef __cplusplus
}
#endif

#endif
