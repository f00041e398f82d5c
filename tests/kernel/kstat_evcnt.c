/* SPDX-License-Identifier: BSD-2-Clause */
/* Event counters as kstats: strange, long and equal names, and counters that come and go. */
#include <kstat.h>
#include <sys/evcnt.h>
#include "kernel/export/kstat_refresh.h"
#include "kernel/time/clock.h"
#include "tests/kernel/selftest.h"
#include "lib/errno.h"
#include "lib/string.h"
#include "stats/read/kstat_text.h"

#define GROUP      "odd:group\twith\\all\nof it"
#define LONG_GROUP "a group whose name is longer than thirty characters"
#define LONG_A     "a name that begins like the other one: first"
#define LONG_B     "a name that begins like the other one: second"

static struct evcnt odd, twin, third, in_long[2];
static const char *const long_names[2] = {LONG_A, LONG_B};

/* The value of a counter that kstat finds, or -1. */
static int64_t kstat_evcnt_value_of(kstat_ctl_t *kc, int instance, const char *group,
                                    const char *name)
{
    char short_group[KSTAT_STRLEN], short_name[KSTAT_STRLEN];
    const kstat_named_t *record;
    kstat_t *ksp;

    kstat_text_shorten(short_group, group);
    kstat_text_shorten(short_name, name);
    ksp = kstat_lookup(kc, "evcnt", instance, short_group);
    if (ksp == NULL || kstat_read(kc, ksp, NULL) == -1)
        return -1;
    record = kstat_data_lookup(ksp, short_name);
    return record != NULL ? (int64_t)record->value.ui64 : -1;
}

static int check_line(kstat_ctl_t *kc)
{
    static const char wanted[] =
        "evcnt:0:odd\\x3agroup\\x09with\\x5call\\x0aof it:same\\x3aname\t1";
    kstat_t *ksp = kstat_lookup(kc, "evcnt", 0, GROUP);
    struct kstat_statistic statistic;
    char line[160];

    SELFTEST_CHECK(ksp != NULL && kstat_read(kc, ksp, NULL) != -1);
    SELFTEST_CHECK(kstat_statistic_get(ksp, 0, &statistic));
    kstat_text_line(line, sizeof(line), ksp, &statistic, 0);
    if (strcmp(line, wanted) != 0)
        return selftest_fail("the line is %s", line);
    return 0;
}

static int check_present(kstat_ctl_t *kc)
{
    SELFTEST_CHECK(kstat_evcnt_value_of(kc, 0, GROUP, "same:name") == 1);
    SELFTEST_CHECK(kstat_evcnt_value_of(kc, 1, GROUP, "same:name") == 2);
    SELFTEST_CHECK(kstat_evcnt_value_of(kc, 2, GROUP, "same:name") == -1);
    SELFTEST_CHECK(kstat_evcnt_value_of(kc, 0, LONG_GROUP, LONG_A) == 5);
    SELFTEST_CHECK(kstat_evcnt_value_of(kc, 0, LONG_GROUP, LONG_B) == 6);
    evcnt_incr(&odd);
    SELFTEST_CHECK(kstat_evcnt_value_of(kc, 0, GROUP, "same:name") == 2);
    odd.ev_count--; /* a test may */
    return check_line(kc);
}

/* A reading is of the moment at which it is read. */
static int check_moment(kstat_ctl_t *kc)
{
    kstat_t *ksp = kstat_lookup(kc, "evcnt", 0, GROUP);
    hrtime_t before = (hrtime_t)clock_now();

    SELFTEST_CHECK(ksp != NULL && kstat_read(kc, ksp, NULL) != -1);
    SELFTEST_CHECK(ksp->ks_snaptime >= before && ksp->ks_snaptime <= (hrtime_t)clock_now());
    return 0;
}

/* A third counter of a name that is there: the kstats change. Another in a group that is there: the
 * next reading has it. */
static int check_coming(kstat_ctl_t *kc)
{
    kid_t id = kc->kc_chain_id;

    kstat_refresh();
    SELFTEST_EQUAL(kstat_chain_update(kc), 0);
    evcnt_attach_dynamic(&third, EVCNT_TYPE_MISC, NULL, GROUP, "another");
    SELFTEST_CHECK(kstat_evcnt_value_of(kc, 0, GROUP, "another") == 0);
    kstat_refresh();
    SELFTEST_EQUAL(kstat_chain_update(kc), 0);
    SELFTEST_CHECK(kc->kc_chain_id == id);
    evcnt_detach(&third);
    SELFTEST_CHECK(kstat_evcnt_value_of(kc, 0, GROUP, "another") == -1);
    return 0;
}

static int check_gone(kstat_ctl_t *kc)
{
    SELFTEST_CHECK(kstat_evcnt_value_of(kc, 0, GROUP, "same:name") == -1);
    kstat_refresh();
    SELFTEST_CHECK(kstat_chain_update(kc) > 0);
    SELFTEST_CHECK(kstat_lookup(kc, "evcnt", 0, GROUP) == NULL && kstat_errno == ENOENT);
    SELFTEST_CHECK(kstat_lookup(kc, "evcnt", 1, GROUP) == NULL);
    return 0;
}

static int check_all(kstat_ctl_t **kc)
{
    int result;

    evcnt_attach_dynamic(&odd, EVCNT_TYPE_MISC, NULL, GROUP, "same:name");
    evcnt_attach_dynamic(&twin, EVCNT_TYPE_MISC, NULL, GROUP, "same:name");
    evcnt_incr(&odd);
    twin.ev_count = 2;
    for (unsigned i = 0; i < 2; i++) {
        evcnt_attach_dynamic(&in_long[i], EVCNT_TYPE_MISC, NULL, LONG_GROUP, long_names[i]);
        in_long[i].ev_count = 5 + i;
    }
    kstat_refresh();
    *kc = kstat_open();
    result = *kc == NULL ? selftest_fail("no memory") : check_present(*kc);
    if (result == 0)
        result = check_moment(*kc);
    if (result == 0)
        result = check_coming(*kc);
    evcnt_detach(&odd);
    evcnt_detach(&twin);
    evcnt_detach(&in_long[0]);
    evcnt_detach(&in_long[1]);
    return result == 0 ? check_gone(*kc) : result;
}

SELFTEST(kstat_evcnt, "kstat-evcnt", "event counters as kstats, with odd names, coming and going")
{
    kstat_ctl_t *kc = NULL;
    int result = check_all(&kc);

    kstat_close(kc);
    kstat_refresh();
    return result;
}
