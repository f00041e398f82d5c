/* SPDX-License-Identifier: BSD-2-Clause */
/* syssgi(SGI_EVENTCTR, ...): see <sys/syssgi.h>. */
#include <sys/syssgi.h>

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "abi/hwperf_syssgi.h"

int syssgi(int request, ...)
{
    struct abi_hwperf_syssgi asked;
    va_list list;
    int device, result, error;

    if (request != SGI_EVENTCTR) {
        errno = EINVAL;
        return -1;
    }
    va_start(list, request);
    asked.command = (uint64_t)va_arg(list, int);
    for (unsigned i = 0; i < sizeof asked.argument / sizeof *asked.argument; i++)
        asked.argument[i] = va_arg(list, unsigned long);
    va_end(list);
    device = open("/dev/hwperf", O_RDONLY | O_CLOEXEC);
    if (device < 0)
        return -1;
    result = ioctl(device, ABI_HWPERF_SYSSGI, &asked);
    error = errno;
    close(device);
    errno = error;
    return result;
}
