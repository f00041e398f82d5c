/* SPDX-License-Identifier: BSD-2-Clause */
/* How long the kstats of counters live, as long as they count the same; when they were made and
 * read; that each record is one. */
#include <kstat.h>
#include <sys/pmc.h>
#include "kernel/device/late.h"
#include "kernel/export/kstat_refresh.h"
#include "kernel/thread/thread.h"
#include "kernel/time/clock.h"
#include "lib/format.h"
#include "stats/pmc/pmu_class.h"
#include "tests/kernel/selftest.h"

#define SWITCHES 0x10000u /* event context-switches */

static int counter; /* the first of class soft */

static bool is_there(kstat_ctl_t *kc)
{
    char name[16];

    format(name, sizeof name, "counter%d", counter);
    return kstat_lookup(kc, "pmc", 0, name) != NULL;
}

static int check_kept(kstat_ctl_t *kc, struct pmc_counter_cfg *cfg)
{
    kstat_refresh();
    SELFTEST_CHECK(kstat_chain_update(kc) != -1);
    SELFTEST_CHECK(!is_there(kc));
    SELFTEST_EQUAL(pmc_alloc_kernel_counter(counter, cfg), 0);
    for (unsigned look = 0; look < 3; look++) {
        kstat_refresh();
        SELFTEST_CHECK(look == 0 ? kstat_chain_update(kc) > 0 : kstat_chain_update(kc) == 0);
        SELFTEST_CHECK(is_there(kc));
    }
    SELFTEST_EQUAL(pmc_free_kernel_counter(counter), 0);
    SELFTEST_EQUAL(pmc_alloc_kernel_counter(counter, cfg), 0);
    kstat_refresh(); /* it is another's, though nobody has looked between */
    SELFTEST_CHECK(kstat_chain_update(kc) > 0 && is_there(kc));
    SELFTEST_EQUAL(pmc_free_kernel_counter(counter), 0);
    kstat_refresh();
    SELFTEST_CHECK(kstat_chain_update(kc) > 0 && !is_there(kc));
    return 0;
}

static void find_soft(void)
{
    const struct pmu_class *class;

    late_start();
    for (unsigned i = 0; (class = pmu_class_at(i, &counter))->type != PMC_TYPE_SOFT;)
        i++;
}

SELFTEST_COUNTERS(kstat_pmc_kept, "kstat-pmc-kept",
                  "a counter's kstat is the same until it is given back, and then another's")
{
    struct pmc_counter_cfg cfg = {SWITCHES, 0, 0};
    kstat_ctl_t *kc;
    int result;

    find_soft();
    kc = kstat_open();
    SELFTEST_CHECK(kc != NULL);
    result = check_kept(kc, &cfg);
    kstat_close(kc);
    return result;
}

/* Of the thread's own kstat, whose counter began between BEGIN and END. */
static int check_reading(hrtime_t begin, hrtime_t end, kstat_ctl_t *kc)
{
    kstat_t *ksp = kstat_lookup(kc, "pmc", (int)thread_current()->id, "thread");
    hrtime_t before = (hrtime_t)clock_now();
    const kstat_named_t *record;

    SELFTEST_CHECK(ksp != NULL && ksp->ks_crtime >= begin && ksp->ks_crtime <= end);
    SELFTEST_CHECK(kstat_read(kc, ksp, NULL) != -1);
    SELFTEST_CHECK(ksp->ks_snaptime >= before && ksp->ks_snaptime <= (hrtime_t)clock_now());
    SELFTEST_EQUAL(ksp->ks_ndata, 2); /* the count and the children's */
    record = ksp->ks_data;
    for (unsigned i = 0; i < ksp->ks_ndata; i++)
        SELFTEST_CHECK(kstat_data_lookup(ksp, record[i].name) == &record[i] && *record[i].name);
    return 0;
}

/* It goes on as long as one of its counters does, and is another's when none does. */
static int check_another(struct pmc_counter_cfg *cfg, kstat_ctl_t *kc)
{
    kid_t id = kc->kc_chain_id;

    SELFTEST_EQUAL(pmc_configure_counter(curlwp, counter + 1, cfg), 0);
    kstat_refresh();
    SELFTEST_CHECK(kstat_chain_update(kc) == 0);
    SELFTEST_EQUAL(pmc_release_counter(curlwp, counter), 0);
    kstat_refresh();
    SELFTEST_CHECK(kstat_chain_update(kc) == 0 && kc->kc_chain_id == id);
    SELFTEST_EQUAL(pmc_configure_counter(curlwp, counter, cfg), 0);
    SELFTEST_EQUAL(pmc_release_counter(curlwp, counter + 1), 0);
    kstat_refresh();
    SELFTEST_CHECK(kstat_chain_update(kc) > 0);
    return 0;
}

SELFTEST_COUNTERS(
    kstat_pmc_records, "kstat-pmc-records",
    "a thread's kstat tells when it began and was read, and has a name for each count")
{
    struct pmc_counter_cfg cfg = {SWITCHES, 0, 0};
    hrtime_t begin, end;
    kstat_ctl_t *kc;
    int result;

    find_soft();
    begin = (hrtime_t)clock_now();
    SELFTEST_EQUAL(pmc_configure_counter(curlwp, counter, &cfg), 0);
    SELFTEST_EQUAL(pmc_enable_counter(curlwp, counter), 0);
    end = (hrtime_t)clock_now();
    kstat_refresh();
    kc = kstat_open();
    result = kc ? check_reading(begin, end, kc) : selftest_fail("no memory");
    if (result == 0)
        result = check_another(&cfg, kc);
    kstat_close(kc);
    SELFTEST_EQUAL(pmc_release_counter(curlwp, counter), 0);
    return result;
}

/* --- several threads --- */

#define SEVERAL 4u

static volatile uint32_t leaving; /* bit N: thread N is to end */
static struct thread *several[SEVERAL];
static kid_t kids[SEVERAL];

static void kstat_pmc_kept_stay(void *number)
{
    while (!(leaving >> (uintptr_t)number & 1))
        thread_sleep(1000000);
}

/* Those of the mask are there at two looks, with the numbers that they had; the others are not. */
static int check_several(kstat_ctl_t *kc, const uint32_t *ids, uint32_t mask)
{
    for (unsigned look = 0; look < 2; look++) {
        kstat_refresh();
        SELFTEST_CHECK(look == 0 ? kstat_chain_update(kc) > 0 : kstat_chain_update(kc) == 0);
        for (unsigned n = 0; n < SEVERAL; n++) {
            const kstat_t *ksp = kstat_lookup(kc, "pmc", (int)ids[n], "thread");

            SELFTEST_EQUAL(ksp != NULL, mask >> n & 1);
            if (ksp != NULL && kids[n] == 0)
                kids[n] = ksp->ks_kid;
            SELFTEST_CHECK(ksp == NULL || ksp->ks_kid == kids[n]);
        }
    }
    return 0;
}

static int check_ends(kstat_ctl_t *kc, unsigned made)
{
    static const unsigned order[SEVERAL] = {1, 3, 0, 2};
    uint32_t ids[SEVERAL] = {0}, mask = (1u << SEVERAL) - 1;
    int result = made == SEVERAL ? 0 : selftest_fail("no memory");

    for (unsigned n = 0; n < made; n++)
        ids[n] = several[n]->id;
    for (unsigned i = 0; i < SEVERAL; i++) {
        if (result == 0)
            result = check_several(kc, ids, mask);
        mask &= ~(1u << order[i]);
        leaving |= 1u << order[i];
        if (order[i] < made)
            thread_join(several[order[i]]);
    }
    return result ? result : check_several(kc, ids, 0);
}

/* The thread's own kstat is as old as the older one of its counters. */
static int check_oldest(kstat_ctl_t *kc, hrtime_t begin, hrtime_t end)
{
    const kstat_t *ksp = kstat_lookup(kc, "pmc", (int)thread_current()->id, "thread");

    SELFTEST_CHECK(ksp != NULL && ksp->ks_crtime >= begin && ksp->ks_crtime <= end);
    return 0;
}

SELFTEST_COUNTERS(kstat_pmc_several, "kstat-pmc-several",
                  "each of several threads that count has its kstat, the same one until it ends")
{
    struct pmc_counter_cfg cfg = {SWITCHES, 0, 0};
    kstat_ctl_t *kc = kstat_open();
    hrtime_t begin, end;
    unsigned made = 0;
    int result;

    find_soft();
    leaving = 0;
    SELFTEST_CHECK(kc != NULL);
    begin = (hrtime_t)clock_now();
    SELFTEST_EQUAL(pmc_configure_counter(curlwp, counter, &cfg), 0);
    SELFTEST_EQUAL(pmc_enable_counter(curlwp, counter), 0);
    end = (hrtime_t)clock_now();
    SELFTEST_EQUAL(pmc_configure_counter(curlwp, counter + 1, &cfg), 0);
    while (made < SEVERAL && thread_create("counts", THREAD_PRIORITY_NORMAL, kstat_pmc_kept_stay,
                                           (void *)(uintptr_t)made, &several[made]) == 0)
        kids[made++] = 0;
    result = check_ends(kc, made);
    if (result == 0)
        result = check_oldest(kc, begin, end);
    kstat_close(kc);
    SELFTEST_EQUAL(pmc_release_counter(curlwp, counter), 0);
    SELFTEST_EQUAL(pmc_release_counter(curlwp, counter + 1), 0);
    return result;
}
