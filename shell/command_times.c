/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * command_times: see command_times.h. A timer of the kstat's is filled at the command's end, under
 * a lock, and not by kstat_timer_start and _stop, which know of one event at a time.
 */
#include "shell/command_times.h"

#include <sys/kstat.h>
#include "kernel/clock.h"
#include "kernel/kmem.h"
#include "kernel/late.h"
#include "kernel/mutex.h"
#include "kernel/spinlock.h"
#include "lib/errno.h"
#include "lib/string.h"
#include "shell/command.h"

static struct spinlock lock = SPINLOCK_INITIALIZER("command times");
static kstat_timer_t *timers; /* one for each command, in the order of the linker set; lock */

static unsigned command_count(void)
{
    const struct command *const *member;
    unsigned count = 0;

    LINKER_SET_FOREACH (member, commands)
        count++;
    return count;
}

static unsigned position(const struct command *command)
{
    const struct command *const *member;
    unsigned at = 0;

    LINKER_SET_FOREACH (member, commands) {
        if (*member == command)
            break;
        at++;
    }
    return at;
}

/* Makes the timers where there are none yet; false if there is no memory. */
static bool prepare(void)
{
    kstat_timer_t *made = timers == NULL ? kmem_zalloc(command_count() * sizeof(*made)) : NULL;
    const struct command *const *member;
    kstat_timer_t *timer = made;
    uintptr_t state;

    if (timers != NULL || made == NULL)
        return timers != NULL;
    LINKER_SET_FOREACH (member, commands)
        strlcpy((timer++)->name, (*member)->name, KSTAT_STRLEN);
    state = spinlock_acquire(&lock);
    if (timers == NULL) {
        timers = made;
        made = NULL;
    }
    spinlock_release(&lock, state);
    kmem_free(made);
    return true;
}

void command_times_add(const struct command *command, uint64_t start, uint64_t end)
{
    hrtime_t took = (hrtime_t)(end - start);
    kstat_timer_t *timer;
    uintptr_t state;

    if (!prepare())
        return;
    state = spinlock_acquire(&lock);
    timer = &timers[position(command)];
    if (timer->num_events == 0 || took < timer->min_time)
        timer->min_time = took;
    if (took > timer->max_time)
        timer->max_time = took;
    timer->num_events++;
    timer->elapsed_time += took;
    timer->start_time = (hrtime_t)start;
    timer->stop_time = (hrtime_t)end;
    spinlock_release(&lock, state);
}

static int update(kstat_t *ksp, int how)
{
    unsigned count = command_count();
    uintptr_t state;

    if (how == KSTAT_WRITE)
        return EACCES;
    ksp->ks_ndata = 0;
    state = spinlock_acquire(&lock);
    for (unsigned i = 0; i < count; i++)
        ksp->ks_ndata += timers[i].num_events != 0;
    spinlock_release(&lock, state);
    ksp->ks_data_size = ksp->ks_ndata * sizeof(kstat_timer_t);
    return 0;
}

/* As many of those that ran as update found; another may have run for the first time since. */
static int snapshot(kstat_t *ksp, void *data, int how)
{
    kstat_timer_t *copy = data;
    uint_t left = ksp->ks_ndata;
    uintptr_t state;

    if (how == KSTAT_WRITE)
        return EACCES;
    ksp->ks_snaptime = (hrtime_t)clock_now();
    state = spinlock_acquire(&lock);
    for (const kstat_timer_t *timer = timers; left > 0; timer++) {
        if (timer->num_events != 0) {
            *copy++ = *timer;
            left--;
        }
    }
    spinlock_release(&lock, state);
    return 0;
}

static void command_times_create(void)
{
    static kmutex_t reader;
    kstat_t *ksp;

    if (!prepare())
        return;
    mutex_init(&reader, "command times");
    ksp = kstat_create("shell", 0, "commands", "misc", KSTAT_TYPE_TIMER, 0,
                       KSTAT_FLAG_VIRTUAL | KSTAT_FLAG_VAR_SIZE);
    if (ksp == NULL)
        return;
    ksp->ks_update = update;
    ksp->ks_snapshot = snapshot;
    ksp->ks_lock = &reader;
    kstat_install(ksp);
}
LATE(7, command_times_create);
