/* SPDX-License-Identifier: BSD-2-Clause */
/* Service times as kstats; see kstat_service.h. A reading sees one copy of the histogram, from
 * ks_update to ks_snapshot. */
#include "kernel/block/kstat_service.h"
#include "kernel/time/clock.h"
#include "kernel/memory/kmem.h"
#include "kernel/thread/mutex.h"
#include "lib/errno.h"
#include "lib/format.h"
#include "lib/string.h"

struct service {
    void (*collect)(const void *source, struct histogram *out);
    const void *source;
    kmutex_t lock;         /* ks_lock; for what follows */
    struct histogram copy; /* of the reading that is going on */
    unsigned first;        /* bucket in use */
};

static int kstat_service_update(kstat_t *ksp, int how)
{
    struct service *service = ksp->ks_private;
    unsigned end;

    if (how == KSTAT_WRITE)
        return EACCES;
    service->collect(service->source, &service->copy);
    histogram_range(&service->copy, &service->first, &end);
    ksp->ks_ndata = end - service->first;
    ksp->ks_data_size = ksp->ks_ndata * sizeof(kstat_named_t);
    return 0;
}

static int kstat_service_snapshot(kstat_t *ksp, void *data, int how)
{
    const struct service *service = ksp->ks_private;
    kstat_named_t *record = data;

    if (how == KSTAT_WRITE)
        return EACCES;
    ksp->ks_snaptime = (hrtime_t)clock_now();
    memset(data, 0, ksp->ks_data_size);
    for (unsigned i = 0; i < ksp->ks_ndata; i++, record++) {
        unsigned bucket = service->first + i;

        format(record->name, sizeof(record->name), "%02u_le_%llu", bucket,
               (unsigned long long)histogram_bucket_high(bucket));
        record->data_type = KSTAT_DATA_UINT64;
        record->value.ui64 = service->copy.bucket[bucket];
    }
    return 0;
}

kstat_t *kstat_service_create(const char *module, int instance, const char *name,
                              void (*collect)(const void *source, struct histogram *out),
                              const void *source, uint64_t since)
{
    struct service *service = kmem_alloc(sizeof *service);
    kstat_t *ksp = service ? kstat_create(module, instance, name, "misc", KSTAT_TYPE_NAMED, 0,
                                          KSTAT_FLAG_VIRTUAL | KSTAT_FLAG_VAR_SIZE)
                           : NULL;

    if (!ksp) {
        kmem_free(service);
        return NULL;
    }
    service->collect = collect;
    service->source = source;
    mutex_init(&service->lock, "service time kstat");
    ksp->ks_crtime = (hrtime_t)since;
    ksp->ks_private = service;
    ksp->ks_update = kstat_service_update;
    ksp->ks_snapshot = kstat_service_snapshot;
    ksp->ks_lock = &service->lock;
    kstat_install(ksp);
    return ksp;
}

void kstat_service_delete(kstat_t *ksp)
{
    struct service *service = ksp ? ksp->ks_private : NULL;

    kstat_delete(ksp);
    kmem_free(service);
}
