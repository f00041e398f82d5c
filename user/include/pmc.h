/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libpmc, pmc(3): performance counters of the calling thread. Threads that it makes, and children,
 * inherit the counters that run. Calls return 0, or -1 and errno: <sys/pmc.h> lists what the kernel
 * says. Values are of the thread that asks.
 */
#ifndef QUIPU_PMC_H
#define QUIPU_PMC_H

#include <sys/pmc.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pmc_event {
    const char *name;
    pmc_evid_t val;
};

/*
 * EVENT is a name as `pmc list` prints it, perhaps with modes ("instructions:u"). RESET_VALUE is a
 * period, or 0. FLAGS: PMC_MODE_*, 0: those of the name. EINVAL: there is no such event; ENODEV:
 * this counter cannot count it.
 */
int pmc_configure_counter(int ctr, const char *event, pmc_ctr_t reset_value, uint32_t flags);
int pmc_start_counter(int ctr);
int pmc_stop_counter(int ctr);
int pmc_get_num_counters(void);  /* 0: there are none */
int pmc_get_counter_class(void); /* PMC_TYPE_* of the hardware's */
int pmc_get_counter_type(int ctr, int *type);
int pmc_get_counter_value(int ctr, uint64_t *value);
/* The sum of what children counted that have ended, and theirs. */
int pmc_get_accumulated_counter_value(int ctr, uint64_t *value);

/* NULL and ESRCH: there is none such. */
const char *pmc_get_counter_class_name(int type);
const char *pmc_get_counter_type_name(int type);
const char *pmc_get_counter_event_name(pmc_evid_t event);
/* All events, of all classes; the last has no name. NULL: no memory, or no /dev/pmc. Read once. */
const struct pmc_event *pmc_get_counter_event_list(void);

#ifdef __cplusplus
}
#endif

#endif
