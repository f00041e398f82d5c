/* SPDX-License-Identifier: BSD-2-Clause */
/* Self-tests that use performance counters have them to themselves. */
#include <sys/pmc.h>
#include "tests/kernel/selftest.h"

static const char *pmc_guard_begin(void)
{
    return pmc_claim() == 0 ? NULL : "counters in use";
}

const struct selftest_guard selftest_counters = {pmc_guard_begin, pmc_unclaim};
