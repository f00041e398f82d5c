/* SPDX-License-Identifier: BSD-2-Clause */
/* /dev/pmc: pmc(9) for programs, each thread about itself. */
#include <arch/copy.h>
#include <sys/pmc.h>
#include "abi/statistics.h"
#include "kernel/device/late.h"
#include "lib/string.h"
#include "linux/program/program_private.h"
#include "linux/statistics/statistics.h"
#include "stats/read/pmu_event_name.h"

/* What the whole system would count for, is not a program's to begin. */
static int pmc_control_user(struct abi_pmc *asked)
{
    struct pmc_counter_cfg cfg = {
        .event_id = asked->event, .reset_value = asked->reset_value, .flags = asked->flags};

    if (asked->request == PMC_OP_PROFSTART || asked->request == PMC_OP_PROFSTOP)
        return -EPERM;
    return -pmc_control(asked->counter, asked->request, &cfg);
}

static int pmc_info_user(struct abi_pmc *asked)
{
    int number = 0, error;

    if (asked->request != PMC_INFO_NCOUNTERS && asked->request != PMC_INFO_CPUCTR_TYPE)
        return -pmc_get_info(asked->counter, asked->request, &asked->value);
    error = pmc_get_info(asked->counter, asked->request, &number);
    asked->value = (uint64_t)number;
    return -error;
}

static bool pmc_can_count(const struct pmu_event_request *request, const struct pmu_event *event,
                          int counter)
{
    int own = counter - request->base;

    if (counter < 0)
        return true;
    return own >= 0 && own < 32 && (event->counters >> own & 1) != 0 &&
           (request->counter < 0 || request->counter == counter);
}

static int pmc_event_named(struct abi_pmc_event *asked)
{
    struct pmu_event_request request;
    struct pmu_event_error error;

    if (strnlen(asked->name, sizeof asked->name) == sizeof asked->name)
        return -EINVAL;
    if (pmu_event_list(asked->name, &request, 1, &error) != 1)
        return error.number > 0 ? -error.number : -EINVAL;
    for (unsigned i = 0; i < request.choice_count && request.kind == PMU_EVENT_COUNTED; i++) {
        if (!pmc_can_count(&request, request.choices[i], asked->counter))
            continue;
        asked->event = request.choices[i]->code;
        asked->flags = request.modes;
        return 0;
    }
    return -ENODEV;
}

static int pmc_event_listed(struct abi_pmc_event *asked)
{
    const struct pmu_class *class;
    uint32_t number = asked->number;

    for (unsigned i = 0; (class = pmu_class_at(i, NULL)) != NULL; i++) {
        if (number < class->event_count) {
            asked->event = class->events[number].code;
            strlcpy(asked->name, class->events[number].name, sizeof asked->name);
            return 0;
        }
        number -= class->event_count;
    }
    return -ENOENT;
}

static long pmc_ask_counter(void *user, int (*answer)(struct abi_pmc *asked))
{
    struct abi_pmc asked;
    int error = copyin(user, &asked, sizeof asked);

    if (error == 0)
        error = answer(&asked);
    return error == 0 ? copyout(&asked, user, sizeof asked) : error;
}

static long pmc_ask_event(void *user, int (*answer)(struct abi_pmc_event *asked))
{
    struct abi_pmc_event asked;
    int error = copyin(user, &asked, sizeof asked);

    if (error == 0)
        error = answer(&asked);
    return error == 0 ? copyout(&asked, user, sizeof asked) : error;
}

static long pmc_device_control(struct file *file, uint32_t command, uintptr_t argument, bool user)
{
    (void)file;
    if (!user)
        return -ENOTTY;
    late_start();
    switch (command) {
    case ABI_PMC_CONTROL:
        return pmc_ask_counter((void *)argument, pmc_control_user);
    case ABI_PMC_INFO:
        return pmc_ask_counter((void *)argument, pmc_info_user);
    case ABI_PMC_NAMED:
        return pmc_ask_event((void *)argument, pmc_event_named);
    case ABI_PMC_LIST:
        return pmc_ask_event((void *)argument, pmc_event_listed);
    default:
        return -ENOTTY;
    }
}

static const struct file_ops pmc_ops = {.ioctl = pmc_device_control};
struct device statistics_pmc = {.name = "pmc",
                                .type = S_IFCHR,
                                .major = DEV_STATISTICS_MAJOR,
                                .minor = 2,
                                .mode = 0666,
                                .ops = &pmc_ops};
