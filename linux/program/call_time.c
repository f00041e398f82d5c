/* SPDX-License-Identifier: BSD-2-Clause */
/* Times between the kernel and programs. */
#include "linux/program/call.h"

#define NS 1000000000ull

int call_timespec_in(const void *user, uint64_t *ns)
{
    struct abi_timespec time;

    if (copyin(user, &time, sizeof time) != 0)
        return -EFAULT;
    if (time.sec < 0 || time.nsec < 0 || time.nsec >= (int64_t)NS)
        return -EINVAL;
    *ns = time.sec > (int64_t)(INT64_MAX / NS) ? INT64_MAX
                                               : (uint64_t)time.sec * NS + (uint64_t)time.nsec;
    return 0;
}

int call_timespec_out(void *user, uint64_t ns)
{
    struct abi_timespec time = call_timespec(ns);

    return copyout(&time, user, sizeof time);
}

int call_timeval_out(void *user, uint64_t ns)
{
    struct abi_timeval time = call_timeval(ns);

    return copyout(&time, user, sizeof time);
}
