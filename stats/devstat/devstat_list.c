/* SPDX-License-Identifier: BSD-2-Clause */
/* The devices that keep statistics: which there are, in which order, and all of them copied. */
#include "stats/devstat/devstat_list.h"

#include <sys/evcnt.h>

#include "lib/errno.h"
#include "stats/port.h"

/* All under the lock of the statistics. */
static STAILQ_HEAD(, devstat) devices = STAILQ_HEAD_INITIALIZER(devices);
static long generation;
static unsigned count;
static u_int32_t next_number;
static bool counted; /* the counter is attached */

static bool devstat_list_is_listed(const struct devstat *ds)
{
    const struct devstat *at;

    STAILQ_FOREACH (at, &devices, dev_links) {
        if (at == ds)
            return true;
    }
    return false;
}

/* After everything that is as urgent or more. */
static void devstat_list_insert(struct devstat *ds)
{
    struct devstat *at, *before = NULL;

    STAILQ_FOREACH (at, &devices, dev_links) {
        if (at->priority < ds->priority)
            break;
        before = at;
    }
    if (before == NULL)
        STAILQ_INSERT_HEAD(&devices, ds, dev_links);
    else
        STAILQ_INSERT_AFTER(&devices, before, ds, dev_links);
}

void devstat_add_entry(struct devstat *ds, const char *dev_name, int unit_number,
                       u_int32_t block_size, devstat_support_flags flags,
                       devstat_type_flags device_type, devstat_priority priority)
{
    uint64_t wall = stats_port_wall_ns();
    uint64_t now = stats_port_time_ns();
    uintptr_t state;
    bool listed, first;

    if (ds == NULL)
        return;
    state = stats_port_lock();
    listed = devstat_list_is_listed(ds);
    first = !counted;
    counted = true;
    if (!listed) {
        devstat_begin_record(ds, dev_name != NULL ? dev_name : "", now, wall);
        ds->unit_number = unit_number;
        ds->block_size = block_size;
        ds->flags = flags;
        ds->device_type = device_type;
        ds->priority = priority;
        ds->device_number = next_number++;
        devstat_list_insert(ds);
        generation++;
        count++;
    }
    stats_port_unlock(state);
    if (first)
        evcnt_attach_static(devstat_unmatched());
    if (listed)
        stats_port_log("devstat: %s%d is added twice", ds->device_name, ds->unit_number);
}

void devstat_remove_entry(struct devstat *ds)
{
    uintptr_t state;
    bool listed;

    if (ds == NULL)
        return;
    state = stats_port_lock();
    listed = devstat_list_is_listed(ds);
    if (listed) {
        STAILQ_REMOVE(&devices, ds, devstat, dev_links);
        generation++;
        count--;
    }
    stats_port_unlock(state);
    if (!listed)
        stats_port_log("devstat: a device is removed that is not on the list");
}

long devstat_generation(void)
{
    uintptr_t state = stats_port_lock();
    long now = generation;

    stats_port_unlock(state);
    return now;
}

unsigned devstat_count(void)
{
    uintptr_t state = stats_port_lock();
    unsigned now = count;

    stats_port_unlock(state);
    return now;
}

/*
 * The device after AT (NULL: the first), copied, if the generation is still FIRST; then AT is
 * still on the list. The lock is held for one device at a time.
 */
static int devstat_list_copy_next(const struct devstat **at, long first, struct devstat *out)
{
    uintptr_t state = stats_port_lock();
    int error = -EBUSY;

    if (generation == first) {
        *at = *at == NULL ? STAILQ_FIRST(&devices) : STAILQ_NEXT(*at, dev_links);
        error = 0;
        if (*at != NULL)
            (void)devstat_copy(out, *at); /* a torn one says so itself */
    }
    stats_port_unlock(state);
    return error;
}

int devstat_list_export(void *buffer, size_t capacity, size_t *size, size_t record,
                        void (*put)(void *out, const struct devstat *copy))
{
    const struct devstat *at = NULL;
    char *out;
    uintptr_t state = stats_port_lock();
    long first = generation;

    *size = sizeof first + count * record;
    stats_port_unlock(state);
    if (buffer == NULL)
        return 0;
    if (capacity < *size)
        return -ENOMEM;
    *(long *)buffer = first;
    for (out = (char *)buffer + sizeof first;; out += record) {
        struct devstat copy;
        int error = devstat_list_copy_next(&at, first, &copy);

        if (error != 0 || at == NULL)
            return error;
        put(out, &copy);
    }
}

static void devstat_list_put_whole(void *out, const struct devstat *copy)
{
    struct devstat *record = out;

    *record = *copy;
    STAILQ_NEXT(record, dev_links) = NULL;
}

int devstat_export(void *buffer, size_t capacity, size_t *size)
{
    return devstat_list_export(buffer, capacity, size, sizeof(struct devstat),
                               devstat_list_put_whole);
}

void devstat_list_reset(void)
{
    STAILQ_INIT(&devices);
    generation = 0;
    count = 0;
    next_number = 0;
    counted = false;
    evcnt_machine_clear(devstat_unmatched());
    devstat_unmatched()->ev_count = 0;
}
