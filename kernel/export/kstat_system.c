/* SPDX-License-Identifier: BSD-2-Clause */
/* kstats of the system as a whole: unix:0:system_misc, and unix:0:threads of the scheduler. */
#include <sys/evcnt.h>
#include "kernel/time/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/memory/kmem.h"
#include "stats/kstat/kstat_values.h"
#include "kernel/device/late.h"
#include "kernel/thread/load.h"
#include "kernel/thread/thread.h"
#include "lib/errno.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define SECOND       1000000000u
#define AVENRUN_BITS 8 /* 256 is a load of 1 */
#define ROOM         8 /* for threads that come meanwhile */

static const struct kstat_value misc_values[] = {
    {"ncpus", KSTAT_DATA_UINT32},         {"boot_time", KSTAT_DATA_UINT32},
    {"clk_intr", KSTAT_DATA_UINT32},      {"lbolt", KSTAT_DATA_UINT32},
    {"nproc", KSTAT_DATA_UINT32},         {"nsec_per_tick", KSTAT_DATA_UINT32},
    {"avenrun_1min", KSTAT_DATA_UINT32},  {"avenrun_5min", KSTAT_DATA_UINT32},
    {"avenrun_15min", KSTAT_DATA_UINT32}, {"deficit", KSTAT_DATA_INT32},
};

static uint64_t kstat_system_clock_interrupts(void)
{
    const struct evcnt *ev = evcnt_lookup("clock", "intr");

    return ev != NULL ? evcnt_value(ev) : 0;
}

static int kstat_system_update_misc(kstat_t *ksp, int how)
{
    if (how == KSTAT_WRITE)
        return EACCES;
    const uint64_t numbers[] = {
        cpu_count(),
        clock_boot_time() / SECOND,
        kstat_system_clock_interrupts(),
        clock_now() / CLOCK_TICK_NS,
        thread_population(),
        CLOCK_TICK_NS,
        load_average(0, AVENRUN_BITS),
        load_average(1, AVENRUN_BITS),
        load_average(2, AVENRUN_BITS),
        0, /* no pages are owed: nobody swaps */
    };
    _Static_assert(COUNT(numbers) == COUNT(misc_values), "a number for each name");
    return kstat_values_set(ksp, numbers);
}

static const struct kstat_value thread_values[] = {
    {"total", KSTAT_DATA_UINT64},       {"running", KSTAT_DATA_UINT64},
    {"ready", KSTAT_DATA_UINT64},       {"sleeping", KSTAT_DATA_UINT64},
    {"ended", KSTAT_DATA_UINT64},       {"voluntary", KSTAT_DATA_UINT64},
    {"involuntary", KSTAT_DATA_UINT64}, {"migrations", KSTAT_DATA_UINT64},
};

/* Of the threads that there are, each as of one moment; but for those that have ended. */
static int kstat_system_update_threads(kstat_t *ksp, int how)
{
    uint64_t numbers[COUNT(thread_values)] = {0};
    struct thread_info *list;
    size_t room = 0, count;

    if (how == KSTAT_WRITE)
        return EACCES;
    do {
        room = thread_population() + ROOM;
        list = kmem_alloc(room * sizeof(*list));
        if (list == NULL)
            return ENOMEM;
        count = thread_snapshot(list, room);
        if (count > room)
            kmem_free(list);
    } while (count > room);
    for (size_t i = 0; i < count; i++) {
        numbers[0]++;
        numbers[1] += list[i].state == 'R';
        numbers[2] += list[i].state == 'r';
        numbers[3] += list[i].state == 'S';
        numbers[5] += list[i].voluntary;
        numbers[6] += list[i].involuntary;
        numbers[7] += list[i].migrations;
    }
    kmem_free(list);
    numbers[4] = thread_ended();
    return kstat_values_set(ksp, numbers);
}

static void kstat_system_create(void)
{
    kstat_values_create("unix", 0, "system_misc", "misc", misc_values, COUNT(misc_values),
                        kstat_system_update_misc, NULL, 0);
    kstat_values_create("unix", 0, "threads", "misc", thread_values, COUNT(thread_values),
                        kstat_system_update_threads, NULL, 0);
}
LATE(7, kstat_system_create);
