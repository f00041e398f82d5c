/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * command_times: see command_times.h. A timer is filled at the command's end, under a lock, and not
 * by kstat_timer_start and _stop, which know of one event at a time. Commands that never ran have
 * no kstat, and before somebody asks for statistics none has.
 */
#include "shell/command_times.h"

#include <sys/kstat.h>
#include "kernel/clock.h"
#include "kernel/late.h"
#include "kernel/spinlock.h"
#include "lib/errno.h"
#include "lib/section.h"
#include "shell/command.h"

#define COMMANDS_MAX 128 /* those beyond are not timed */

struct command_time {
    kstat_timer_t timer;
    bool listed; /* it has a kstat, or is about to */
};

static struct spinlock lock = SPINLOCK_INITIALIZER("command times");
static bool listing; /* kstats have been asked for; lock */
/* In the order of the linker set; lock. */
static SHARED_BSS struct command_time times[COMMANDS_MAX];

static struct command_time *time_of(const struct command *command)
{
    const struct command *const *member;
    unsigned at = 0;

    LINKER_SET_FOREACH (member, commands) {
        if (*member == command)
            return at < COMMANDS_MAX ? &times[at] : NULL;
        at++;
    }
    return NULL;
}

/* Lock held. */
static void add(kstat_timer_t *timer, uint64_t start, uint64_t end)
{
    hrtime_t took = (hrtime_t)(end - start);

    if (timer->num_events == 0 || took < timer->min_time)
        timer->min_time = took;
    if (took > timer->max_time)
        timer->max_time = took;
    timer->num_events++;
    timer->elapsed_time += took;
    timer->start_time = (hrtime_t)start;
    timer->stop_time = (hrtime_t)end;
}

static int snapshot(kstat_t *ksp, void *data, int how)
{
    uintptr_t state;

    if (how == KSTAT_WRITE)
        return EACCES;
    ksp->ks_snaptime = (hrtime_t)clock_now();
    state = spinlock_acquire(&lock);
    *(kstat_timer_t *)data = *(const kstat_timer_t *)ksp->ks_data;
    spinlock_release(&lock, state);
    return 0;
}

static void list(const struct command *command, struct command_time *time)
{
    kstat_t *ksp =
        kstat_create("shell", 0, command->name, "misc", KSTAT_TYPE_TIMER, 1, KSTAT_FLAG_VIRTUAL);

    kstat_set_string(time->timer.name, command->name);
    if (ksp == NULL)
        return;
    ksp->ks_crtime = 0; /* had it run earlier, it would have been counted */
    ksp->ks_data = &time->timer;
    ksp->ks_snapshot = snapshot;
    kstat_install(ksp);
}

void command_times_add(const struct command *command, uint64_t start, uint64_t end)
{
    struct command_time *time = time_of(command);
    uintptr_t state;
    bool is_new;

    if (time == NULL)
        return;
    state = spinlock_acquire(&lock);
    add(&time->timer, start, end);
    is_new = listing && !time->listed;
    time->listed = time->listed || is_new;
    spinlock_release(&lock, state);
    if (is_new)
        list(command, time);
}

/* Lists those that have run so far; from here on others list themselves. */
static void command_times_create(void)
{
    const struct command *const *member;
    uintptr_t state;

    state = spinlock_acquire(&lock);
    listing = true;
    spinlock_release(&lock, state);
    LINKER_SET_FOREACH (member, commands) {
        struct command_time *time = time_of(*member);
        bool is_new;

        if (time == NULL)
            break;
        state = spinlock_acquire(&lock);
        is_new = time->timer.num_events > 0 && !time->listed;
        time->listed = time->listed || is_new;
        spinlock_release(&lock, state);
        if (is_new)
            list(*member, time);
    }
}
LATE(7, command_times_create);
