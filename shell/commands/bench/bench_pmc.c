/* SPDX-License-Identifier: BSD-2-Clause */
/* bench pmc: what performance counters cost, for an observer who counts instructions. */
#include <sys/pmc.h>
#include "kernel/device/late.h"
#include "kernel/pmc/pmc_read.h"
#include "lib/errno.h"
#include "lib/string.h"
#include "shell/commands/bench/bench.h"
#include "shell/command.h"
#include "shell/output.h"
#include "stats/pmc/pmu_class.h"
#include "stats/pmc/pmu_owner.h"

#define COUNTERS 2

/* The first event that a counter of the first class can hold. */
static bool bench_pmc_first_event(unsigned counter, pmc_evid_t *code)
{
    const struct pmu_class *class = pmu_class_at(0, NULL);

    for (unsigned i = 0; class != NULL && i < class->event_count; i++) {
        if (class->events[i].supported && (class->events[i].counters & 1u << counter) != 0) {
            *code = class->events[i].code;
            return true;
        }
    }
    return false;
}

/* The calling thread counts on the first counters, and so will the threads that it makes. */
static bool bench_pmc_count_on(int counters)
{
    for (int ctr = 0; ctr < counters; ctr++) {
        struct pmc_counter_cfg cfg = {0};

        if (!bench_pmc_first_event((unsigned)ctr, &cfg.event_id) ||
            pmc_configure_counter(curlwp, ctr, &cfg) != 0 || pmc_enable_counter(curlwp, ctr) != 0)
            return false;
    }
    return true;
}

static __attribute__((noinline, noclone, optimize("no-reorder-blocks"))) void bench_pmc_read(void)
{
    volatile uint64_t value;

    for (unsigned i = 0; i < BENCH_ROUNDS; i++) {
        BENCH_PLACE("bench_pmc_read_begin");
        value = pmc_count(0);
        BENCH_PLACE("bench_pmc_read_end");
    }
    (void)value;
}

/* The system takes a counter from all that count on it. */
static __attribute__((noinline, noclone)) int bench_pmc_take(void)
{
    static const struct pmu_owner taker = {
        .name = "bench", .rank = PMU_RANK_SYSTEM, .system = true};
    struct pmc_counter_cfg cfg = {0};
    int error;

    if (!bench_pmc_first_event(0, &cfg.event_id))
        return ENODEV;
    BENCH_PLACE("bench_taking_begin");
    error = pmc_take(&taker, 1, &cfg, PMU_BY_FORCE, NULL);
    BENCH_PLACE("bench_taking_end");
    return error != 0 ? error : pmc_give(&taker, 0);
}

int bench_taking(const char *count)
{
    int result = 1;

    late_start();
    if (bench_pmc_count_on(1))
        result = bench_threads_beside(count, bench_pmc_take);
    else
        shell_printf("bench: these counters cannot be used\n");
    pmc_release_counter(curlwp, 0);
    return result;
}

int bench_pmc(const char *what, int (*switch_threads)(void))
{
    bool is_read = strcmp(what, "read") == 0;
    int result = 1;

    if (!is_read && strcmp(what, "switch") != 0)
        return command_usage("bench");
    late_start();
    if (!bench_pmc_count_on(is_read ? 1 : COUNTERS)) {
        shell_printf("bench: these counters cannot be used\n");
    } else if (is_read) {
        bench_pmc_read();
        result = 0;
    } else {
        result = switch_threads();
    }
    for (int ctr = 0; ctr < COUNTERS; ctr++)
        pmc_release_counter(curlwp, ctr);
    return result;
}
