/* SPDX-License-Identifier: BSD-2-Clause */
/* libpmc's names of classes, types and events: see <pmc.h>. */
#include <pmc.h>

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "abi/statistics.h"
#include "user/lib/pmc_device.h"

const char *pmc_get_counter_type_name(int type)
{
    static const char *const names[] = {[PMC_TYPE_SOFT] = "soft",
                                        [PMC_TYPE_INTEL_GENERAL] = "intel general",
                                        [PMC_TYPE_INTEL_FIXED] = "intel fixed",
                                        [PMC_TYPE_R10K] = "r10k"};

    if (type > 0 && (size_t)type < sizeof names / sizeof names[0])
        return names[type];
    errno = ESRCH;
    return NULL;
}

/* The class is told by the type of its first counter. */
const char *pmc_get_counter_class_name(int type)
{
    if (type == PMC_TYPE_INTEL_GENERAL || type == PMC_TYPE_INTEL_FIXED)
        return "intel";
    return pmc_get_counter_type_name(type);
}

static void free_events(struct pmc_event *events, size_t count)
{
    while (count-- > 0)
        free((void *)(uintptr_t)events[count].name);
    free(events);
}

/* One more at the end, which has no name. */
static struct pmc_event *add_event(struct pmc_event *events, size_t count,
                                   const struct abi_pmc_event *found)
{
    struct pmc_event *larger = realloc(events, (count + 2) * sizeof *events);
    char *name = strdup(found->name);

    if (larger == NULL || name == NULL) {
        free(name);
        free_events(larger != NULL ? larger : events, count);
        return NULL;
    }
    larger[count].name = name;
    larger[count].val = found->event;
    larger[count + 1] = (struct pmc_event){NULL, 0};
    return larger;
}

static struct pmc_event *read_events(void)
{
    struct pmc_event *events = calloc(1, sizeof *events);
    struct abi_pmc_event found = {.number = 0};

    while (events != NULL && pmc_device_ask(ABI_PMC_LIST, &found) == 0)
        events = add_event(events, found.number++, &found);
    if (events != NULL && errno != ENOENT) {
        free_events(events, found.number);
        events = NULL;
    }
    return events;
}

const struct pmc_event *pmc_get_counter_event_list(void)
{
    static struct pmc_event *shared;
    struct pmc_event *events = __atomic_load_n(&shared, __ATOMIC_ACQUIRE), *none = NULL;

    if (events != NULL)
        return events;
    events = read_events();
    if (events != NULL && !__atomic_compare_exchange_n(&shared, &none, events, 0, __ATOMIC_ACQ_REL,
                                                       __ATOMIC_ACQUIRE)) {
        size_t count = 0;

        while (events[count].name != NULL)
            count++;
        free_events(events, count);
        events = none;
    }
    return events;
}

const char *pmc_get_counter_event_name(pmc_evid_t event)
{
    const struct pmc_event *list = pmc_get_counter_event_list();

    if (list == NULL)
        return NULL;
    while (list->name != NULL && list->val != event)
        list++;
    if (list->name == NULL)
        errno = ESRCH;
    return list->name;
}
