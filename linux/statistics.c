/* SPDX-License-Identifier: BSD-2-Clause */
/* The devices of statistics: see statistics.h. */
#include "linux/statistics.h"
#include "kernel/base/log.h"

void statistics_register(void)
{
    static struct device *const devices[] = {&statistics_kstat, &statistics_sysctl};
    static bool done;

    if (__atomic_exchange_n(&done, true, __ATOMIC_RELAXED))
        return;
    for (unsigned i = 0; i < sizeof devices / sizeof *devices; i++)
        if (dev_register(devices[i]) != 0)
            log_printf("linux: no /dev/%s", devices[i]->name);
}
