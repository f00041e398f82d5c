/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * command_times: see command_times.h. A timer is filled at the command's end, under a lock, and not
 * by kstat_timer_start and _stop, which know of one event at a time.
 */
#include "shell/command_times.h"

#include "kernel/lock/spinlock.h"
#include "lib/section.h"
#include "shell/command.h"

#define COMMANDS_MAX 128 /* those beyond are not timed */

struct command_time {
    kstat_timer_t timer;
    bool listed; /* told, or about to be */
};

static struct spinlock lock = SPINLOCK_INITIALIZER("command times");
static void (*listing)(const struct command *, kstat_timer_t *); /* or NULL; lock */
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
static void command_times_extend(kstat_timer_t *timer, uint64_t start, uint64_t end)
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

void command_times_copy(kstat_timer_t *copy, const kstat_timer_t *timer)
{
    uintptr_t state = spinlock_acquire(&lock);

    *copy = *timer;
    spinlock_release(&lock, state);
}

/* A command that has run, if it has not been told of. */
static void command_times_list_one(const struct command *command, struct command_time *time)
{
    uintptr_t state = spinlock_acquire(&lock);
    bool is_new = listing && time->timer.num_events > 0 && !time->listed;

    time->listed = time->listed || is_new;
    spinlock_release(&lock, state);
    if (is_new)
        listing(command, &time->timer);
}

void command_times_add(const struct command *command, uint64_t start, uint64_t end)
{
    struct command_time *time = time_of(command);
    uintptr_t state;

    if (time == NULL)
        return;
    state = spinlock_acquire(&lock);
    command_times_extend(&time->timer, start, end);
    spinlock_release(&lock, state);
    command_times_list_one(command, time);
}

void command_times_list(void (*told)(const struct command *command, kstat_timer_t *timer))
{
    const struct command *const *member;
    uintptr_t state = spinlock_acquire(&lock);
    struct command_time *time = times;

    listing = told;
    spinlock_release(&lock, state);
    LINKER_SET_FOREACH (member, commands)
        if (time < times + COMMANDS_MAX)
            command_times_list_one(*member, time++);
}
