/* SPDX-License-Identifier: BSD-2-Clause */
/* Events of perf_event_open(2) as they start, stop and are read. */
#include <arch/interrupt_flag.h>
#include "kernel/memory/kmem.h"
#include "kernel/process/process.h"
#include "kernel/thread/thread_time.h"
#include "kernel/time/clock.h"
#include "lib/string.h"
#include "linux/perf/perf_private.h"
#include "stats/pmc/pmu_owner.h"

kmutex_t perf_lock;

static const struct pmu_owner perf_owner = {
    .name = "perf_event_open", .rank = PMU_RANK_THREAD, .sample = perf_sampled, .lost = perf_taken};

static struct thread *perf_thread(const struct perf_event *event)
{
    return event->task ? event->task->thread : NULL;
}

static uint64_t perf_time(const struct perf_event *event)
{
    struct thread *thread = perf_thread(event);
    uintptr_t state = interrupts_save();
    uint64_t time = thread ? cpu_time_of_thread(thread) : event->cpu >= 0 ? perf_cpu_time() : 0;

    interrupts_restore(state);
    return time;
}

static uint64_t perf_source(const struct perf_event *event)
{
    struct thread *thread = perf_thread(event);
    const struct process_faults *faults = thread ? &thread->process->faults : NULL;
    uint64_t value = 0;

    if (event->cpu >= 0)
        return perf_cpu_source(event);
    if (!thread)
        return 0;
    switch (event->kind) {
    case PERF_COUNTER:
        if (event->halted || event->taken)
            return event->passed;
        (void)pmc_get_counter_value(&thread->lwp, event->counter, 0, &value);
        return value;
    case PERF_CLOCK:
        return perf_time(event);
    case PERF_FAULTS:
        return faults->minor + faults->major;
    case PERF_FAULTS_MINOR:
        return faults->minor;
    case PERF_FAULTS_MAJOR:
        return faults->major;
    case PERF_SWITCHES:
        return thread->switches;
    case PERF_MIGRATIONS:
        return thread->migrations;
    case PERF_UNALIGNED:
        return thread->unaligned;
    case PERF_EMULATED:
        return thread->emulated;
    case PERF_NOTHING:
        break;
    }
    return 0;
}

/* Whether an event of the task's has that counter. */
static bool perf_has_counter(const struct task *task, int counter)
{
    const struct perf_event *event;

    TAILQ_FOREACH (event, &task->perf, in_task)
        if (event->kind == PERF_COUNTER && event->counter == counter)
            return true;
    return false;
}

static bool perf_take(struct perf_event *event, const struct pmu_event *choice)
{
    struct pmc_counter_cfg cfg = {choice->code, event->period, event->request.modes};

    for (int n = 0; choice->counters >> n != 0; n++) {
        int counter = event->request.base + n;

        if (!(choice->counters >> n & 1))
            continue;
        if (event->cpu >= 0 && perf_cpu_take(event, choice, counter))
            return true;
        if (event->cpu >= 0 || perf_has_counter(event->task, counter))
            continue;
        if (pmc_configure_as(&perf_owner, &perf_thread(event)->lwp, counter, &cfg, NULL) == 0) {
            event->passed = 0;
            event->counter = counter;
            return true;
        }
    }
    return false;
}

static int perf_places(const struct pmu_event *choice)
{
    int places = 0;

    for (uint32_t left = choice->counters; left != 0; left &= left - 1)
        places++;
    return places;
}

/* A counter that it has kept without running is still its own; else it has none. */
static void perf_look_again(struct perf_event *event)
{
    if (event->counter >= 0 && !event->active && perf_thread(event) &&
        pmc_enable_as(&perf_owner, &perf_thread(event)->lwp, 1u << event->counter, false) != 0) {
        event->counter = -1;
        event->taken = false;
    }
}

/* A counter, one that can do little else before others. */
static bool perf_allot(struct perf_event *event)
{
    if (event->wanted)
        perf_look_again(event);
    if (event->kind != PERF_COUNTER || event->counter >= 0)
        return true;
    for (int most = 1; most <= PMC_COUNTERS_MAX; most *= 2)
        for (unsigned i = 0; i < event->request.choice_count; i++) {
            const struct pmu_event *choice = event->request.choices[i];

            if (perf_places(choice) <= most && perf_take(event, choice))
                return true;
        }
    return false;
}

/* All of the group have what they need, or it does not count. */
static bool perf_allot_group(struct perf_event *leader)
{
    struct perf_event *event;
    bool all = true;

    TAILQ_FOREACH (event, &leader->group, in_group)
        all = perf_allot(event) && all;
    if (!all && leader->flags & PERF_PINNED)
        leader->failed = true;
    return all && !leader->failed;
}

/* Until when it has run, being active at NOW: not at all, if its counter was taken before. */
static uint64_t perf_ran_until(const struct perf_event *event, uint64_t now)
{
    uint64_t at = now;

    if (event->halted || event->taken)
        at = event->halted_at;
    else if (event->cpu >= 0)
        (void)perf_cpu_is_taken(event, &at);
    at = at < now ? at : now;
    return at > event->active_since ? at : event->active_since;
}

static void perf_stop(struct perf_event *event, uint64_t now)
{
    now = perf_ran_until(event, now);
    event->own.value += perf_source(event) - event->base;
    event->own.running += now - event->active_since;
    event->active = false;
}

/* Whether it is to count, where its group does (RUN). */
static bool perf_to_run(const struct perf_event *event, bool run)
{
    return run && event->wanted;
}

/* Counters of those that are to begin (START), or to end. */
static uint32_t perf_changing(struct perf_event *leader, bool run, bool start)
{
    struct perf_event *event;
    uint32_t mask = 0;

    TAILQ_FOREACH (event, &leader->group, in_group)
        if (event->counter >= 0 && !event->taken && event->active != start &&
            perf_to_run(event, run) == start)
            mask |= 1u << event->counter;
    return mask;
}

static void perf_enable_times(struct perf_event *event, bool on, uint64_t now)
{
    if (on && !event->enabled)
        event->enabled_since = now;
    if (!on && event->enabled)
        event->own.enabled += (event->halted ? event->halted_at : now) - event->enabled_since;
    event->enabled = on;
}

static void perf_start(struct perf_event *event, uint64_t now)
{
    event->base = perf_source(event);
    event->active_since = now;
    event->active = true;
}

/* The group's counters in MASK could not be started: one is the system's meanwhile. */
static void perf_not_started(struct perf_event *leader, uint32_t mask)
{
    uintptr_t state = spinlock_acquire(&perf_sampling_lock);
    struct perf_event *event;

    TAILQ_FOREACH (event, &leader->group, in_group)
        if (event->counter >= 0 && (mask >> event->counter & 1) && !event->taken) {
            event->passed = event->base;
            event->halted_at = event->active_since;
            event->taken = true;
        }
    spinlock_release(&perf_sampling_lock, state);
}

void perf_update(struct perf_event *leader)
{
    struct thread *thread = perf_thread(leader);
    struct perf_event *event;
    uint32_t mask;
    uint64_t now;
    bool run;

    if (!thread && leader->cpu < 0)
        return;
    run = leader->wanted && perf_allot_group(leader);
    mask = perf_changing(leader, run, false);
    if (thread && mask != 0)
        (void)pmc_enable_as(&perf_owner, &thread->lwp, mask, false);
    mask = perf_changing(leader, run, true);
    now = perf_time(leader);
    TAILQ_FOREACH (event, &leader->group, in_group) {
        perf_enable_times(event, leader->wanted && event->wanted, now);
        if (event->active && !perf_to_run(event, run))
            perf_stop(event, now);
        else if (!event->active && perf_to_run(event, run))
            perf_start(event, now);
    }
    if (thread && mask != 0 && pmc_enable_as(&perf_owner, &thread->lwp, mask, true) != 0)
        perf_not_started(leader, mask);
}

void perf_drop_counter(struct perf_event *event)
{
    struct thread *thread = perf_thread(event);
    bool wanted = event->wanted;

    event->wanted = false;
    perf_update(event->leader);
    event->wanted = wanted;
    if (event->cpu >= 0 && event->counter >= 0)
        perf_cpu_give(event);
    else if (thread && event->counter >= 0)
        (void)pmc_release_as(&perf_owner, &thread->lwp, event->counter);
    event->counter = -1; /* from here on nobody finds it by that */
    event->taken = false;
}

void perf_unhalt(struct perf_event *event)
{
    uint64_t at;

    if (event->halted || event->taken || (event->cpu >= 0 && perf_cpu_is_taken(event, &at))) {
        perf_drop_counter(event);
        event->halted = false;
    }
}

void perf_update_task(struct task *task)
{
    struct perf_event *event;

    TAILQ_FOREACH (event, &task->perf, in_task)
        if (event->leader == event)
            perf_update(event);
}

void perf_attach(struct perf_event *event, struct task *task, struct perf_event *leader)
{
    event->task = task;
    event->counter = -1;
    event->leader = leader ? leader : event;
    TAILQ_INIT(&event->heirs);
    TAILQ_INIT(&event->group);
    if (task)
        TAILQ_INSERT_TAIL(&task->perf, event, in_task);
    TAILQ_INSERT_TAIL(&event->leader->group, event, in_group);
    event->leader->members++;
    perf_sampling_begin(event);
}

void perf_leave_group(struct perf_event *event)
{
    struct perf_event *member;

    TAILQ_REMOVE(&event->leader->group, event, in_group);
    event->leader->members--;
    while ((member = TAILQ_FIRST(&event->group)) != NULL) {
        TAILQ_REMOVE(&event->group, member, in_group);
        member->leader = member;
        member->members = 1;
        TAILQ_INSERT_TAIL(&member->group, member, in_group);
        perf_update(member);
    }
}

void perf_detach(struct perf_event *event)
{
    if (event->cpu >= 0)
        perf_drop_counter(event);
    if (!event->task)
        return;
    perf_drop_counter(event);
    perf_sampling_end(event);
    TAILQ_REMOVE(&event->task->perf, event, in_task);
    event->task = NULL;
}

static void perf_add(struct perf_count *to, const struct perf_count *more)
{
    to->value += more->value;
    to->enabled += more->enabled;
    to->running += more->running;
}

static void perf_read_own(const struct perf_event *event, uint64_t now, struct perf_count *out)
{
    *out = event->own;
    if (event->active) {
        out->value += perf_source(event) - event->base;
        out->running += perf_ran_until(event, now) - event->active_since;
    }
    if (event->enabled)
        out->enabled += (event->halted ? event->halted_at : now) - event->enabled_since;
}

void perf_read(struct perf_event **events, unsigned count, struct perf_count *out)
{
    bool own = count > 0 && perf_thread(events[0]) == thread_current();
    uintptr_t state = own ? interrupts_save() : 0;
    uint32_t held = own ? pmc_hold_counters() : 0;
    uint64_t now = count > 0 ? perf_time(events[0]) : 0;

    for (unsigned i = 0; i < count; i++)
        perf_read_own(events[i], now, &out[i]);
    if (own) {
        pmc_go_on(held);
        interrupts_restore(state);
    }
    for (unsigned i = 0; i < count; i++) {
        struct perf_event *heir;
        struct perf_count theirs;

        perf_add(&out[i], &events[i]->children);
        TAILQ_FOREACH (heir, &events[i]->heirs, in_origin) {
            perf_read_own(heir, perf_time(heir), &theirs);
            perf_add(&out[i], &theirs);
        }
        if (events[i]->kind == PERF_CLOCK)
            out[i].value = clock_cycles_to_ns(out[i].value);
    }
}

void perf_reset(struct perf_event *event)
{
    event->own.value = 0;
    if (event->active)
        event->base = perf_source(event);
}

void perf_start_heirs(struct task *task)
{
    struct perf_event *event;

    TAILQ_FOREACH (event, &task->perf, in_task)
        if (event->active && event->counter >= 0 &&
            pmc_enable_as(&perf_owner, curlwp, 1u << event->counter, true) != 0)
            event->active = false;
}

void perf_release_unused(struct task *task)
{
    for (int n = 0; n < pmc_get_num_counters(); n++)
        if (!perf_has_counter(task, n))
            (void)pmc_release_as(&perf_owner, curlwp, n);
}
