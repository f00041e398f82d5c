/* SPDX-License-Identifier: BSD-2-Clause */
/* What commands about events share: see pmc_events.h. */
#include "shell/commands/pmc/pmc_events.h"

#include <sys/pmc.h>
#include "kernel/device/late.h"
#include "kernel/pmc/pmu_set.h"
#include "lib/errno.h"
#include "shell/command.h"
#include "shell/output.h"

static const struct {
    int number;
    const char *name, *text;
} errors[] = {
    {EINVAL, "EINVAL", "no such event, mode, counter or period"},
    {E2BIG, "E2BIG", "too many"},
    {ENODEV, "ENODEV", "cannot be counted here in this way"},
    {EBUSY, "EBUSY", "every counter that can hold it is in use"},
    {ENOMEM, "ENOMEM", "no memory"},
    {ENXIO, "ENXIO", "not configured"},
    {EINPROGRESS, "EINPROGRESS", "runs already"},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

void pmc_events_ready(void)
{
    late_start();
}

static const char *pmc_events_error_name(int error)
{
    for (unsigned i = 0; i < COUNT(errors); i++)
        if (errors[i].number == error)
            return errors[i].name;
    return "?";
}

int pmc_events_refused(const char *name, const char *what, int error)
{
    for (unsigned i = 0; i < COUNT(errors); i++) {
        if (errors[i].number == error) {
            shell_printf("%s: %s: %s (%s)\n", name, what, errors[i].text, errors[i].name);
            return 1;
        }
    }
    shell_printf("%s: %s: error %d\n", name, what, error);
    return 1;
}

/* "by tprof", "by pmc stat of thread 12" */
static void pmc_events_put_holder(const struct pmu_refusal *refusal)
{
    shell_printf("by %s", refusal->holder->name);
    if (refusal->thread != 0)
        shell_printf(" of thread %u", refusal->thread);
}

int pmc_events_refused_by(const char *name, const char *what, int error,
                          const struct pmu_refusal *refusal)
{
    if (error != EBUSY || refusal->holder == NULL)
        return pmc_events_refused(name, what, error);
    if (refusal->counter < 0)
        shell_printf("%s: %s: samples are taken ", name, what);
    else
        shell_printf("%s: %s: counter %d is in use ", name, what, refusal->counter);
    pmc_events_put_holder(refusal);
    shell_printf(" (EBUSY)\n");
    return 1;
}

static bool pmc_events_is_among(const struct pmu_refusal *holders, unsigned count,
                                const struct pmu_refusal *wanted)
{
    while (count-- > 0)
        if (holders[count].holder == wanted->holder && holders[count].thread == wanted->thread)
            return true;
    return false;
}

/* Those who have a counter that could hold the event, each once. */
static unsigned pmc_events_find_holders(const struct pmu_event_request *request,
                                        struct pmu_refusal *holders)
{
    unsigned count = 0;
    uint32_t can = 0;

    for (unsigned c = 0; c < request->choice_count; c++)
        can |= request->choices[c]->counters << request->base;
    if (request->counter >= 0)
        can &= 1u << request->counter;
    for (int ctr = 0; ctr < pmc_get_num_counters(); ctr++)
        if ((can >> ctr & 1) && pmu_owner_refused(&pmu_set_owner, curlwp, ctr, &holders[count]) &&
            !pmc_events_is_among(holders, count, &holders[count]))
            count++;
    return count;
}

/* None of the counters that can hold the event can be had: by whose fault, as far as it is not that
 * of the other events of the list. */
static int pmc_events_refused_all(const char *name, const struct pmu_event_request *request)
{
    struct pmu_refusal holders[PMC_COUNTERS_MAX];
    unsigned count = pmc_events_find_holders(request, holders);

    if (count == 0)
        return pmc_events_refused(name, request->text, EBUSY);
    shell_printf("%s: %s: every counter that can hold it is in use, ", name, request->text);
    for (unsigned i = 0; i < count; i++) {
        if (i > 0)
            shell_printf(" and ");
        pmc_events_put_holder(&holders[i]);
    }
    shell_printf(" (EBUSY)\n");
    return 1;
}

void pmc_events_lost(const char *name, const struct pmc_events *events, uint32_t lost)
{
    for (unsigned e = 0; e < events->count; e++) {
        int ctr = pmu_plan_assignment(&events->plan, events->list, 0, e).counter;

        if (ctr >= 0 && (lost >> ctr & 1) && pmu_owner_taker(ctr) != NULL)
            shell_printf("%s: %s: counter %d was taken away by %s (EBUSY)\n", name,
                         events->list[e].text, ctr, pmu_owner_taker(ctr)->name);
    }
}

static int pmc_events_complain(const char *name, const struct pmu_event_error *error)
{
    shell_printf("%s: %s (%s)\n", name, error->text, pmc_events_error_name(error->number));
    return STATUS_USAGE;
}

int pmc_events_read(const char *name, const char *text, struct pmc_events *events)
{
    struct pmu_event_error error;
    int count;

    count =
        pmu_event_list(text, events->list + events->count, PMU_EVENTS_MAX - events->count, &error);
    if (count < 0)
        return pmc_events_complain(name, &error);
    events->count += (unsigned)count;
    return 0;
}

int pmc_events_add(const char *name, const char *text, bool sampled, struct pmc_events *events)
{
    struct pmu_event_error error;
    int status;

    if (events->count == PMU_EVENTS_MAX)
        return pmc_events_refused(name, text, E2BIG);
    if (!sampled)
        return pmc_events_read(name, text, events);
    status = pmu_event_sampled(text, &events->list[events->count], &error);
    if (status != 0)
        return pmc_events_complain(name, &error);
    events->count++;
    return 0;
}

int pmc_events_uncounted(const char *name, const struct pmu_event_request *request)
{
    const struct pmu_class *first = pmu_class_at(0, NULL);
    const char *why = "not counted on this machine";

    if (request->no_such_modes)
        why = request->class == NULL || request->class->modes == 0 ? "has no modes"
                                                                   : "has no such mode";
    else if (first == NULL || first->capabilities & PMU_VIRTUAL)
        why = "no hardware PMU";
    shell_printf("%s: %s: %s (ENODEV)\n", name, request->text, why);
    return 1;
}

int pmc_events_supported(const char *name, const struct pmc_events *events)
{
    for (unsigned e = 0; e < events->count; e++) {
        const struct pmu_event_request *request = &events->list[e];

        if (request->kind == PMU_EVENT_COUNTED && request->choice_count == 0)
            return pmc_events_uncounted(name, request);
    }
    return 0;
}

int pmc_events_plan(const char *name, struct pmc_events *events, unsigned slices_max)
{
    int bad = pmu_plan_make(&events->plan, events->list, events->count, pmu_set_free_counters());

    if (bad < 0 && events->plan.slices <= slices_max)
        return 0;
    for (unsigned e = 0; bad < 0 && e < events->count; e++)
        if (pmu_plan_assignment(&events->plan, events->list, 0, e).counter < 0 &&
            events->list[e].choice_count > 0)
            bad = (int)e;
    return pmc_events_refused_all(name, &events->list[bad]);
}

int pmc_events_usage(const char *name, const char *why)
{
    shell_printf("%s: %s\n", name, why);
    return command_usage(name);
}

void pmc_events_complete(struct completion *completion)
{
    const struct pmu_class *class;

    for (unsigned c = 0; (class = pmu_class_at(c, NULL)) != NULL; c++)
        for (unsigned e = 0; e < class->event_count; e++)
            completion_add(completion, class->events[e].name);
}
