/* SPDX-License-Identifier: BSD-2-Clause */
/* libpmc, by /dev/pmc: see <pmc.h>. */
#include <pmc.h>

#include <errno.h>
#include <string.h>

#include "abi/statistics.h"
#include "user/lib/pmc_device.h"

int pmc_control(int ctr, int op, void *args)
{
    struct abi_pmc asked = {.counter = ctr, .request = op};
    const struct pmc_counter_cfg *cfg = args;

    if (op == PMC_OP_CONFIGURE && cfg == NULL) {
        errno = EFAULT;
        return -1;
    }
    if (op == PMC_OP_CONFIGURE) {
        asked.event = cfg->event_id;
        asked.flags = cfg->flags;
        asked.reset_value = cfg->reset_value;
    }
    return pmc_device_ask(ABI_PMC_CONTROL, &asked);
}

int pmc_get_info(int ctr, int request, void *data)
{
    struct abi_pmc asked = {.counter = ctr, .request = request};

    if (data == NULL) {
        errno = EFAULT;
        return -1;
    }
    if (pmc_device_ask(ABI_PMC_INFO, &asked) != 0)
        return -1;
    if (request == PMC_INFO_NCOUNTERS || request == PMC_INFO_CPUCTR_TYPE)
        *(int *)data = (int)asked.value;
    else
        *(uint64_t *)data = asked.value;
    return 0;
}

int pmc_configure_counter(int ctr, const char *event, pmc_ctr_t reset_value, uint32_t flags)
{
    struct abi_pmc_event asked = {.counter = ctr};
    struct pmc_counter_cfg cfg = {.reset_value = reset_value, .flags = flags};
    int count = pmc_get_num_counters();

    if (ctr < 0 || (count > 0 && ctr >= count) || strlen(event) >= sizeof asked.name) {
        errno = EINVAL;
        return -1;
    }
    strcpy(asked.name, event);
    if (pmc_device_ask(ABI_PMC_NAMED, &asked) != 0)
        return -1;
    cfg.event_id = asked.event;
    if (flags == 0)
        cfg.flags = asked.flags;
    return pmc_control(ctr, PMC_OP_CONFIGURE, &cfg);
}

int pmc_start_counter(int ctr)
{
    return pmc_control(ctr, PMC_OP_START, NULL);
}

int pmc_stop_counter(int ctr)
{
    return pmc_control(ctr, PMC_OP_STOP, NULL);
}

int pmc_get_num_counters(void)
{
    int count;

    return pmc_get_info(-1, PMC_INFO_NCOUNTERS, &count) == 0 ? count : 0;
}

int pmc_get_counter_class(void)
{
    int type;

    return pmc_get_info(-1, PMC_INFO_CPUCTR_TYPE, &type) == 0 ? type : PMC_TYPE_NONE;
}

int pmc_get_counter_type(int ctr, int *type)
{
    if (ctr < 0) {
        errno = ENODEV;
        return -1;
    }
    return pmc_get_info(ctr, PMC_INFO_CPUCTR_TYPE, type);
}

int pmc_get_counter_value(int ctr, uint64_t *value)
{
    return pmc_get_info(ctr, PMC_INFO_COUNTER_VALUE, value);
}

int pmc_get_accumulated_counter_value(int ctr, uint64_t *value)
{
    return pmc_get_info(ctr, PMC_INFO_ACCUMULATED_COUNTER_VALUE, value);
}
