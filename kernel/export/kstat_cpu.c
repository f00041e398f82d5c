/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kstats of each CPU: cpu:N:sys (what mpstat shows), cpu:N:intrstat (interrupts by priority level),
 * cpu_info:N:cpu_infoN. The names are illumos's.
 */
#include <arch/cpu.h>
#include <sys/evcnt.h>
#include "kernel/time/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/time/cpu_time.h"
#include "kernel/thread/cpu_counts.h"
#include "kernel/process/process_count.h"
#include "kernel/interrupt/interrupt.h"
#include "stats/kstat/kstat_values.h"
#include "kernel/device/late.h"
#include "kernel/interrupt/trap_count.h"
#include "lib/errno.h"
#include "lib/format.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define MODEL        64

static const struct kstat_value sys_values[] = {
    {"cpu_nsec_idle", KSTAT_DATA_UINT64},
    {"cpu_nsec_user", KSTAT_DATA_UINT64},
    {"cpu_nsec_kernel", KSTAT_DATA_UINT64},
    {"cpu_nsec_intr", KSTAT_DATA_UINT64},
    {"cpu_ticks_idle", KSTAT_DATA_UINT64},
    {"cpu_ticks_user", KSTAT_DATA_UINT64},
    {"cpu_ticks_kernel", KSTAT_DATA_UINT64},
    {"intr", KSTAT_DATA_UINT64},
    {"pswitch", KSTAT_DATA_UINT64},
    {"inv_swtch", KSTAT_DATA_UINT64},
    {"cpumigrate", KSTAT_DATA_UINT64},
    {"xcalls", KSTAT_DATA_UINT64},
    {"mutex_adenters", KSTAT_DATA_UINT64},
    {"trap", KSTAT_DATA_UINT64},
    {"cpu_ticks_wait", KSTAT_DATA_UINT64},
    {"syscall", KSTAT_DATA_UINT64},
    {"sysread", KSTAT_DATA_UINT64},
    {"syswrite", KSTAT_DATA_UINT64},
    {"sysfork", KSTAT_DATA_UINT64},
    {"sysvfork", KSTAT_DATA_UINT64},
    {"sysexec", KSTAT_DATA_UINT64},
    {"readch", KSTAT_DATA_UINT64},
    {"writech", KSTAT_DATA_UINT64},
    {"rawch", KSTAT_DATA_UINT64},
    {"outch", KSTAT_DATA_UINT64},
    {"intrthread", KSTAT_DATA_UINT64},
    {"rw_rdfails", KSTAT_DATA_UINT64},
    {"rw_wrfails", KSTAT_DATA_UINT64},
};

/* Characters of the terminal that CPU has taken or given; there may be no serial line. */
static uint64_t kstat_cpu_terminal_characters(const char *name, unsigned cpu)
{
    const struct evcnt *ev = evcnt_lookup("com0", name);

    return ev != NULL ? evcnt_cpu_value(ev, cpu) : 0;
}

static int kstat_cpu_update_sys(kstat_t *ksp, int how)
{
    struct cpu_time time;
    struct cpu_counts counts;
    unsigned cpu = (unsigned)ksp->ks_instance;
    uint64_t vforks;

    if (how == KSTAT_WRITE)
        return EACCES;
    cpu_time_get(cpu, &time);
    cpu_counts_get(cpu, &counts);
    vforks = process_event_on(PROCESS_FORKS_PPWAIT, cpu); /* first: a part */
    const uint64_t numbers[] = {
        time.idle,
        time.user,
        time.system,
        time.interrupt,
        time.idle / CLOCK_TICK_NS,
        time.user / CLOCK_TICK_NS,
        (time.system + time.interrupt) / CLOCK_TICK_NS,
        counts.interrupts,
        counts.switches,
        counts.involuntary,
        counts.migrations,
        counts.cross_calls,
        counts.mutex_waits,
        trap_count(cpu),
        0, /* waiting for a disk is idleness here */
        process_event_on(PROCESS_SYSCALLS, cpu),
        process_event_on(PROCESS_READS, cpu),
        process_event_on(PROCESS_WRITES, cpu),
        process_event_on(PROCESS_FORKS, cpu) - vforks,
        vforks,
        process_event_on(PROCESS_EXECS, cpu),
        process_moved_on(false, cpu),
        process_moved_on(true, cpu),
        kstat_cpu_terminal_characters("rx bytes", cpu),
        kstat_cpu_terminal_characters("tx bytes", cpu),
        0, /* interrupts are served where they come, not by threads */
        0, /* there are no locks of readers and writers */
        0,
    };
    _Static_assert(COUNT(numbers) == COUNT(sys_values), "a number for each name");
    return kstat_values_set(ksp, numbers);
}

static const struct kstat_value intrstat_values[] = {
    {"level-1-count", KSTAT_DATA_UINT64}, {"level-2-count", KSTAT_DATA_UINT64},
    {"level-3-count", KSTAT_DATA_UINT64}, {"level-4-count", KSTAT_DATA_UINT64},
    {"level-5-count", KSTAT_DATA_UINT64}, {"level-6-count", KSTAT_DATA_UINT64},
    {"level-1-time", KSTAT_DATA_UINT64},  {"level-2-time", KSTAT_DATA_UINT64},
    {"level-3-time", KSTAT_DATA_UINT64},  {"level-4-time", KSTAT_DATA_UINT64},
    {"level-5-time", KSTAT_DATA_UINT64},  {"level-6-time", KSTAT_DATA_UINT64},
};

/* Lines behind another line were counted there, as in cpu_counts_get. Times are ns. */
static int kstat_cpu_update_intrstat(kstat_t *ksp, int how)
{
    uint64_t numbers[2 * IPL_SCHED] = {0}, times[IPL_COUNT];
    struct interrupt_line *line = NULL;

    _Static_assert(COUNT(intrstat_values) == COUNT(numbers), "two names for each level");
    if (how == KSTAT_WRITE)
        return EACCES;
    interrupt_level_times((unsigned)ksp->ks_instance, times);
    for (int level = IPL_SOFTCLOCK; level <= IPL_SCHED; level++)
        numbers[IPL_SCHED + level - IPL_SOFTCLOCK] = times[level];
    while ((line = interrupt_line_next(line)) != NULL) {
        if (line->count.ev_parent == NULL && line->ipl >= IPL_SOFTCLOCK)
            numbers[line->ipl - IPL_SOFTCLOCK] +=
                evcnt_cpu_value(&line->count, (unsigned)ksp->ks_instance);
    }
    return kstat_values_set(ksp, numbers);
}

static const struct kstat_value info_values[] = {
    {"brand", KSTAT_DATA_STRING},
    {"clock_MHz", KSTAT_DATA_INT32},
    {"current_clock_Hz", KSTAT_DATA_UINT64},
    {"state", KSTAT_DATA_STRING},
    {"state_begin", KSTAT_DATA_INT64},
};

/* "clock" is the rate of the cycle counter, which is what is known. */
static int kstat_cpu_update_info(kstat_t *ksp, int how)
{
    static char model[MODEL];

    if (how == KSTAT_WRITE)
        return EACCES;
    if (model[0] == '\0')
        cpu_describe(model, sizeof(model));
    const uint64_t numbers[] = {
        (uintptr_t)model,     (clock_frequency() + 500000) / 1000000, clock_frequency(),
        (uintptr_t)"on-line", clock_boot_time() / 1000000000,
    };
    _Static_assert(COUNT(numbers) == COUNT(info_values), "a number for each name");
    return kstat_values_set(ksp, numbers);
}

static void kstat_cpu_create(void)
{
    for (unsigned cpu = 0; cpu < cpu_count(); cpu++) {
        uint64_t since = cpu_of(cpu)->started;
        char name[KSTAT_STRLEN];

        format(name, sizeof(name), "cpu_info%u", cpu);
        kstat_values_create("cpu", (int)cpu, "sys", "misc", sys_values, COUNT(sys_values),
                            kstat_cpu_update_sys, NULL, since);
        kstat_values_create("cpu", (int)cpu, "intrstat", "misc", intrstat_values,
                            COUNT(intrstat_values), kstat_cpu_update_intrstat, NULL, since);
        kstat_values_create("cpu_info", (int)cpu, name, "misc", info_values, COUNT(info_values),
                            kstat_cpu_update_info, NULL, since);
    }
}
LATE(7, kstat_cpu_create);
