/* SPDX-License-Identifier: BSD-2-Clause */
/* pmc(9): whether an address is that of a thread's counters still, while many come and go. */
#include <sys/pmc.h>

#include "stats/pmc/pmc_private.h"
#include "tests/host/pmc_check.h"

#include <quipu_host.h>

#define THREADS 1000u /* the table grows several times, with some gone meanwhile */

static struct lwp threads[THREADS];
static const struct pmc_state *was[THREADS];

static void begin(unsigned i)
{
    struct pmc_counter_cfg cfg = {HOST_PMU_CYCLES, 0, PMC_MODE_ALL};

    threads[i] = (struct lwp){0};
    GIVES(pmc_configure_counter(&threads[i], 0, &cfg), 0);
    was[i] = threads[i].l_pmc;
}

/* Of all up to COUNT: every third one has ended. */
static void look(unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (i % 3 != 0)
            CHECK(pmc_states_have(was[i]) && was[i]->lwp == &threads[i]);
}

TEST(pmc_states_are_known_by_their_addresses)
{
    const struct pmc_state *gone;

    host_pmu_attach(&(struct host_pmu){.counters = 1, .width = 48, .interrupts = true});
    for (unsigned i = 0; i < THREADS; i++) {
        begin(i);
        CHECK(pmc_states_have(was[i]));
        if (i % 3 == 0) {
            gone = was[i];
            pmc_process_exit(&threads[i]);
            CHECK(!pmc_states_have(gone));
        }
    }
    look(THREADS);
    for (unsigned i = 0; i < THREADS; i++)
        if (i % 3 != 0) {
            pmc_process_exit(&threads[i]);
            CHECK(!pmc_states_have(was[i]));
        }
    CHECK(pmc_system.states == NULL);
}
