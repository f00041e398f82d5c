/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * syssgi(SGI_EVENTCTR, COMMAND, ...): the event counters in system mode, r10k_counters(5). Each
 * returns a positive generation number but where it says otherwise, or -1 and errno.
 */
#ifndef SYS_SYSSGI_H
#define SYS_SYSSGI_H

#include "hwperftypes.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SGI_EVENTCTR 143

/* hwperf_profevctrarg_t *, struct prof * of <sys/profil.h>, int how many: thresholds raise 16-bit
 * buckets of the caller's PC, as sprofil's. */
#define HWPERF_PROFENABLE   1
#define HWPERF_ENSYSCNTRS   2 /* hwperf_profevctrarg_t *: root; by force */
#define HWPERF_GETSYSCNTRS  3 /* hwperf_cntr_t *: the sum of all CPUs */
#define HWPERF_GETCPUCNTRS  4 /* int cpu, hwperf_cntr_t *: 0 if there is no such CPU */
#define HWPERF_GETSYSEVCTRL 5 /* hwperf_eventctrl_t *: EINVAL if not in system mode */
#define HWPERF_SETSYSEVCTRL 6 /* hwperf_profevctrarg_t *: root */
#define HWPERF_RELSYSCNTRS  7 /* none: root; returns 0 */

/* Other spellings. */
#define HWPERFPROFENABLE     HWPERF_PROFENABLE
#define HWPERFENSYSCNTRS     HWPERF_ENSYSCNTRS
#define HWPERFGETSYSCNTRS    HWPERF_GETSYSCNTRS
#define HWPERFGETCPUCNTRS    HWPERF_GETCPUCNTRS
#define HWPERFGETSYSEVCTRL   HWPERF_GETSYSEVCTRL
#define HWPERFSETSYSEVCTRL   HWPERF_SETSYSEVCTRL
#define HWPERFRELSYSCNTRS    HWPERF_RELSYSCNTRS
#define HWPERF_GET_SYSCNTRS  HWPERF_GETSYSCNTRS
#define HWPERF_GET_CPUCNTRS  HWPERF_GETCPUCNTRS
#define HWPERF_GET_SYSEVCTRL HWPERF_GETSYSEVCTRL
#define HWPERF_SET_SYSEVCTRL HWPERF_SETSYSEVCTRL

/* In libquipu.a. Any other request is EINVAL. */
int syssgi(int request, ...);

#ifdef __cplusplus
}
#endif

#endif
