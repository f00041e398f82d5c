/* SPDX-License-Identifier: BSD-2-Clause */
/* sysctlbyname(3), by /dev/sysctl. */
#include <sys/sysctl.h>

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "abi/statistics.h"

static int sysctl_ask(struct abi_sysctl *asked)
{
    int device = open("/dev/sysctl", O_RDONLY | O_CLOEXEC);
    int result, error;

    if (device < 0)
        return -1;
    result = ioctl(device, (unsigned long)ABI_SYSCTL_BYNAME, asked);
    error = errno;
    close(device);
    errno = error;
    return result;
}

int sysctlbyname(const char *name, void *oldp, size_t *oldlenp, const void *newp, size_t newlen)
{
    struct abi_sysctl asked = {.name = (uintptr_t)name,
                               .old = (uintptr_t)oldp,
                               .old_size = oldp != NULL && oldlenp != NULL ? *oldlenp : 0,
                               .fresh = (uintptr_t)newp,
                               .fresh_size = newlen};
    int result = sysctl_ask(&asked);

    if (oldlenp != NULL && (result == 0 || errno == ENOMEM))
        *oldlenp = asked.old_size;
    return result;
}
