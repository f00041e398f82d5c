/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Raising an event counter on the host, where "CPU" means what host_cpu_set() said for the calling
 * thread. The cell of CPU 0 is ev_cell0; those of the others are made when first used. Test
 * programs have threads instead of interrupts, so the increment is an atomic one.
 */
#ifndef STATS_HOST_MACHINE_EVCNT_H
#define STATS_HOST_MACHINE_EVCNT_H

#include <stdbool.h>
#include <stdint.h>

void evcnt_host_incr(struct evcnt *ev);

void evcnt_machine_attach(struct evcnt *ev);
bool evcnt_machine_stop(struct evcnt *ev);
void evcnt_machine_settle(void);
void evcnt_machine_detach(struct evcnt *ev);
void evcnt_machine_clear(struct evcnt *ev);
uint64_t evcnt_machine_value(const struct evcnt *ev);
uint64_t evcnt_machine_share(const struct evcnt *ev, unsigned cpu);

static inline void evcnt_machine_incr(struct evcnt *ev)
{
    evcnt_host_incr(ev);
}

#endif
