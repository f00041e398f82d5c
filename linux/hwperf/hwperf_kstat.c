/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kstats of event counters, class hwperf: hwperf:0:system and hwperf:CPU:cpu, of system mode, now
 * or when it last was; hwperf:PID:process, of each process that has asked for counters. The last
 * come and go with a look at the chain.
 */
#include "kernel/cpu/cpu.h"
#include "kernel/device/late.h"
#include "kernel/export/kstat_refresh.h"
#include "kernel/hwperf/hwperf_system.h"
#include "kernel/memory/kmem.h"
#include "kernel/process/process.h"
#include "lib/errno.h"
#include "lib/string.h"
#include "linux/hwperf/hwperf_private.h"
#include "stats/kstat/kstat_values.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define U64(name)    {(name), KSTAT_DATA_UINT64}
#define EVENT_VALUES                                                                               \
    U64("event0"), U64("event1"), U64("event2"), U64("event3"), U64("event4"), U64("event5"),      \
        U64("event6"), U64("event7"), U64("event8"), U64("event9"), U64("event10"),                \
        U64("event11"), U64("event12"), U64("event13"), U64("event14"), U64("event15"),            \
        U64("event16"), U64("event17"), U64("event18"), U64("event19"), U64("event20"),            \
        U64("event21"), U64("event22"), U64("event23"), U64("event24"), U64("event25"),            \
        U64("event26"), U64("event27"), U64("event28"), U64("event29"), U64("event30"),            \
        U64("event31")

static const struct kstat_value system_values[] = {
    U64("on"),        U64("generation"), U64("process"), U64("events"),
    U64("rotations"), U64("overflows"),  EVENT_VALUES,
};
static const struct kstat_value cpu_values[] = {U64("rotations"), U64("overflows"), EVENT_VALUES};
static const struct kstat_value process_values[] = {
    U64("on"),      U64("lost"),      U64("generation"),      U64("events"),
    U64("threads"), U64("overflows"), U64("profile_counted"), U64("profile_missed"),
    EVENT_VALUES,
};

static uint64_t hwperf_kstat_events(const struct hwperf_control *control)
{
    uint64_t events = 0;

    for (unsigned i = 0; i < HWPERF_EVENTS; i++)
        events += control->spec[i] != 0;
    return events;
}

/* FIRST of them, then the counts. */
static int hwperf_kstat_set(kstat_t *ksp, uint64_t *numbers, unsigned first,
                            const uint64_t count[HWPERF_EVENTS])
{
    memcpy(&numbers[first], count, HWPERF_EVENTS * sizeof *count);
    return kstat_values_set(ksp, numbers);
}

static int hwperf_kstat_system(kstat_t *ksp, int how)
{
    uint64_t numbers[COUNT(system_values)];
    struct hwperf_facts facts;

    if (how == KSTAT_WRITE)
        return EACCES;
    mutex_enter(&hwperf_lock);
    hwperf_system_facts(&facts);
    numbers[0] = hwperf_system_is_on();
    numbers[1] = hwperf_system_generation();
    numbers[2] = hwperf_system_process();
    numbers[3] = numbers[0] ? hwperf_kstat_events(hwperf_system_control()) : 0;
    mutex_exit(&hwperf_lock);
    numbers[4] = facts.rotations;
    numbers[5] = facts.overflows;
    return hwperf_kstat_set(ksp, numbers, 6, facts.count);
}

static int hwperf_kstat_cpu(kstat_t *ksp, int how)
{
    uint64_t numbers[COUNT(cpu_values)];
    struct hwperf_facts facts;
    bool there;

    if (how == KSTAT_WRITE)
        return EACCES;
    mutex_enter(&hwperf_lock);
    there = hwperf_system_cpu_facts((unsigned)ksp->ks_instance, &facts);
    mutex_exit(&hwperf_lock);
    numbers[0] = facts.rotations;
    numbers[1] = facts.overflows;
    return there ? hwperf_kstat_set(ksp, numbers, 2, facts.count) : ENXIO;
}

/* With hwperf_lock. */
static void hwperf_kstat_process_numbers(struct hwperf_block *block, uint64_t *numbers,
                                         uint64_t count[HWPERF_EVENTS])
{
    struct hwperf_block_facts facts;

    numbers[2] = hwperf_block_read(block, count);
    hwperf_block_get_facts(block, &facts);
    numbers[0] = hwperf_block_is_on(block);
    numbers[1] = facts.lost;
    numbers[3] = hwperf_kstat_events(hwperf_block_control(block));
    numbers[4] = facts.members;
    numbers[5] = facts.overflows;
    hwperf_block_hits(block, &numbers[6], &numbers[7]);
}

static int hwperf_kstat_process(kstat_t *ksp, int how)
{
    uint64_t numbers[COUNT(process_values)], count[HWPERF_EVENTS];
    struct program *program;
    bool has = false;

    if (how == KSTAT_WRITE)
        return EACCES;
    mutex_enter(&hwperf_lock);
    program = hwperf_find_program((uint32_t)ksp->ks_instance);
    if (program && program->hwperf) {
        hwperf_kstat_process_numbers(program->hwperf, numbers, count);
        has = true;
    }
    mutex_exit(&hwperf_lock);
    return has ? hwperf_kstat_set(ksp, numbers, 8, count) : ENXIO;
}

/* --- which processes are shown --- */

struct hwperf_shown {
    SLIST_ENTRY(hwperf_shown) link;
    uint32_t id;
    kstat_t *kstat;
};

static kmutex_t hwperf_kstat_lock; /* of who makes and deletes them */
static SLIST_HEAD(, hwperf_shown) hwperf_shown = SLIST_HEAD_INITIALIZER(hwperf_shown);

static bool hwperf_kstat_wanted(uint32_t id)
{
    const struct program *program;
    bool wanted;

    mutex_enter(&hwperf_lock);
    program = hwperf_find_program(id);
    wanted = program && program->hwperf;
    mutex_exit(&hwperf_lock);
    return wanted;
}

static void hwperf_kstat_hide_ended(void)
{
    struct hwperf_shown *shown, *next;

    SLIST_FOREACH_SAFE(shown, &hwperf_shown, link, next)
    {
        if (hwperf_kstat_wanted(shown->id))
            continue;
        SLIST_REMOVE(&hwperf_shown, shown, hwperf_shown, link);
        kstat_delete(shown->kstat);
        kmem_free(shown);
    }
}

static void hwperf_kstat_show(uint32_t id)
{
    struct hwperf_shown *shown;

    SLIST_FOREACH(shown, &hwperf_shown, link)
    if (shown->id == id)
        return;
    shown = hwperf_kstat_wanted(id) ? kmem_zalloc(sizeof *shown) : NULL;
    if (!shown)
        return;
    shown->id = id;
    shown->kstat = kstat_values_create("hwperf", (int)id, "process", "hwperf", process_values,
                                       COUNT(process_values), hwperf_kstat_process, NULL, 0);
    if (shown->kstat)
        SLIST_INSERT_HEAD(&hwperf_shown, shown, link);
    else
        kmem_free(shown);
}

static void hwperf_kstat_refresh(void)
{
    struct process *process;
    uint32_t id = 0;

    if (!hwperf_in_use)
        return;
    mutex_enter(&hwperf_kstat_lock);
    hwperf_kstat_hide_ended();
    while ((process = process_next(id)) != NULL) {
        id = process->id;
        process_release(process);
        hwperf_kstat_show(id);
    }
    mutex_exit(&hwperf_kstat_lock);
}
KSTAT_REFRESH(hwperf_kstat_refresh);

/* After hwperf_lock is there. */
static void hwperf_kstat_prepare(void)
{
    mutex_init(&hwperf_kstat_lock, "event counters' kstats");
    kstat_values_create("hwperf", 0, "system", "hwperf", system_values, COUNT(system_values),
                        hwperf_kstat_system, NULL, 0);
    for (unsigned cpu = 0; cpu < cpu_count(); cpu++)
        kstat_values_create("hwperf", (int)cpu, "cpu", "hwperf", cpu_values, COUNT(cpu_values),
                            hwperf_kstat_cpu, NULL, 0);
}
LATE(7, hwperf_kstat_prepare);
