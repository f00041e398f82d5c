/* SPDX-License-Identifier: BSD-2-Clause */
/* The time above a report: see stamp.h. */
#include "shell/commands/shared/stamp.h"
#include "kernel/time/clock.h"
#include "shell/commands/shared/calendar.h"
#include "shell/output.h"

#define SECOND 1000000000u

void stamp_print(char form)
{
    uint64_t seconds = clock_wall() / SECOND;
    struct calendar now;

    calendar_from_seconds(seconds, &now);
    if (form == 'u')
        shell_printf("%llu\n", (unsigned long long)seconds);
    else if (form == 'd')
        shell_printf("%s %s %2u %02u:%02u:%02u UTC %llu\n", calendar_weekday_name(now.weekday),
                     calendar_month_name(now.month), now.day, now.hour, now.minute, now.second,
                     (unsigned long long)now.year);
}
