/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Raising an event counter on the host, where "CPU" means what host_cpu_set() said for the calling
 * thread. The cell of CPU 0 is ev_cell0; those of the others are made when first used. Test
 * programs have threads instead of interrupts, so the increment is an atomic one.
 */
#ifndef STATS_HOST_MACHINE_EVCNT_H
#define STATS_HOST_MACHINE_EVCNT_H

/* The cell of the calling thread's CPU. */
uint64_t *evcnt_host_cell(struct evcnt *ev);

void evcnt_machine_attach(struct evcnt *ev);
void evcnt_machine_detach(struct evcnt *ev);
void evcnt_machine_clear(struct evcnt *ev);
uint64_t evcnt_machine_value(const struct evcnt *ev);
uint64_t evcnt_machine_share(const struct evcnt *ev, unsigned cpu);

static inline void evcnt_machine_incr(struct evcnt *ev)
{
    __atomic_fetch_add(evcnt_host_cell(ev), 1, __ATOMIC_RELEASE);
}

#endif
