/* SPDX-License-Identifier: BSD-2-Clause */
/* What libdevstat asks of the kernel, by sysctl: see <sys/devicestat.h>. */
#include <sys/devicestat.h>

#include <errno.h>
#include <sys/sysctl.h>

long devstat_generation(void)
{
    long generation = -1;
    size_t size = sizeof generation;

    return sysctlbyname("kern.devstat.generation", &generation, &size, NULL, 0) == 0 ? generation
                                                                                     : -1;
}

unsigned devstat_count(void)
{
    int count = -1;
    size_t size = sizeof count;

    /* -1 is what devstat_getnumdevs says of an error. */
    return sysctlbyname("kern.devstat.numdevs", &count, &size, NULL, 0) == 0 ? (unsigned)count
                                                                             : (unsigned)-1;
}

int devstat_export(void *buffer, size_t capacity, size_t *size)
{
    *size = capacity;
    if (sysctlbyname("kern.devstat.quipu.all", buffer, size, NULL, 0) == 0)
        return 0;
    if (errno != ENOMEM)
        *size = 0;
    return -errno;
}
