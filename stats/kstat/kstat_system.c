/* SPDX-License-Identifier: BSD-2-Clause */
/* The kstats of the framework itself, by which readers find the others, and the start of it. */
#include <sys/kstat.h>

#include "lib/errno.h"
#include "stats/kstat/kstat_make.h"
#include "stats/kstat/kstat_registry.h"
#include "stats/port.h"

static bool started; /* under the chain's mutex, but for a first look */

/* Under the chain's mutex, which is their lock. */
static int kstat_system_headers_update(kstat_t *ksp, int rw)
{
    uint_t visible = 0;

    if (rw == KSTAT_WRITE)
        return EACCES;
    for (const kstat_t *k = kstat_registry_first(); k != NULL; k = k->ks_next)
        visible += (k->ks_flags & KSTAT_FLAG_INVALID) == 0;
    ksp->ks_ndata = visible;
    ksp->ks_data_size = visible * sizeof(kstat_t);
    return 0;
}

/* What readers may know; not the addresses. Other fields of a header than the flags change while
 * its own lock is held, not the chain's: each is read whole. */
__attribute__((no_sanitize("thread"))) static void copy_header(kstat_t *to, const kstat_t *from)
{
    *to = *from;
    to->ks_next = NULL;
    to->ks_data = NULL;
    to->ks_update = NULL;
    to->ks_private = NULL;
    to->ks_snapshot = NULL;
    to->ks_lock = NULL;
}

static int kstat_system_headers_snapshot(kstat_t *ksp, void *buffer, int rw)
{
    kstat_t *to = buffer;

    if (rw == KSTAT_WRITE)
        return EACCES;
    ksp->ks_snaptime = (hrtime_t)stats_port_time_ns();
    for (const kstat_t *k = kstat_registry_first(); k != NULL; k = k->ks_next) {
        if ((k->ks_flags & KSTAT_FLAG_INVALID) == 0)
            copy_header(to++, k);
    }
    return 0;
}

static void kstat_system_name_types(kstat_named_t *record)
{
    static const char *const names[KSTAT_NUM_TYPES] = {"raw", "name=value", "interrupt", "i/o",
                                                       "event_timer"};

    for (unsigned type = 0; type < KSTAT_NUM_TYPES; type++) {
        kstat_named_init(&record[type], names[type], KSTAT_DATA_UINT32);
        record[type].value.ui32 = type;
    }
}

/* Under the chain's mutex. */
static bool kstat_system_start(void)
{
    static const struct kstat_wish headers_wish = {
        "unix",
        0,
        "kstat_headers",
        "kstat",
        KSTAT_TYPE_RAW,
        0,
        KSTAT_FLAG_VIRTUAL | KSTAT_FLAG_VAR_SIZE,
    };
    static const struct kstat_wish types_wish = {
        "unix", 0, "kstat_types", "kstat", KSTAT_TYPE_NAMED, KSTAT_NUM_TYPES, 0,
    };
    struct ekstat *headers = kstat_make(&headers_wish);
    struct ekstat *types = kstat_make(&types_wish);

    if (headers == NULL || types == NULL) {
        if (headers != NULL)
            kstat_registry_free(headers);
        if (types != NULL)
            kstat_registry_free(types);
        return false;
    }
    headers->ks.ks_update = kstat_system_headers_update;
    headers->ks.ks_snapshot = kstat_system_headers_snapshot;
    headers->ks.ks_lock = stats_port_chain_mutex();
    kstat_system_name_types(types->ks.ks_data);
    kstat_registry_insert(headers);
    kstat_registry_insert(types);
    headers->ks.ks_flags &= (uchar_t)~KSTAT_FLAG_INVALID;
    types->ks.ks_flags &= (uchar_t)~KSTAT_FLAG_INVALID;
    return true;
}

void kstat_init(void)
{
    if (__builtin_expect(__atomic_load_n(&started, __ATOMIC_ACQUIRE), 1))
        return;
    stats_port_mutex_enter(stats_port_chain_mutex());
    if (!started && kstat_system_start())
        __atomic_store_n(&started, true, __ATOMIC_RELEASE);
    stats_port_mutex_exit(stats_port_chain_mutex());
}

void kstat_forget(void)
{
    __atomic_store_n(&started, false, __ATOMIC_RELEASE);
}
