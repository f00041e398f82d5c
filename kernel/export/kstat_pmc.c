/* SPDX-License-Identifier: BSD-2-Clause */
/* Performance counters as kstats; see kstat_pmc.h. Nothing is kept here but which are shown. */
#include "kernel/export/kstat_pmc.h"
#include <stdbool.h>
#include <sys/kstat.h>
#include <sys/pmc.h>
#include "kernel/cpu/cpu.h"
#include "kernel/export/kstat_pmc_thread.h"
#include "stats/kstat/kstat_values.h"
#include "kernel/device/late.h"
#include "kernel/thread/mutex.h"
#include "kernel/pmc/pmc_profile.h"
#include "lib/errno.h"
#include "lib/format.h"
#include "lib/section.h"
#include "stats/pmc/pmu_class.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct shown {
    bool used;
    struct pmc_counter_cfg cfg;
    uint64_t since;
    kstat_t *kstats[CPU_MAX];
};

static kmutex_t refresh_lock;
static SHARED_BSS struct shown shown[PMC_COUNTERS_MAX];

static const struct kstat_value values[] = {
    {"event", KSTAT_DATA_STRING},     {"number", KSTAT_DATA_UINT32},  {"pmu", KSTAT_DATA_STRING},
    {"value", KSTAT_DATA_UINT64},     {"period", KSTAT_DATA_UINT64},  {"modes", KSTAT_DATA_UINT32},
    {"overflows", KSTAT_DATA_UINT64}, {"dropped", KSTAT_DATA_UINT64},
};

static int kstat_pmc_update(kstat_t *ksp, int how)
{
    int ctr = (int)(uintptr_t)ksp->ks_private;
    const struct pmu_class *class = NULL;
    struct pmc_cpu_value value;
    struct pmc_counter_cfg cfg;
    const struct pmu_event *event;
    uint64_t sum;

    if (how == KSTAT_WRITE)
        return EACCES;
    /* the second brings the third up to date; the counter may have been given back meanwhile */
    if (pmc_get_config(NULL, ctr, &cfg) != 0 || pmc_get_counter_value(NULL, ctr, 0, &sum) != 0 ||
        pmc_get_cpu_value(ctr, (unsigned)ksp->ks_instance, &value) != 0)
        return ENXIO;
    event = pmu_event_find(cfg.event_id, &class);
    const uint64_t numbers[] = {
        (uintptr_t)(event ? event->name : "?"),
        cfg.event_id,
        (uintptr_t)(class ? class->name : "?"),
        value.value,
        cfg.reset_value,
        cfg.flags ? cfg.flags : PMC_MODE_ALL,
        value.overflows,
        value.lost,
    };
    _Static_assert(COUNT(numbers) == COUNT(values), "a number for each name");
    return kstat_values_set(ksp, numbers);
}

static const struct kstat_value sample_values[] = {
    {"sample", KSTAT_DATA_UINT64},  {"overflow", KSTAT_DATA_UINT64},
    {"buf", KSTAT_DATA_UINT64},     {"emptybuf", KSTAT_DATA_UINT64},
    {"dropbuf", KSTAT_DATA_UINT64}, {"dropbuf_sample", KSTAT_DATA_UINT64},
    {"lost", KSTAT_DATA_UINT64},
};

static int kstat_pmc_update_samples(kstat_t *ksp, int how)
{
    struct pmc_profile_counts counts;

    if (how == KSTAT_WRITE)
        return EACCES;
    pmc_profile_counts_get(&counts);
    const uint64_t numbers[] = {
        counts.samples.sample, counts.samples.overflow, counts.buf,          counts.emptybuf,
        counts.dropbuf,        counts.dropbuf_sample,   counts.samples.lost,
    };
    _Static_assert(COUNT(numbers) == COUNT(sample_values), "a number for each name");
    return kstat_values_set(ksp, numbers);
}

static void kstat_pmc_hide(struct shown *counter)
{
    for (unsigned cpu = 0; cpu < cpu_count(); cpu++) {
        if (counter->kstats[cpu] != NULL)
            kstat_delete(counter->kstats[cpu]);
        counter->kstats[cpu] = NULL;
    }
    counter->used = false;
}

static void kstat_pmc_show(struct shown *counter, int ctr)
{
    char name[KSTAT_STRLEN];

    format(name, sizeof name, "counter%d", ctr);
    for (unsigned cpu = 0; cpu < cpu_count(); cpu++)
        counter->kstats[cpu] =
            kstat_values_create("pmc", (int)cpu, name, "pmc", values, COUNT(values),
                                kstat_pmc_update, (void *)(uintptr_t)ctr, counter->since);
    counter->used = true;
}

static bool kstat_pmc_is_same(const struct pmc_counter_cfg *a, const struct pmc_counter_cfg *b)
{
    return a->event_id == b->event_id && a->reset_value == b->reset_value && a->flags == b->flags;
}

void kstat_pmc_refresh(void)
{
    mutex_enter(&refresh_lock);
    for (int ctr = 0; ctr < pmc_get_num_counters(); ctr++) {
        struct shown *counter = &shown[ctr];
        struct pmc_cpu_value value;
        struct pmc_counter_cfg cfg;
        bool used = pmc_get_config(NULL, ctr, &cfg) == 0 && pmc_get_cpu_value(ctr, 0, &value) == 0;

        if (counter->used &&
            (!used || !kstat_pmc_is_same(&cfg, &counter->cfg) || value.since != counter->since))
            kstat_pmc_hide(counter);
        if (used && !counter->used) {
            counter->cfg = cfg;
            counter->since = value.since;
            kstat_pmc_show(counter, ctr);
        }
    }
    kstat_pmc_thread_refresh();
    mutex_exit(&refresh_lock);
}

static void kstat_pmc_prepare(void)
{
    mutex_init(&refresh_lock, "pmc kstats");
    kstat_pmc_thread_prepare();
    kstat_values_create("pmc", 0, "tprof", "pmc", sample_values, COUNT(sample_values),
                        kstat_pmc_update_samples, NULL, 0);
}
LATE(1, kstat_pmc_prepare);
