/* SPDX-License-Identifier: BSD-2-Clause */
/* pmc(9): the two calls that a program will make, as system calls, for itself. */
#include <stddef.h>
#include "lib/errno.h"
#include "stats/pmc/pmc_private.h"

int pmc_control(int ctr, int op, void *args)
{
    struct lwp *l = curlwp;

    if (pmc_get_num_counters() == 0)
        return ENXIO;
    if (!pmc_counter_valid(ctr))
        return EINVAL;
    switch (op) {
    case PMC_OP_START:
        if (!pmc_counter_isconfigured(l, ctr))
            return ENXIO;
        if (pmc_counter_isrunning(l, ctr))
            return EINPROGRESS;
        return pmc_enable_counter(l, ctr);
    case PMC_OP_STOP:
        if (!pmc_counter_isconfigured(l, ctr))
            return ENXIO;
        return pmc_disable_counter(l, ctr);
    case PMC_OP_CONFIGURE:
        return pmc_configure_counter(l, ctr, args);
    case PMC_OP_PROFSTART:
        return pmc_start_profiling(ctr, args);
    case PMC_OP_PROFSTOP:
        return pmc_stop_profiling(ctr);
    default:
        return EINVAL;
    }
}

int pmc_get_info(int ctr, int request, void *data)
{
    if (pmc_get_num_counters() == 0)
        return ENXIO;
    if (data == NULL)
        return EINVAL;
    switch (request) {
    case PMC_INFO_NCOUNTERS:
        *(int *)data = pmc_get_num_counters();
        return 0;
    case PMC_INFO_CPUCTR_TYPE:
        if (ctr != -1 && !pmc_counter_valid(ctr))
            return EINVAL;
        *(int *)data = pmc_get_counter_type(ctr);
        return 0;
    case PMC_INFO_COUNTER_VALUE:
        return pmc_get_counter_value(curlwp, ctr, 0, data);
    case PMC_INFO_ACCUMULATED_COUNTER_VALUE:
        return pmc_get_counter_value(curlwp, ctr, PMC_VALUE_FLAGS_CHILDREN, data);
    default:
        return EINVAL;
    }
}
