/* SPDX-License-Identifier: BSD-2-Clause */
/* How long the kstat of a counter of the whole system lives: as long as it counts the same. */
#include <kstat.h>
#include <sys/pmc.h>
#include "kernel/device/late.h"
#include "kernel/export/kstat_refresh.h"
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

SELFTEST_COUNTERS(kstat_pmc_kept, "kstat-pmc-kept",
                  "a counter's kstat is the same until it is given back, and then another's")
{
    struct pmc_counter_cfg cfg = {SWITCHES, 0, 0};
    const struct pmu_class *class;
    kstat_ctl_t *kc;
    int result;

    late_start();
    for (unsigned i = 0; (class = pmu_class_at(i, &counter))->type != PMC_TYPE_SOFT;)
        i++;
    kc = kstat_open();
    SELFTEST_CHECK(kc != NULL);
    result = check_kept(kc, &cfg);
    kstat_close(kc);
    return result;
}
