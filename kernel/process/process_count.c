/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts of what programs ask for: see process_count.h. */
#include "kernel/process/process_count.h"
#include <arch/interrupt_flag.h>
#include <machine/cell.h>

#define FORK (&process_event[PROCESS_FORKS])

struct evcnt process_event[PROCESS_EVENTS] = {
    [PROCESS_SYSCALLS] = EVCNT_INITIALIZER(EVCNT_TYPE_MISC, NULL, "uvm", "syscalls"),
    [PROCESS_FORKS] = EVCNT_INITIALIZER(EVCNT_TYPE_MISC, NULL, "uvm", "forks"),
    [PROCESS_FORKS_PPWAIT] = EVCNT_INITIALIZER(EVCNT_TYPE_MISC, FORK, "uvm", "forks_ppwait"),
    [PROCESS_FORKS_SHARED] = EVCNT_INITIALIZER(EVCNT_TYPE_MISC, FORK, "uvm", "forks_sharevm"),
    [PROCESS_EXECS] = EVCNT_INITIALIZER(EVCNT_TYPE_MISC, NULL, "process", "execs"),
    [PROCESS_READS] = EVCNT_INITIALIZER(EVCNT_TYPE_MISC, NULL, "process", "reads"),
    [PROCESS_WRITES] = EVCNT_INITIALIZER(EVCNT_TYPE_MISC, NULL, "process", "writes"),
    [PROCESS_SIGNALS] = EVCNT_INITIALIZER(EVCNT_TYPE_MISC, NULL, "process", "signals"),
};
EVCNT_ATTACH_STATIC2(process_event, PROCESS_SYSCALLS);
EVCNT_ATTACH_STATIC2(process_event, PROCESS_FORKS);
EVCNT_ATTACH_STATIC2(process_event, PROCESS_FORKS_PPWAIT);
EVCNT_ATTACH_STATIC2(process_event, PROCESS_FORKS_SHARED);
EVCNT_ATTACH_STATIC2(process_event, PROCESS_EXECS);
EVCNT_ATTACH_STATIC2(process_event, PROCESS_READS);
EVCNT_ATTACH_STATIC2(process_event, PROCESS_WRITES);
EVCNT_ATTACH_STATIC2(process_event, PROCESS_SIGNALS);

static uint64_t process_bytes[2]; /* each CPU's own: read, written */

uint64_t process_event_on(enum process_event event, unsigned cpu)
{
    return evcnt_cpu_value(&process_event[event], cpu);
}

void process_moved(bool written, uint64_t bytes)
{
    uintptr_t state = interrupts_save();

    cell_add(&process_bytes[written], bytes);
    interrupts_restore(state);
}

uint64_t process_moved_on(bool written, unsigned cpu)
{
    return *(volatile uint64_t *)cell_on(&process_bytes[written], cpu);
}
