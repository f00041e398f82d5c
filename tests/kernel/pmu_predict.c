/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Patterned branches, mispredicted as two bits of history must (0, 1 predict not taken, 2, 3 taken;
 * taken counts up, not taken down, neither beyond the end). Worked by hand, from the state in which
 * the last branch of the lead has left the entry:
 *
 *   lead 1111 (3), then 1110...   3 right, 3, 3, wrong to 2, right to 3 ...: 1 of 4
 *   lead 0000 (0), then 10...     wrong to 1, right to 0 ...: 1 of 2
 *   lead 1111 (3), then 0011...   wrong to 2, wrong to 1, wrong to 2, right to 3 ...: 3 of 4
 *   lead 0000 (0), then 0001...   right, right, right, wrong to 1, right to 0 ...: 1 of 4
 */
#include <arch/interrupt_flag.h>
#include "tests/kernel/selftest.h"
#include "lib/string.h"
#include "tests/kernel/pmu_measure.h"

#define LEAD    16
#define PERIODS 100

struct pattern {
    char lead;
    const char *period;
    unsigned wrong; /* of one period */
};

static const struct pattern patterns[] = {
    {1, "1110", 1}, {0, "10", 1}, {1, "0011", 3}, {0, "0001", 1}, {1, "1", 0}, {0, "0", 0},
};

/* Writes the lead and COUNT periods behind it. */
static void write_pattern(const struct pattern *pattern, unsigned count)
{
    size_t length = strlen(pattern->period);
    char *data = pmu_code_user_data(), *bytes = data + 8;

    *(uint64_t *)data = LEAD + count * length;
    memset(bytes, pattern->lead, LEAD);
    for (size_t i = 0; i < count * length; i++)
        bytes[LEAD + i] = (char)(pattern->period[i % length] - '0');
}

/* Mispredicted branches of COUNT periods and the lead. The kernel's branches may share entries of
 * the table, so the same has run before, with nothing between that depends on COUNT: what a run
 * does to an entry keeps the order of its four states, so after three runs it no longer changes
 * between them. */
static uint64_t wrong_of(const struct pattern *pattern, unsigned count)
{
    const struct pmu_event_at misses = {CODE_MISSES, ON_MISSES, PMC_MODE_U};

    uintptr_t state = interrupts_save();
    uint64_t wrong;

    write_pattern(pattern, count);
    for (unsigned run = 0; run < 3; run++)
        pmu_measure_user(misses, USER_MODE_USER, USER_DATA);
    wrong = pmu_measure_user(misses, USER_MODE_USER, USER_DATA);
    interrupts_restore(state);
    return wrong;
}

SELFTEST_COUNTERS_ONE_CPU(pmu_predict, "pmu-predict",
                          "patterned branches are mispredicted as two bits of history must")
{
    if (!pmu_hardware())
        return selftest_skip("no hardware PMU");
    SELFTEST_CHECK(pmu_code_user_prepare(&pmu_code_branch, 0) == 0);
    for (unsigned i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        uint64_t few = wrong_of(&patterns[i], PERIODS), many = wrong_of(&patterns[i], 3 * PERIODS);

        if (many - few != 2 * PERIODS * patterns[i].wrong) {
            pmu_code_user_done();
            return selftest_fail("%s: %lu wrong, not %u", patterns[i].period,
                                 (unsigned long)(many - few), 2 * PERIODS * patterns[i].wrong);
        }
    }
    pmu_code_user_done();
    return 0;
}
