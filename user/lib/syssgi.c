/* SPDX-License-Identifier: BSD-2-Clause */
/* syssgi(SGI_EVENTCTR, ...): see <sys/syssgi.h>. */
#include <sys/syssgi.h>

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "abi/hwperf_syssgi.h"

/* Of these a caller need not have passed more than 32 bits. */
static bool is_int(uint64_t command, unsigned argument)
{
    return (command == HWPERF_GETCPUCNTRS && argument == 0) ||
           (command == HWPERF_PROFENABLE && argument == 2);
}

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
        asked.argument[i] =
            is_int(asked.command, i) ? (uint64_t)va_arg(list, int) : va_arg(list, unsigned long);
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
