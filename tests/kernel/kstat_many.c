/* SPDX-License-Identifier: BSD-2-Clause */
/* A test with 10,000 kstats: all are found, by name and by KID, in a time that does not depend on
 * how many there are. */
#include <kstat.h>
#include "kernel/time/clock.h"
#include "tests/kernel/selftest.h"
#include "lib/format.h"

#define MODULE "selftest-many"
#define MANY   10000
#define LOOKS  200

static kstat_intr_t shared; /* the data of all of them */

static void name_of(char name[KSTAT_STRLEN], unsigned number)
{
    format(name, KSTAT_STRLEN, "number %u", number);
}

static bool kstat_many_make(unsigned number)
{
    char name[KSTAT_STRLEN];
    kstat_t *ksp;

    name_of(name, number);
    ksp = kstat_create(MODULE, 0, name, "misc", KSTAT_TYPE_INTR, 1, KSTAT_FLAG_VIRTUAL);
    if (ksp == NULL)
        return false;
    ksp->ks_data = &shared;
    kstat_install(ksp);
    return true;
}

static void unmake(unsigned from, unsigned to)
{
    char name[KSTAT_STRLEN];

    for (unsigned number = from; number < to; number++) {
        name_of(name, number);
        kstat_delete_byname(MODULE, 0, name);
    }
}

/* LOOKS lookups and reads spread over the first COUNT kstats: how many failed; the time. */
static unsigned kstat_many_look(kstat_ctl_t *kc, unsigned count, uint64_t *ns)
{
    char name[KSTAT_STRLEN];
    unsigned failed = 0;
    uint64_t from = clock_now();

    for (unsigned i = 0; i < LOOKS; i++) {
        kstat_t *ksp;

        name_of(name, i * (count / LOOKS));
        ksp = kstat_lookup(kc, MODULE, 0, name);
        failed += ksp == NULL || kstat_read(kc, ksp, NULL) < 0;
    }
    *ns = clock_now() - from;
    return failed;
}

static unsigned chain_length(const kstat_ctl_t *kc)
{
    unsigned count = 0;

    for (const kstat_t *ksp = kc->kc_chain; ksp != NULL; ksp = ksp->ks_next)
        count++;
    return count;
}

SELFTEST(kstat_many, "kstat-many", "10,000 kstats: found, read, and all gone again")
{
    kstat_ctl_t *kc = kstat_open();
    unsigned before, made = 0, failed, length;
    uint64_t few_ns, many_ns, ignored;

    SELFTEST_CHECK(kc != NULL);
    before = chain_length(kc);
    while (made < LOOKS && kstat_many_make(made))
        made++;
    kstat_chain_update(kc);
    failed = kstat_many_look(kc, LOOKS, &ignored);
    failed += kstat_many_look(kc, LOOKS, &few_ns);
    while (made >= LOOKS && made < MANY && kstat_many_make(made))
        made++;
    if (made < MANY || kstat_chain_update(kc) < 0) {
        kstat_close(kc);
        unmake(0, made);
        return selftest_skip("not enough memory for %u kstats and a copy of them", MANY);
    }
    failed += kstat_many_look(kc, MANY, &ignored);
    failed += kstat_many_look(kc, MANY, &many_ns);
    length = chain_length(kc);
    unmake(0, MANY);
    kstat_chain_update(kc);
    made = chain_length(kc);
    kstat_close(kc);
    SELFTEST_EQUAL(failed, 0);
    SELFTEST_EQUAL(length, before + MANY);
    SELFTEST_EQUAL(made, before);
    return selftest_note("%u ns a lookup and read among 200, %u ns among 10,000",
                         (unsigned)(few_ns / LOOKS), (unsigned)(many_ns / LOOKS));
}
