/* SPDX-License-Identifier: BSD-2-Clause */
/* What commands about events share: see pmc_events.h. */
#include "shell/pmc_events.h"

#include <sys/pmc.h>
#include "kernel/late.h"
#include "kernel/pmu_set.h"
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

static const char *error_name(int error)
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

static int complain(const char *name, const struct pmu_event_error *error)
{
    shell_printf("%s: %s (%s)\n", name, error->text, error_name(error->number));
    return STATUS_USAGE;
}

int pmc_events_read(const char *name, const char *text, struct pmc_events *events)
{
    struct pmu_event_error error;
    int count;

    count =
        pmu_event_list(text, events->list + events->count, PMU_EVENTS_MAX - events->count, &error);
    if (count < 0)
        return complain(name, &error);
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
        return complain(name, &error);
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

int pmc_events_plan(const char *name, struct pmc_events *events, unsigned turns_max)
{
    int bad = pmu_plan_make(&events->plan, events->list, events->count, pmu_set_free_counters());

    if (bad < 0 && events->plan.turns <= turns_max)
        return 0;
    for (unsigned e = 0; bad < 0 && e < events->count; e++)
        if (pmu_plan_place(&events->plan, events->list, 0, e).counter < 0 &&
            events->list[e].choice_count > 0)
            bad = (int)e;
    return pmc_events_refused(name, events->list[bad].text, EBUSY);
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
