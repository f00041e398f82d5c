/* SPDX-License-Identifier: BSD-2-Clause */
/* adjtimex(2) of a clock that nobody steers: it can be asked. */
#include "kernel/time/clock.h"
#include "linux/program/program_private.h"

#define ADJTIME     0x8000u /* <linux/timex.h>, as all below: what adjtime(3) asks */
#define READ_ONLY   0x2000u
#define SINGLE_SHOT 0x0001u
#define UNSYNCED    0x0040
#define NOT_SYNCED  5 /* the state of the clock */
#define MOST_ERROR  16000000
#define TICK_US     10000
#define TIME_STEADY 2
#define TOLERANCE   32768000

struct time_adjust {
    uint32_t modes;
    int64_t offset, frequency, most_error, error;
    int32_t status;
    int64_t constant, precision, tolerance;
    struct abi_timeval time;
    int64_t tick, pps[2];
    int32_t pps_shift;
    int64_t pps_counts[5];
    int32_t tai, unused[11];
};
_Static_assert(sizeof(struct time_adjust) == 208, "struct timex");

static long time_adjust(void *user)
{
    struct time_adjust adjust;
    uint32_t modes;

    if (copyin(user, &adjust, sizeof adjust) != 0)
        return -EFAULT;
    modes = adjust.modes;
    if (modes & ADJTIME && !(modes & SINGLE_SHOT))
        return -EINVAL;
    if (modes & ADJTIME ? !(modes & READ_ONLY) : modes != 0)
        return -EPERM;
    adjust = (struct time_adjust){.modes = modes,
                                  .most_error = MOST_ERROR,
                                  .error = MOST_ERROR,
                                  .status = UNSYNCED,
                                  .constant = TIME_STEADY,
                                  .precision = 1,
                                  .tolerance = TOLERANCE,
                                  .time = call_timeval(clock_wall()),
                                  .tick = TICK_US};
    return copyout(&adjust, user, sizeof adjust) != 0 ? -EFAULT : NOT_SYNCED;
}

CALL(adjtimex)
{
    return time_adjust(ARG_PTR(0));
}

CALL(clock_adjtime)
{
    if (ARG_INT(0) != CLOCK_REALTIME)
        return ARG_INT(0) > CLOCK_TAI ? -EINVAL : -EOPNOTSUPP;
    return time_adjust(ARG_PTR(1));
}
