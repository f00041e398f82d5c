/* SPDX-License-Identifier: BSD-2-Clause */
/* /dev/pmc: see pmc_device.h. */
#include "user/lib/pmc_device.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

int pmc_device_ask(unsigned long request, void *argument)
{
    static int shared = -1;
    int device = __atomic_load_n(&shared, __ATOMIC_ACQUIRE);
    int none = -1;

    if (device < 0) {
        device = open("/dev/pmc", O_RDONLY | O_CLOEXEC);
        if (device < 0)
            return -1;
        if (!__atomic_compare_exchange_n(&shared, &none, device, 0, __ATOMIC_ACQ_REL,
                                         __ATOMIC_ACQUIRE)) {
            close(device);
            device = none;
        }
    }
    return ioctl(device, request, argument) < 0 ? -1 : 0;
}
