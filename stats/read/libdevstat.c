/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading all devices at a moment: the calls of <devstat.h> that ask the kernel. */
#include <devstat.h>

#include "lib/errno.h"
#include "lib/section.h"
#include "stats/read/devstat_error.h"
#include "stats/port.h"

#define READ_TRIES 100

SHARED_BSS char devstat_errbuf[DEVSTAT_ERRBUF_SIZE];

void devstat_complain(const char *text)
{
    size_t at = 0;

    for (; *text != '\0' && at < sizeof devstat_errbuf - 1; text++)
        devstat_errbuf[at++] = *text;
    devstat_errbuf[at] = '\0';
}

int devstat_getnumdevs(kvm_t *kd)
{
    (void)kd;
    return (int)devstat_count();
}

long devstat_getgeneration(kvm_t *kd)
{
    (void)kd;
    return devstat_generation();
}

int devstat_getversion(kvm_t *kd)
{
    (void)kd;
    return DEVSTAT_VERSION;
}

int devstat_checkversion(kvm_t *kd)
{
    if (devstat_getversion(kd) == DEVSTAT_VERSION)
        return 0;
    devstat_complain("devstat_checkversion: the kernel's records are of another version");
    return -1;
}

void devstat_freedevs(struct devinfo *dinfo)
{
    if (dinfo->mem_ptr != NULL)
        stats_port_free(dinfo->mem_ptr, dinfo->mem_size);
    *dinfo = (struct devinfo){.generation = 0};
}

/* Room for SIZE bytes in DINFO; what was there is lost. */
static int libdevstat_reserve(struct devinfo *dinfo, size_t size)
{
    long generation = dinfo->generation;

    if (dinfo->mem_ptr != NULL && dinfo->mem_size >= size)
        return 0;
    devstat_freedevs(dinfo);
    dinfo->generation = generation;
    dinfo->mem_ptr = stats_port_alloc(size);
    if (dinfo->mem_ptr == NULL)
        return -ENOMEM;
    dinfo->mem_size = size;
    return 0;
}

/* Devices may come and go between the question for the size and the reading. */
static int libdevstat_read_all(struct devinfo *dinfo, size_t *size)
{
    int error = -EBUSY;

    for (unsigned tries = 0; tries < READ_TRIES; tries++) {
        devstat_export(NULL, 0, size);
        error = libdevstat_reserve(dinfo, *size);
        if (error != 0)
            return error;
        error = devstat_export(dinfo->mem_ptr, dinfo->mem_size, size);
        if (error == 0)
            return 0;
    }
    return error;
}

int devstat_getdevs(kvm_t *kd, struct statinfo *stats)
{
    struct devinfo *dinfo = stats->dinfo;
    bool first;
    long before;
    size_t size;

    (void)kd;
    if (dinfo == NULL) {
        devstat_complain("devstat_getdevs: stats->dinfo is NULL");
        return -1;
    }
    first = dinfo->mem_ptr == NULL;
    before = dinfo->generation;
    if (libdevstat_read_all(dinfo, &size) != 0) {
        devstat_complain("devstat_getdevs: the list of devices could not be read");
        return -1;
    }
    stats->snap_ns = stats_port_time_ns();
    devstat_set_snap_time(stats);
    dinfo->generation = *(long *)(void *)dinfo->mem_ptr;
    dinfo->devices = (struct devstat *)(void *)(dinfo->mem_ptr + sizeof(long));
    dinfo->numdevs = (int)((size - sizeof(long)) / sizeof(struct devstat));
    return first || dinfo->generation != before;
}
