/* SPDX-License-Identifier: BSD-2-Clause */
/* uptime: how long the machine has been running. */
#include "kernel/thread/load.h"
#include "kernel/time/clock.h"
#include "lib/format.h"
#include "lib/string.h"
#include "lib/calendar.h"
#include "shell/command.h"
#include "shell/options.h"
#include "shell/output.h"

#define SECOND 1000000000u
#define MINUTE 60u
#define HOUR   (60 * MINUTE)
#define DAY    (24 * HOUR)

#define LOAD_BITS 11 /* of a fraction, as in vm.loadavg */

static void uptime_print_phrase(uint64_t wall, uint64_t seconds)
{
    unsigned long long days = seconds / DAY;
    unsigned hours = (unsigned)(seconds % DAY / HOUR);
    struct calendar now;
    char time[16] = "";
    struct shell_gather line = {.used = 0};

    if (wall != 0) {
        calendar_from_seconds(wall / SECOND, &now);
        format(time, sizeof(time), "%02u:%02u:%02u ", now.hour, now.minute, now.second);
    }
    shell_gather_printf(&line, "%sup %llu day%s, %u:%02u:%02u, load averages:", time, days,
                        days == 1 ? "" : "s", hours, (unsigned)(seconds % HOUR / MINUTE),
                        (unsigned)(seconds % MINUTE));
    for (unsigned i = 0; i < LOAD_AVERAGES; i++) {
        unsigned hundredths =
            (load_average(i, LOAD_BITS) * 100 + (1u << (LOAD_BITS - 1))) >> LOAD_BITS;

        shell_gather_printf(&line, "%s %u.%02u", i == 0 ? "" : ",", hundredths / 100,
                            hundredths % 100);
    }
    shell_gather_put(&line, "\n", 1);
    shell_gather_flush(&line);
}

static int uptime_run(int argc, char **argv)
{
    struct options options = {.argc = argc, .argv = argv, .letters = "s"};
    uint64_t ns = clock_now();
    bool plain = false;
    int option;

    while ((option = options_next(&options)) != OPTIONS_END) {
        if (option == OPTIONS_BAD)
            return STATUS_USAGE;
        plain = true;
    }
    if (options.index < argc)
        return command_usage(argv[0]);
    if (plain)
        shell_printf("%llu.%09llu\n", (unsigned long long)(ns / SECOND),
                     (unsigned long long)(ns % SECOND));
    else
        uptime_print_phrase(clock_wall(), ns / SECOND);
    return 0;
}

COMMAND(uptime, .name = "uptime", .summary = "say how long the machine has been up",
        .usage = "uptime [-s]",
        .description =
            "Prints the time of day (UTC) where the board has a clock, and the time since boot\n"
            "and the load averages: threads that ran or wanted to, over 1, 5 and 15 minutes.\n"
            "  -s  only the seconds since boot, to the nanosecond\n"
            "\n"
            "Example: uptime -s\n",
        .run = uptime_run);
