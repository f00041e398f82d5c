/* SPDX-License-Identifier: BSD-2-Clause */
/* libkstat's way to the kernel in a program: the ioctls of /dev/kstat. */
#include "stats/read/kstat_access.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

int kstat_access_open(int *descriptor)
{
    *descriptor = open("/dev/kstat", O_RDONLY | O_CLOEXEC);
    return *descriptor < 0 ? -errno : 0;
}

void kstat_access_close(int descriptor)
{
    if (descriptor >= 0)
        close(descriptor);
}

int kstat_access_ioctl(int descriptor, int cmd, kstat_t *ks)
{
    int result = ioctl(descriptor, (unsigned long)cmd, ks);

    return result < 0 ? -errno : result;
}
