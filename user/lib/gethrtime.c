/* SPDX-License-Identifier: BSD-2-Clause */
/* gethrtime(3C): the clock that kstats' times are of. */
#include <sys/kstat.h>
#include <sys/time.h>

#include "stats/port.h"

hrtime_t gethrtime(void)
{
    return (hrtime_t)stats_port_time_ns();
}
