/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading a set of events while its threads count: see pmu_set.h. */
#include "kernel/time/clock.h"
#include "kernel/thread/thread_time.h"
#include "kernel/cpu/cross_call.h"
#include "kernel/memory/kmem.h"
#include "kernel/pmc/pmu_set_private.h"
#include "lib/string.h"

/* The sums, and what the first thread has to add to them, whose slice that is.
 * Whether it stands still, and since which switch. */
static bool pmu_set_read_copy_sums(struct pmu_set *set, struct pmu_set *sums, struct member *first,
                                   uint64_t *switches)
{
    uintptr_t state = spinlock_acquire(&set->lock);
    bool stands = false;

    *sums = *set;
    if (set->first != NULL) {
        *first = *set->first;
        stands = thread_stands(first->thread, switches);
    }
    spinlock_release(&set->lock, state);
    return stands;
}

/* What of the first thread's time its last fold knows nothing of. False if it has not stood still
 * since that switch: asked when all is read, for it may have begun to run meanwhile. */
static bool pmu_set_read_since_fold(struct pmu_set *set, const struct member *first,
                                    uint64_t switches, uint64_t *time, uint64_t *user,
                                    uint64_t *migrations)
{
    uintptr_t state = spinlock_acquire(&set->lock);
    struct thread *thread = first->thread;
    bool stood = false;
    uint64_t now;

    if (set->first != NULL) {
        *user = thread->user_cycles - first->user_time;
        *time = cpu_time_of_thread(thread) - first->time;
        *migrations = thread->migrations - first->migrations;
        stood = thread_stands(thread, &now) && now == switches;
    }
    spinlock_release(&set->lock, state);
    return stood;
}

/* Adds what the first thread has counted since its last fold; false if that cannot be said. */
static bool pmu_set_read_add_first(struct pmu_set *set, struct pmu_set *sums,
                                   const struct member *first, uint64_t switches)
{
    uint64_t time, user, migrations;

    for (unsigned e = 0; sums->plan.slices > 0 && e < sums->count; e++) {
        int counter = counter_of(first, first->slice, e);
        uint64_t value;

        if (counter >= 0 && pmc_get_counter_value(first->l, counter, 0, &value) == 0)
            sums->counts[e] += value - first->folded[counter];
    }
    if (!pmu_set_read_since_fold(set, first, switches, &time, &user, &migrations))
        return false;
    for (unsigned e = 0; sums->plan.slices > 0 && e < sums->count; e++)
        if (counter_of(first, first->slice, e) >= 0)
            sums->ran[e] += time;
    sums->time += time;
    sums->user_time += user;
    sums->migrations += migrations;
    return true;
}

static void pmu_set_read_give_out(const struct pmu_set *sums, struct pmu_set_values *out)
{
    out->over = sums->over;
    out->lost = sums->lost;
    out->user_ns = clock_cycles_to_ns(sums->user_time);
    out->system_ns = clock_cycles_to_ns(sums->time - sums->user_time);
    for (unsigned e = 0; e < sums->count; e++) {
        struct pmu_set_value *value = &out->event[e];

        value->enabled_ns = value->ran_ns = clock_cycles_to_ns(sums->time);
        switch (sums->requests[e].kind) {
        case PMU_EVENT_CLOCK:
            value->count = value->enabled_ns;
            break;
        case PMU_EVENT_MIGRATIONS:
            value->count = sums->migrations;
            break;
        case PMU_EVENT_COUNTED:
            value->count = sums->counts[e];
            value->ran_ns = clock_cycles_to_ns(sums->ran[e]);
            break;
        }
    }
}

struct reading {
    struct pmu_set *set, *sums;
    uint64_t time;
    bool done;
};

/* On the CPU where the first thread runs: all its counters, the sums and the time at once. */
static void pmu_set_read_here(void *argument)
{
    struct reading *reading = argument;
    struct pmu_set *set = reading->set;
    const struct thread *self = thread_current();
    bool here;

    spinlock_lock(&set->lock);
    here = set->first != NULL && set->first->thread == self && member_of(&self->lwp) == set->first;
    spinlock_unlock(&set->lock);
    if (!here || reading->done)
        return;
    pmu_set_fold(set->first);
    spinlock_lock(&set->lock);
    *reading->sums = *set;
    spinlock_unlock(&set->lock);
    reading->time = clock_now();
    reading->done = true;
}

/* Wherever the first thread is; if that cannot be said, because it comes and goes all the time, the
 * sums as of its last fold, at most a tick ago. */
static uint64_t read_sums(struct pmu_set *set, struct pmu_set *sums)
{
    struct reading reading = {.set = set, .sums = sums};
    struct member first;
    uint64_t switches;
    bool stands;

    for (unsigned attempt = 0; attempt < THREAD_STANDS_ATTEMPTS; attempt++) {
        cross_call_all(pmu_set_read_here, &reading);
        if (reading.done)
            return reading.time;
        stands = pmu_set_read_copy_sums(set, sums, &first, &switches);
        if (sums->first == NULL || (stands && pmu_set_read_add_first(set, sums, &first, switches)))
            return clock_now();
    }
    (void)pmu_set_read_copy_sums(set, sums, &first, &switches);
    return clock_now();
}

uint64_t pmu_set_read(struct pmu_set *set, struct pmu_set_values *out)
{
    struct pmu_set *sums = kmem_alloc(sizeof *sums);
    uint64_t time;

    memset(out, 0, sizeof *out);
    if (sums == NULL)
        return clock_now();
    time = read_sums(set, sums);
    pmu_set_read_give_out(sums, out);
    kmem_free(sums);
    return time;
}
