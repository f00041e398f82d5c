/* SPDX-License-Identifier: BSD-2-Clause */
/* sysctl: kern.devstat.*, what devices keep with devstat(9). */
#include <sys/devicestat.h>
#include "kernel/memory/kmem.h"
#include "kernel/export/sysctl.h"
#include "lib/errno.h"
#include "stats/devstat/devstat6.h"

#define ATTEMPTS 10

static int sysctl_devstat_read_version(struct sysctl_request *request)
{
    return sysctl_out_int(request, DEVSTAT_VERSION);
}
SYSCTL(devstat_version, .name = "kern.devstat.version", .type = SYSCTL_INT,
       .access = sysctl_devstat_read_version,
       .summary = "version of the records of kern.devstat.all: FreeBSD's");

static int sysctl_devstat_read_generation(struct sysctl_request *request)
{
    return sysctl_out_long(request, (uint64_t)devstat_generation());
}
SYSCTL(devstat_generation, .name = "kern.devstat.generation", .type = SYSCTL_LONG,
       .access = sysctl_devstat_read_generation, .summary = "moves when a device comes or goes");

static int sysctl_devstat_read_numdevs(struct sysctl_request *request)
{
    return sysctl_out_int(request, (int)devstat_count());
}
SYSCTL(devstat_numdevs, .name = "kern.devstat.numdevs", .type = SYSCTL_INT,
       .access = sysctl_devstat_read_numdevs, .summary = "devices that keep statistics");

static int sysctl_devstat_read_own_version(struct sysctl_request *request)
{
    return sysctl_out_int(request, DEVSTAT_QUIPU_VERSION);
}
SYSCTL(devstat_own_version, .name = "kern.devstat.quipu.version", .type = SYSCTL_INT,
       .access = sysctl_devstat_read_own_version, .summary = "version of struct devstat here");

typedef int export_function(void *buffer, size_t capacity, size_t *size);

/* Devices may come or go meanwhile: then it is read again. */
static int sysctl_devstat_read_records(struct sysctl_request *request, export_function *export)
{
    int error = -EBUSY;

    for (unsigned i = 0; i < ATTEMPTS && (error == -EBUSY || error == -ENOMEM); i++) {
        size_t size;
        void *copy;

        error = export(NULL, 0, &size);
        if (error != 0)
            continue;
        copy = kmem_alloc(size);
        if (copy == NULL)
            return -ENOMEM;
        error = export(copy, size, &size);
        if (error == 0)
            sysctl_out(request, copy, size);
        kmem_free(copy);
    }
    return error;
}

static int sysctl_devstat_read_all(struct sysctl_request *request)
{
    return sysctl_devstat_read_records(request, devstat6_export);
}
SYSCTL(devstat_all, .name = "kern.devstat.all", .type = SYSCTL_OPAQUE, .format = "devstat",
       .access = sysctl_devstat_read_all,
       .summary = "the generation, then each device's record as FreeBSD's");

static int sysctl_devstat_read_own(struct sysctl_request *request)
{
    return sysctl_devstat_read_records(request, devstat_export);
}
SYSCTL(devstat_own, .name = "kern.devstat.quipu.all", .type = SYSCTL_OPAQUE,
       .format = "devstat_quipu", .access = sysctl_devstat_read_own,
       .summary = "the generation, then a struct devstat for each device");
