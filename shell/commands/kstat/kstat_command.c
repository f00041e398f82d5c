/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kstats shell:0:COMMAND of type KSTAT_TYPE_TIMER: how often each command ran and how long it took.
 * Commands that never ran have none, and before somebody asks for statistics none has.
 */
#include <sys/kstat.h>
#include "kernel/device/late.h"
#include "kernel/time/clock.h"
#include "lib/errno.h"
#include "shell/command.h"
#include "shell/command_times.h"

static int kstat_command_snapshot(kstat_t *ksp, void *data, int how)
{
    if (how == KSTAT_WRITE)
        return EACCES;
    ksp->ks_snaptime = (hrtime_t)clock_now();
    command_times_copy(data, ksp->ks_data);
    return 0;
}

static void kstat_command_list(const struct command *command, kstat_timer_t *timer)
{
    kstat_t *ksp =
        kstat_create("shell", 0, command->name, "misc", KSTAT_TYPE_TIMER, 1, KSTAT_FLAG_VIRTUAL);

    kstat_set_string(timer->name, command->name);
    if (ksp == NULL)
        return;
    ksp->ks_crtime = 0; /* had it run earlier, it would have been counted */
    ksp->ks_data = timer;
    ksp->ks_snapshot = kstat_command_snapshot;
    kstat_install(ksp);
}

/* Lists those that have run so far; from here on others list themselves. */
static void kstat_command_create(void)
{
    command_times_list(kstat_command_list);
}
LATE(7, kstat_command_create);
