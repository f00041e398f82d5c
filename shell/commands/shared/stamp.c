/* SPDX-License-Identifier: BSD-2-Clause */
/* The time above a report: see stamp.h. */
#include "shell/commands/shared/stamp.h"
#include "kernel/time/clock.h"
#include "shell/output.h"
#include "stats/read/time_stamp.h"

#define SECOND 1000000000u

static void stamp_write(void *arg, const char *text, size_t length)
{
    (void)arg;
    shell_write(text, length);
}

void stamp_print(char form)
{
    time_stamp_put(form, clock_wall() / SECOND, stamp_write, NULL);
}
