/* SPDX-License-Identifier: BSD-2-Clause */
/* See hwperf_control.h. */
#include "stats/hwperf/hwperf_control.h"
#include "lib/errno.h"

static bool hwperf_spec_valid(uint16_t spec, unsigned index)
{
    return (spec & 15u) != 0 && spec >> 5 == index % HWPERF_SIDE_EVENTS;
}

int hwperf_control_check(const struct hwperf_control *control)
{
    bool any = false;

    for (unsigned i = 0; i < HWPERF_EVENTS; i++) {
        if (control->frequency[i] < 0)
            return EINVAL;
        if (control->spec[i] == 0)
            continue;
        if (!hwperf_spec_valid(control->spec[i], i))
            return EINVAL;
        any = true;
    }
    return any && control->signal >= 0 && control->signal <= HWPERF_SIGNALS ? 0 : EINVAL;
}

uint32_t hwperf_control_modes(const struct hwperf_control *control)
{
    uint32_t modes = 0;

    for (unsigned i = 0; i < HWPERF_EVENTS; i++)
        modes |= hwperf_modes(control, i);
    return modes;
}

void hwperf_slices_make(struct hwperf_slices *slices, const struct hwperf_control *control)
{
    *slices = (struct hwperf_slices){.count = {0}};
    for (unsigned i = 0; i < HWPERF_EVENTS; i++) {
        unsigned side = i / HWPERF_SIDE_EVENTS;

        if (control->spec[i] != 0)
            slices->index[side][slices->count[side]++] = (uint8_t)i;
    }
}
