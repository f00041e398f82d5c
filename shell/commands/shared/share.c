/* SPDX-License-Identifier: BSD-2-Clause */
/* share: see share.h. Large numbers lose their low bits before they are multiplied. */
#include "shell/commands/shared/share.h"

#define SECOND 1000000000u

uint64_t share_of(uint64_t part, uint64_t total, uint64_t whole)
{
    /* 33 bits are kept, more than any table shows; with a WHOLE of 30 bits the product fits. */
    while (part >> 33 != 0) {
        total >>= 1;
        part >>= 1;
    }
    return total == 0 ? 0 : (part * whole + total / 2) / total;
}

uint64_t share_rate(uint64_t count, uint64_t ns)
{
    return share_of(count, ns, SECOND);
}

/* The parts are rounded down, then what is missing goes to those that lost most by that. */
void share_parts(const uint64_t *times, unsigned *out, unsigned count, unsigned whole)
{
    uint64_t scaled[SHARE_PARTS_MAX], lost[SHARE_PARTS_MAX], total = 0;
    unsigned missing = whole, shift = 0;

    for (unsigned i = 0; i < count; i++)
        total += times[i];
    while (total >> shift >= (uint64_t)1 << 40)
        shift++;
    total = 0;
    for (unsigned i = 0; i < count; i++) {
        scaled[i] = times[i] >> shift;
        total += scaled[i];
    }
    for (unsigned i = 0; i < count; i++) {
        out[i] = total == 0 ? 0 : (unsigned)(scaled[i] * whole / total);
        lost[i] = total == 0 ? 0 : scaled[i] * whole % total;
        missing -= out[i];
    }
    if (total == 0) {
        out[count - 1] = whole;
        return;
    }
    for (; missing > 0; missing--) {
        unsigned most = 0;

        for (unsigned i = 1; i < count; i++)
            most = lost[i] > lost[most] ? i : most;
        out[most]++;
        lost[most] = 0;
    }
}
