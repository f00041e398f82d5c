/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading and writing the data of kstats: what one does that has no functions of its own, and the
 * interface between the kernel and readers, kstat_ioctl. */
#include <sys/kstat.h>

#include "lib/errno.h"
#include "lib/string.h"
#include "stats/kstat/kstat_queue.h"
#include "stats/kstat/kstat_registry.h"
#include "stats/port.h"

int kstat_default_update(kstat_t *ksp, int rw)
{
    if (rw == KSTAT_WRITE && (ksp->ks_flags & (KSTAT_FLAG_WRITABLE | KSTAT_FLAG_DORMANT)) == 0)
        return EACCES;
    return 0;
}

void kstat_measure_strings(kstat_t *ksp)
{
    const kstat_named_t *record = ksp->ks_data;
    size_t size = ksp->ks_ndata * sizeof *record;

    if (record == NULL)
        return;
    for (uint_t i = 0; i < ksp->ks_ndata; i++) {
        if (record[i].data_type == KSTAT_DATA_STRING)
            size += record[i].value.str.len;
    }
    ksp->ks_data_size = size;
}

/* The records, and after them the strings that they then point to. */
static void kstat_snapshot_copy_strings(const kstat_t *ksp, kstat_named_t *copy)
{
    char *end = (char *)(copy + ksp->ks_ndata);

    memcpy(copy, ksp->ks_data, ksp->ks_ndata * sizeof *copy);
    for (uint_t i = 0; i < ksp->ks_ndata; i++) {
        size_t length = copy[i].value.str.len;

        if (copy[i].data_type != KSTAT_DATA_STRING || length == 0)
            continue;
        memcpy(end, copy[i].value.str.addr.ptr, length);
        copy[i].value.str.addr.ptr = end;
        end += length;
    }
}

int kstat_default_snapshot(kstat_t *ksp, void *buffer, int rw)
{
    hrtime_t now = (hrtime_t)stats_port_time_ns();

    ksp->ks_snaptime = now;
    if (rw == KSTAT_WRITE && !(ksp->ks_flags & KSTAT_FLAG_WRITABLE))
        return EACCES;
    if (ksp->ks_data_size == 0)
        return 0;
    if (ksp->ks_data == NULL) /* virtual, and nobody told where its data are */
        return EIO;
    if (rw == KSTAT_WRITE)
        memcpy(ksp->ks_data, buffer, ksp->ks_data_size);
    else if (ksp->ks_type == KSTAT_TYPE_IO)
        kstat_queue_copy(buffer, ksp->ks_data, now);
    else if (ksp->ks_flags & KSTAT_FLAG_LONGSTRINGS)
        kstat_snapshot_copy_strings(ksp, buffer);
    else
        memcpy(buffer, ksp->ks_data, ksp->ks_data_size);
    return 0;
}

/* What ks_update and ks_snapshot return is an error number of either sign. */
static int kstat_snapshot_negative(int error)
{
    return error > 0 ? -error : error;
}

static int kstat_snapshot_read_locked(kstat_t *ksp, kstat_t *request)
{
    int error = kstat_snapshot_negative(ksp->ks_update(ksp, KSTAT_READ));

    if (error != 0)
        return error;
    if ((ksp->ks_flags & KSTAT_FLAG_LONGSTRINGS) && ksp->ks_snapshot == kstat_default_snapshot)
        kstat_measure_strings(ksp);
    if (request->ks_data_size < ksp->ks_data_size)
        return -ENOMEM;
    if (request->ks_data == NULL && ksp->ks_data_size > 0)
        return -EFAULT;
    return kstat_snapshot_negative(ksp->ks_snapshot(ksp, request->ks_data, KSTAT_READ));
}

static int kstat_snapshot_read_data(kstat_t *request)
{
    struct ekstat *e = kstat_registry_hold(request->ks_kid);
    kstat_t *ksp;
    int error = -EAGAIN;

    if (e == NULL)
        return -ENXIO;
    ksp = &e->ks;
    kstat_enter(ksp);
    if ((ksp->ks_flags & KSTAT_FLAG_INVALID) == 0)
        error = kstat_snapshot_read_locked(ksp, request);
    request->ks_ndata = ksp->ks_ndata;
    request->ks_data_size = ksp->ks_data_size;
    request->ks_flags = ksp->ks_flags;
    request->ks_snaptime = ksp->ks_snaptime;
    kstat_exit(ksp);
    kstat_registry_release(e);
    return error;
}

/* Whether a string lies in the data, behind the records, and ends there. */
static bool kstat_snapshot_string_is_inside(const kstat_t *request, const kstat_named_t *record)
{
    const char *data = request->ks_data;
    const char *string = record->value.str.addr.ptr;
    size_t length = record->value.str.len;
    size_t records = request->ks_ndata * sizeof *record;
    size_t at;

    if (length == 0)
        return true;
    if (string == NULL || (uintptr_t)string < (uintptr_t)data + records)
        return false;
    at = (uintptr_t)string - (uintptr_t)data;
    return at <= request->ks_data_size && length <= request->ks_data_size - at &&
           string[length - 1] == '\0';
}

static bool kstat_snapshot_records_fit(const kstat_t *ksp, const kstat_t *request)
{
    const kstat_named_t *old = ksp->ks_data;
    const kstat_named_t *fresh = request->ks_data;

    if (ksp->ks_type != KSTAT_TYPE_NAMED)
        return true;
    if (request->ks_data_size / sizeof *fresh < ksp->ks_ndata)
        return false;
    for (uint_t i = 0; i < ksp->ks_ndata; i++) {
        if (old != NULL && fresh[i].data_type != old[i].data_type)
            return false;
        if (fresh[i].data_type == KSTAT_DATA_STRING &&
            !kstat_snapshot_string_is_inside(request, &fresh[i]))
            return false;
    }
    return true;
}

static int kstat_snapshot_write_locked(kstat_t *ksp, kstat_t *request)
{
    int error;

    if (request->ks_ndata != ksp->ks_ndata || request->ks_data_size != ksp->ks_data_size ||
        !kstat_snapshot_records_fit(ksp, request))
        return -EINVAL;
    error = kstat_snapshot_negative(ksp->ks_snapshot(ksp, request->ks_data, KSTAT_WRITE));
    return error != 0 ? error : kstat_snapshot_negative(ksp->ks_update(ksp, KSTAT_WRITE));
}

static int kstat_snapshot_write_data(kstat_t *request)
{
    struct ekstat *e;
    kstat_t *ksp;
    int error;

    if (!stats_port_privileged())
        return -EPERM;
    if (request->ks_data == NULL && request->ks_data_size > 0)
        return -EFAULT;
    e = kstat_registry_hold(request->ks_kid);
    if (e == NULL)
        return -ENXIO;
    ksp = &e->ks;
    kstat_enter(ksp);
    if (ksp->ks_flags & KSTAT_FLAG_INVALID)
        error = -EAGAIN;
    else if (!(ksp->ks_flags & KSTAT_FLAG_WRITABLE))
        error = -EACCES;
    else
        error = kstat_snapshot_write_locked(ksp, request);
    kstat_exit(ksp);
    kstat_registry_release(e);
    return error;
}

int kstat_ioctl(int cmd, kstat_t *ks)
{
    int error = 0;

    kstat_init();
    if (cmd != KSTAT_IOC_CHAIN_ID && cmd != KSTAT_IOC_READ && cmd != KSTAT_IOC_WRITE)
        return -EINVAL;
    if (cmd == KSTAT_IOC_WRITE && !stats_port_privileged())
        return -EPERM;
    if (cmd != KSTAT_IOC_CHAIN_ID && ks == NULL)
        return -EFAULT;
    if (cmd == KSTAT_IOC_READ)
        error = kstat_snapshot_read_data(ks);
    else if (cmd == KSTAT_IOC_WRITE)
        error = kstat_snapshot_write_data(ks);
    return error != 0 ? error : kstat_registry_chain_id();
}
