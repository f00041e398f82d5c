/* SPDX-License-Identifier: BSD-2-Clause */
/* The devices of statistics: see statistics.h. */
#include "linux/statistics/statistics.h"
#include "kernel/base/log.h"
#include "linux/hwperf/hwperf.h"
#include "linux/program/program.h"

static struct device *const statistics_devices[] = {&statistics_kstat, &statistics_sysctl,
                                                    &statistics_pmc, &hwperf_device};

void statistics_register(void)
{
    static bool done; /* program_lock */
    uintptr_t state = spinlock_acquire(&program_lock);
    bool first = !done;

    done = true;
    spinlock_release(&program_lock, state);
    for (unsigned i = 0; first && i < sizeof statistics_devices / sizeof *statistics_devices; i++)
        if (dev_register(statistics_devices[i]) != 0)
            log_printf("linux: no /dev/%s", statistics_devices[i]->name);
}
