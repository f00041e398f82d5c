/* SPDX-License-Identifier: BSD-2-Clause */
/* libkstat: a reader's copy of the chain of kstats, and their data. See <kstat.h>. It knows the
 * kernel's side by kstat_access.h alone. */
#include <kstat.h>

#include "lib/errno.h"
#include "lib/string.h"
#include "stats/port.h"
#include "stats/read/kstat_access.h"
#include "stats/read/libkstat_chain.h"

#define RETRY_NS UINT64_C(100000000)

int *kstat_errno_location(void)
{
    return stats_port_errno();
}

/* -1, with the error number where callers look for it. */
static int libkstat_fail(int error)
{
    kstat_errno = error;
    return -1;
}

static void *libkstat_allocate_zeroed(size_t size)
{
    void *memory = stats_port_alloc(size);

    if (memory != NULL)
        memset(memory, 0, size);
    return memory;
}

/* -1 and ENOMEM, or data of the size that the header says. */
static int libkstat_need_data(kstat_t *ksp)
{
    if (ksp->ks_data != NULL || ksp->ks_data_size == 0)
        return 0;
    ksp->ks_data = libkstat_allocate_zeroed(ksp->ks_data_size);
    return ksp->ks_data != NULL ? 0 : libkstat_fail(ENOMEM);
}

/* The data became larger: HAD was the size of what there is, ks_data_size says what is needed. */
static int libkstat_grow_data(kstat_t *ksp, size_t had)
{
    void *larger = libkstat_allocate_zeroed(ksp->ks_data_size);

    if (larger == NULL) {
        ksp->ks_data_size = had;
        return libkstat_fail(ENOMEM);
    }
    if (ksp->ks_data != NULL)
        stats_port_free(ksp->ks_data, had);
    ksp->ks_data = larger;
    return 0;
}

static bool libkstat_may_grow(const kstat_t *ksp)
{
    return (ksp->ks_flags & (KSTAT_FLAG_VAR_SIZE | KSTAT_FLAG_LONGSTRINGS)) != 0;
}

static int libkstat_ask(const kstat_ctl_t *kc, int cmd, kstat_t *ksp)
{
    return kstat_access_ioctl(kc != NULL ? kc->kc_kd : KSTAT_ACCESS_NONE, cmd, ksp);
}

kid_t kstat_read(kstat_ctl_t *kc, kstat_t *ksp, void *buf)
{
    if (libkstat_need_data(ksp) != 0)
        return -1;
    for (;;) {
        size_t had = ksp->ks_data_size;
        int result = libkstat_ask(kc, KSTAT_IOC_READ, ksp);

        if (result >= 0) {
            if (buf != NULL && ksp->ks_data_size > 0)
                memcpy(buf, ksp->ks_data, ksp->ks_data_size);
            return result;
        }
        if (result == -ENOMEM && libkstat_may_grow(ksp) && ksp->ks_data_size > had) {
            if (libkstat_grow_data(ksp, had) != 0)
                return -1;
            continue;
        }
        ksp->ks_data_size = had; /* it is the size of what is at ks_data, too */
        if (result != -EAGAIN)
            return libkstat_fail(-result);
        if (stats_port_sleep(RETRY_NS) != 0)
            return libkstat_fail(EINTR);
    }
}

kid_t kstat_write(kstat_ctl_t *kc, kstat_t *ksp, void *buf)
{
    if (libkstat_need_data(ksp) != 0)
        return -1;
    if (buf != NULL && ksp->ks_data_size > 0)
        memcpy(ksp->ks_data, buf, ksp->ks_data_size);
    for (;;) {
        int result = libkstat_ask(kc, KSTAT_IOC_WRITE, ksp);

        if (result >= 0)
            return result;
        if (result != -EAGAIN)
            return libkstat_fail(-result);
        if (stats_port_sleep(RETRY_NS) != 0)
            return libkstat_fail(EINTR);
    }
}

/* All headers, in *HEADERS, to be freed by its ks_data and ks_data_size. */
static int libkstat_read_headers(kstat_ctl_t *kc, kstat_t *headers)
{
    memset(headers, 0, sizeof *headers);
    headers->ks_flags = KSTAT_FLAG_VAR_SIZE; /* its KID is 0 */
    if (kstat_read(kc, headers, NULL) < 0) {
        if (headers->ks_data != NULL)
            stats_port_free(headers->ks_data, headers->ks_data_size);
        return -1;
    }
    return 0;
}

/* Always reads; what changes meanwhile is seen by the next update, since ID is from before. */
static int libkstat_update(struct kstat_control *control, kid_t id)
{
    size_t capacity;
    kstat_t headers;
    int error;

    if (libkstat_read_headers(&control->ctl, &headers) != 0)
        return -1;
    capacity = headers.ks_data_size;
    error = kstat_control_merge(control, headers.ks_data, headers.ks_ndata);
    if (headers.ks_data != NULL)
        stats_port_free(headers.ks_data, capacity);
    if (error != 0)
        return libkstat_fail(-error);
    control->ctl.kc_chain_id = id;
    return 0;
}

kid_t kstat_chain_update(kstat_ctl_t *kc)
{
    kid_t id = libkstat_ask(kc, KSTAT_IOC_CHAIN_ID, NULL);

    if (id < 0)
        return libkstat_fail(-id);
    if (id == kc->kc_chain_id)
        return 0;
    return libkstat_update(kstat_control_of(kc), id) == 0 ? id : -1;
}

/* The first copy; -1 if it cannot be had. */
static int libkstat_start(struct kstat_control *control)
{
    int error = kstat_access_open(&control->ctl.kc_kd);
    kid_t id;

    if (error != 0) {
        control->ctl.kc_kd = KSTAT_ACCESS_NONE;
        return libkstat_fail(-error);
    }
    id = libkstat_ask(&control->ctl, KSTAT_IOC_CHAIN_ID, NULL);
    return id < 0 ? libkstat_fail(-id) : libkstat_update(control, id);
}

kstat_ctl_t *kstat_open(void)
{
    struct kstat_control *control = libkstat_allocate_zeroed(sizeof *control);

    if (control == NULL) {
        libkstat_fail(ENOMEM);
        return NULL;
    }
    if (libkstat_start(control) != 0) {
        int error = kstat_errno;

        kstat_close(&control->ctl);
        libkstat_fail(error);
        return NULL;
    }
    return &control->ctl;
}

int kstat_close(kstat_ctl_t *kc)
{
    struct kstat_control *control;

    if (kc == NULL)
        return 0;
    control = kstat_control_of(kc);
    kstat_access_close(kc->kc_kd);
    kstat_control_empty(control);
    stats_port_free(control, sizeof *control);
    return 0;
}

static bool libkstat_matches(const kstat_t *ksp, const char *module, int instance, const char *name)
{
    return (module == NULL || strcmp(ksp->ks_module, module) == 0) &&
           (instance == -1 || ksp->ks_instance == instance) &&
           (name == NULL || strcmp(ksp->ks_name, name) == 0);
}

kstat_t *kstat_lookup(kstat_ctl_t *kc, const char *module, int instance, const char *name)
{
    kstat_t *ksp;

    if (module != NULL && instance != -1 && name != NULL) {
        ksp = kstat_control_find(kstat_control_of(kc), module, instance, name);
    } else {
        ksp = kc->kc_chain;
        while (ksp != NULL && !libkstat_matches(ksp, module, instance, name))
            ksp = ksp->ks_next;
    }
    if (ksp == NULL)
        libkstat_fail(ENOENT);
    return ksp;
}

void *kstat_data_lookup(kstat_t *ksp, const char *name)
{
    size_t size;
    char *record = ksp->ks_data; /* both kinds begin with their name */

    if (ksp->ks_type == KSTAT_TYPE_NAMED) {
        size = sizeof(kstat_named_t);
    } else if (ksp->ks_type == KSTAT_TYPE_TIMER) {
        size = sizeof(kstat_timer_t);
    } else {
        libkstat_fail(EINVAL);
        return NULL;
    }
    for (uint_t i = 0; record != NULL && i < ksp->ks_ndata; i++, record += size) {
        if (strncmp(record, name, KSTAT_STRLEN) == 0)
            return record;
    }
    libkstat_fail(ENOENT);
    return NULL;
}
