/* SPDX-License-Identifier: BSD-2-Clause */
/* /proc/stat: proc(5), but for what Quipu does not know, whose lines are not there. */
#include "fs/proc/proc_private.h"
#include "fs/proc/proc.h"
#include "kernel/cpu/cpu.h"
#include "kernel/process/process_count.h"
#include "kernel/thread/cpu_counts.h"
#include "kernel/time/clock.h"
#include "kernel/time/cpu_time.h"

#define TICK_NS 10000000 /* USER_HZ is 100 */

static void proc_stat_cpu(struct proc_text *text, const struct cpu_time *time)
{
    proc_printf(text, " %lu 0 %lu %lu 0 %lu 0 0 0 0\n", (unsigned long)(time->user / TICK_NS),
                (unsigned long)(time->system / TICK_NS), (unsigned long)(time->idle / TICK_NS),
                (unsigned long)(time->interrupt / TICK_NS));
}

/* Interrupts of all kinds are in the column of hardware's. */
static int proc_stat_make(struct proc_text *text, struct process *process, void *argument)
{
    struct cpu_time time[CPU_MAX], all = {.user = 0};
    uint64_t interrupts = 0, switches = 0, forks = 0;

    (void)process;
    (void)argument;
    for (unsigned cpu = 0; cpu < cpu_count(); cpu++) {
        struct cpu_counts counts;

        cpu_counts_get(cpu, &counts);
        interrupts += counts.interrupts;
        switches += counts.switches;
        forks += process_event_on(PROCESS_FORKS, cpu);
        cpu_time_get(cpu, &time[cpu]);
        all.user += time[cpu].user;
        all.system += time[cpu].system;
        all.interrupt += time[cpu].interrupt;
        all.idle += time[cpu].idle;
    }
    proc_printf(text, "cpu ");
    proc_stat_cpu(text, &all);
    for (unsigned cpu = 0; cpu < cpu_count(); cpu++) {
        proc_printf(text, "cpu%u", cpu);
        proc_stat_cpu(text, &time[cpu]);
    }
    proc_printf(text, "intr %lu\nctxt %lu\nbtime %lu\nprocesses %lu\n", (unsigned long)interrupts,
                (unsigned long)switches, (unsigned long)(clock_boot_time() / 1000000000),
                (unsigned long)forks);
    return 0;
}

void proc_add_stat(void)
{
    static struct proc_file file = {.name = "stat", .mode = 0444, .make = proc_stat_make};

    proc_register(&file);
}
