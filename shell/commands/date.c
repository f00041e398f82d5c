/* SPDX-License-Identifier: BSD-2-Clause */
/* date: the wall-clock time, always UTC. */
#include "kernel/time/clock.h"
#include "lib/calendar.h"
#include "shell/command.h"
#include "shell/options.h"
#include "shell/output.h"

#define SECOND 1000000000u

static int date_run(int argc, char **argv)
{
    struct options options = {.argc = argc, .argv = argv, .letters = "is"};
    uint64_t seconds = clock_wall() / SECOND;
    struct calendar now;
    int option, style = 0;

    while ((option = options_next(&options)) != OPTIONS_END) {
        if (option == OPTIONS_BAD)
            return STATUS_USAGE;
        style = option;
    }
    if (options.index < argc)
        return command_usage(argv[0]);
    if (seconds == 0) {
        shell_printf("date: the board's clock cannot be read\n");
        return 1;
    }
    calendar_from_seconds(seconds, &now);
    if (style == 's')
        shell_printf("%llu\n", (unsigned long long)seconds);
    else if (style == 'i')
        shell_printf("%04llu-%02u-%02uT%02u:%02u:%02uZ\n", (unsigned long long)now.year, now.month,
                     now.day, now.hour, now.minute, now.second);
    else
        shell_printf("%s %s %2u %02u:%02u:%02u UTC %llu\n", calendar_weekday_name(now.weekday),
                     calendar_month_name(now.month), now.day, now.hour, now.minute, now.second,
                     (unsigned long long)now.year);
    return 0;
}

COMMAND(date, .name = "date", .summary = "print the date and time", .usage = "date [-i | -s]",
        .description = "  -i  as in ISO 8601: 2000-05-31T12:00:00Z\n"
                       "  -s  as seconds since 1970\n"
                       "\n"
                       "Example: date -i\n",
        .run = date_run);
